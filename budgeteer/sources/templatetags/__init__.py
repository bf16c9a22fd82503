"""Template filters of sources."""
