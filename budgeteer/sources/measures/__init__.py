"""Measures of sources: counted once per tokenizer, with a cache of counted runs."""
