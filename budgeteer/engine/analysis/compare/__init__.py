"""Compare: two configurations on the same inputs, item by item."""
