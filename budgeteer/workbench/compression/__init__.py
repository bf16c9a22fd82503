"""Compress ranges and blocks in the workbench."""
