"""Shared by all conversation importers: numbering, notes, branches, spooled messages, the import report."""
