"""Fit plans: which changes of a configuration make a prompt fit, what each saves, loses and costs."""
