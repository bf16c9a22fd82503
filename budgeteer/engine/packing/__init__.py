"""Packing: limits, sections, history, pruning, the ledger with its reasons, the verdict and the result."""
