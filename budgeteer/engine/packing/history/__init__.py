"""History strategies: a registry, one module each, the retry ladder and the extractive summariser."""
