"""The map panel: icicle, table of items, before and after."""
