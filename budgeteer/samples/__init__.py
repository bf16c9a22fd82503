"""Three samples of our own, each of which overflows its limit."""
