"""History strategies: one module each, the retry ladder, the summariser protocol and the extractive summariser."""
