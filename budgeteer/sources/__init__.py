"""Uploads: received, imported by a worker, counted once, and read back for a packing."""
