"""Shared workspaces: access and copies."""
