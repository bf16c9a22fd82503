"""Sessions of the agents that work in an editor or beside it, one module for each kind of file."""
