"""Reports of an evaluated collection: what configurations do to all of its conversations, in sums."""
