"""Panels of the workbench: one folder each."""
