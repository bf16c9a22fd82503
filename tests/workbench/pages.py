"""Reading pages in tests: what stands where, without a browser."""

from __future__ import annotations

import re
from html import unescape


def text_of(html: str, element_id: str) -> str:
    """The text of the innermost element with this id, tags taken out, white space collapsed."""
    found = re.search(rf'<(\w+)[^>]*\bid="{re.escape(element_id)}"[^>]*>(.*?)</\1>', html, re.DOTALL)
    assert found is not None, f"no element {element_id}"
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", found.group(2))).split())


def numbers_of_rows(html: str) -> list[tuple[str, int, int]]:
    """Of each row of the items: its name, characters and tokens as they came."""
    rows = []
    fates = "kept|truncated|summarised|dropped|added"
    for row in re.findall(rf'<tr id="[\w-]+" class="(?:{fates}).*?</tr>', html, re.DOTALL):
        name = unescape(re.search(r'class="plain"[^>]*>(.*?)</a>', row, re.DOTALL)[1])  # type: ignore[index]
        chars, tokens = (
            int(re.search(rf'class="n {column}">([\d,]+)<', row)[1].replace(",", ""))  # type: ignore[index]
            for column in ("c-chars", "c-tokens")
        )
        rows.append((name, chars, tokens))
    return rows
