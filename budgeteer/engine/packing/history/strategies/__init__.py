"""The history strategies: a function each, from a view of the history to what stays of it."""
