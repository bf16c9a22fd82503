"""Which texts the fast counter may count: those on which it is known to agree with tiktoken.

Both split a text by the same classes of characters, but each carries Unicode's tables in a version of its own. What no
version has assigned for certain, and the one letter that folds to "s" (U+017F, in a contraction), goes to tiktoken.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from itertools import groupby
from types import ModuleType
from typing import Final, Protocol

#: The newest Unicode whose characters were compared one by one, in both encodings (tests/engine/test_agreement.py):
#: toktok-rs 0.3.0 and tiktoken 0.14.0 differ on letters and marks of 17.0 only.
_COMPARED: Final = (16, 0)

#: What is trusted beyond the basic plane: pictographs and their kin, which are neither letters, marks nor digits in
#: any version, assigned or not (The Unicode Standard, blocks 1F300 to 1FAFF), and the ideographs of Extension B.
_TRUSTED_BEYOND: Final = ((0x1F300, 0x1FAFF), (0x20000, 0x2A6DF))

_LONG_S: Final = 0x17F
_BASIC_PLANE: Final = 0x10000


class Characters(Protocol):
    """Unicode's character database in one version, as unicodedata and its older copy give it."""

    unidata_version: str

    def category(self, character: str, /) -> str:
        """The general category, "Cn" for what is not assigned."""
        ...


def is_doubtful(text: str) -> bool:
    """Whether the fast counter might count this text otherwise than tiktoken; lone surrogates are such texts."""
    return not text.isascii() and _doubtful_pattern().search(text) is not None


@functools.cache
def _doubtful_pattern() -> re.Pattern[str]:
    return doubtful_pattern(unicodedata)


def doubtful_pattern(characters: Characters | ModuleType) -> re.Pattern[str]:
    """One doubtful character, by these tables; a version newer than was compared trusts only what 3.2 (2002) had."""
    if tuple(map(int, characters.unidata_version.split(".")[:2])) > _COMPARED:
        characters = unicodedata.ucd_3_2_0

    def is_trusted(code: int) -> bool:
        return code != _LONG_S and characters.category(chr(code)) not in ("Cn", "Cs")

    trusted = list(_TRUSTED_BEYOND)
    after = 0
    for known, codes in groupby(range(_BASIC_PLANE), is_trusted):
        first, after = after, after + len(list(codes))
        if known:
            trusted.append((first, after - 1))
    # What is trusted is listed, for it is found at the first look; almost every character is.
    return re.compile("[^" + "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in sorted(trusted)) + "]")
