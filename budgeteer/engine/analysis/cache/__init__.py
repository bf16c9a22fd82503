"""Prompt caches of providers: their published rules, and what a replay reads from them and writes to them."""
