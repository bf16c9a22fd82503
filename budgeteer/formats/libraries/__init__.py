"""Libraries: skills, feature specs, tool definitions, retrieved chunks, usage counts."""
