"""Workspaces: sources and a configuration, with a preview that follows every change."""
