"""A backup of an installation in one file, and its restoring."""
