"""Counting: tokenizers, text cuts, and the measures of libraries and conversations as arrays."""
