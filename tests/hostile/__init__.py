"""Hostile uploads and strings against the running dashboard, its API and the command line."""
