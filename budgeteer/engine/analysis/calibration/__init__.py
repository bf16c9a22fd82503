"""Counted tokens held against recorded ones: what a model's provider reported of the requests of real sessions."""
