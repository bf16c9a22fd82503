"""Sets whose point is the calls: dialogues with services, queries with the calls that answer them, tests of calling."""
