"""The dashboard in a real browser: `make bench-browser`."""
