"""Dynamic context pruning: message ids, compress ranges, nudges, automatic strategies. Removal for one request only."""
