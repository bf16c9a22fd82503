"""The inspector: the selected item."""
