"""Teams: named groups of accounts that things are shared with, each looked after by its owners."""
