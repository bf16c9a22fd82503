"""AI SDK UI messages."""
