"""Size limits of a configuration: of each number, text and list, and of the whole.

The bounds are far above any use and far below what a page, a database row or a preview cannot bear.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from budgeteer.engine.errors import ConfigError

#: The largest number of tokens, characters, bytes or items; five hundred times the largest window there is.
MOST: Final = 1_000_000_000
#: How interfaces say it; a field of the form takes it, too.
NO_LIMIT: Final = "no limit"


def is_no_limit(value: object) -> bool:
    """Whether a setting has the most that it can have, which limits nothing: interfaces say NO_LIMIT."""
    return value == MOST


#: A name, a path, an id, a keyword. Source: PATH_MAX of Linux is 4,096.
NAME_CHARS: Final = 4_096
#: A line or a short text that stands in the prompt.
LINE_CHARS: Final = 10_000
#: Words, folders, tools or ranges of a list.
LIST_ENTRIES: Final = 1_000
#: Items that are named one by one: pins and policies.
ITEM_ENTRIES: Final = 10_000
#: A summary that somebody wrote; with its whole configuration it has to keep to CONFIG_BYTES as well.
SUMMARY_CHARS: Final = 200_000
#: All of a configuration as JSON in UTF-8; the largest of ours has 3 kB.
CONFIG_BYTES: Final = 256_000


def size_error(data: Mapping[str, Any]) -> ConfigError | None:
    """The error for a configuration, valid otherwise, that is over CONFIG_BYTES as JSON; None where it is not."""
    return text_size_error(json.dumps(data, ensure_ascii=False))


def text_size_error(text: str) -> ConfigError | None:
    """The same for a configuration as it is written, so that it need not be read."""
    is_large = len(text) > CONFIG_BYTES or len(text.encode("utf-8", "surrogatepass")) > CONFIG_BYTES
    return _too_large() if is_large else None


def _too_large() -> ConfigError:
    return ConfigError(
        f"a configuration may have {CONFIG_BYTES // 1000} kB, and this has more",
        mend="Shorten its texts or its lists",
    )
