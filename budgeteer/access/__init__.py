"""Access: the rule of every view, and the middleware that enforces it."""
