"""Compare two configurations on the sources of one workspace."""
