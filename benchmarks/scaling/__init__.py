"""Much work at once: evaluations of many conversations, imports with several workers, presets with many followers."""
