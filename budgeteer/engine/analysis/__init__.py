"""Analyses over packings: sweep, replay, compare, skill checks, search of feature specs, the packing as JSON."""
