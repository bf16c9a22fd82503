"""tiktoken and ctok themselves, as published; what counts by other published vocabularies is in open_reference."""

from __future__ import annotations

import ctok

from benchmarks.packers.tokenizer import encoding
from tests.conformance.counting import open_reference

#: Our name of each of Claude's families -> a version that ctok counts by it.
CLAUDE_VERSIONS = {"claude-v3": "3.0", "claude-v4.7": "4.7", "claude-v4.8": "4.8"}

#: An ideograph joins with nothing on either side, so that between two a text is counted without a message's frame.
ALONE = "\u4e00"


def count(text: str, name: str = "o200k_base") -> int:
    """Tokens of a text, special-token text counted as ordinary text."""
    if name == "chars/4":
        return -(-len(text) // 4)
    if version := CLAUDE_VERSIONS.get(name):
        return ctok.token_count(f"{ALONE}{text}{ALONE}", version) - ctok.token_count(ALONE * 2, version)
    if name in (*open_reference.BY_RANKS, "deepseek-v3", "gemma3"):
        return open_reference.count(text, name)
    return len(encoding(name).encode_ordinary(text))
