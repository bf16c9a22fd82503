"""Reports of two configurations side by side: totals, sections, settings, and the items that moved."""
