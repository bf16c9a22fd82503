"""Stored files: folder and bucket backends, range reads, local copies, the item store."""
