"""Other notations of the values that JSON has: tables, YAML, and JSON with comments."""
