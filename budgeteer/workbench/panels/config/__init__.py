"""The configuration panel: the configuration as JSON."""
