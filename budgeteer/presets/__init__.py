"""Versioned presets: named configurations that workspaces follow."""
