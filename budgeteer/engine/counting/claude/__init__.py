"""Claude's tokens as the package ctok reconstructed them: vocabularies, characters, segments, the counter."""
