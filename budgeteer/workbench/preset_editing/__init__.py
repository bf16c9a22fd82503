"""Presets made from workspaces, edited with the form of the workbench, and tried on those who follow them."""
