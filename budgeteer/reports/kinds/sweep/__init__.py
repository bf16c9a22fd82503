"""Reports of a sweep: what every value of a limit would let in."""
