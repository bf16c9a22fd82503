"""The tables of this app."""
