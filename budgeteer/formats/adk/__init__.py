"""Sessions and evaluation sets of the Agent Development Kit."""
