"""Importers: bytes to engine objects, one module a format, each with its import report."""
