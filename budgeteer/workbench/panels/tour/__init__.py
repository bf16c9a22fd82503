"""The tour of the workbench."""
