"""Formats that a user describes: which list of a JSON file is its messages, and which fields are role, text, calls."""
