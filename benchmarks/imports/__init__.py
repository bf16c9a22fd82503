"""Time and memory of imports of large files: `make bench-imports`."""
