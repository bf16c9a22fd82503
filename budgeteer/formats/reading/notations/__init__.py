"""Other notations of the values that JSON has: tables, YAML, JSON with comments, and Python's spelling."""
