"""Measurements, each one command that prints its figures side by side. Never imported by the product."""
