"""Replay: a conversation request by request."""
