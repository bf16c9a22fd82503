"""Budgeteer: see and tune how a context window is spent."""

__version__ = "0.1.0"
