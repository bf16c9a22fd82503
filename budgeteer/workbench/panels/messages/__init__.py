"""The messages panel."""
