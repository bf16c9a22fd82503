"""Logs of evaluations: what models were asked, and what they replied."""
