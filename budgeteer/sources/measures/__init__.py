"""Measures of sources: counting once per tokenizer, and the cache of counted runs."""
