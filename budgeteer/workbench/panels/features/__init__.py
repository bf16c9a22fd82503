"""The features panel: search of feature specs."""
