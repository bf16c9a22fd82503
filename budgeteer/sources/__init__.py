"""Sources: uploaded, imported by a worker, counted once per tokenizer, and loaded for a packing."""
