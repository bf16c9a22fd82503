"""Signing in: names and passwords, or one-time links in local mode."""
