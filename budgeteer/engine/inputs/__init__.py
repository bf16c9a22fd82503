"""The inputs of one packing: the bundle and the indexes over it, before any limit applies."""
