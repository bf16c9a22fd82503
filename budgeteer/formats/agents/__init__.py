"""Sessions of coding agents that work in a terminal or behind a server, one module for each kind of file."""
