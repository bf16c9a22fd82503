"""What every conversation importer shares: numbering, notes, branches, spooled messages, the import report."""
