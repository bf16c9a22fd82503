"""Reading files: limits, archives, decoding, JSON with bounds, documents, entries and envelopes."""
