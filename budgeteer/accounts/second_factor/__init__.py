"""A second factor: codes of an authenticator app, asked for after the password, and recovery codes."""
