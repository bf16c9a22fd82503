"""Workspaces that a team looks at: who may, and copies of them."""
