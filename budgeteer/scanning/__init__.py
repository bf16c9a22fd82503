"""Find secrets and personal data in texts, by the rules of libraries and a few of our own; nothing here knows whose."""
