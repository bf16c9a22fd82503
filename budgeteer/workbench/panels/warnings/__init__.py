"""Warnings and the effect of their fixes."""
