"""What a report can show, one row for each kind: how it is frozen, reduced to a level, and drawn."""
