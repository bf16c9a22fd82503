"""Sweep: every breakpoint of a limit and the packing between two of them."""
