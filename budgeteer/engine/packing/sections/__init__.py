"""Sections of a prompt: how each one fits its limit."""
