"""Dates in the dashboard's one language."""
