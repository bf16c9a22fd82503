"""Workspaces shared with the team: access and copies."""
