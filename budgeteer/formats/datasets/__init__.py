"""Training and evaluation data sets."""
