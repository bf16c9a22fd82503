"""Prompts as Continue logs them: `<role>` alone on a line before each message, calls as `name(arguments)` at its end.

Source: https://github.com/continuedev/continue, `core/llm/index.ts` (`_formatChatMessage`), and files, 2026-11.
"""

from __future__ import annotations

import re
from typing import Final

_MARK: Final = re.compile(r"(?:\A|(?<=\n\n))<(?P<role>system|user|assistant|tool|thinking)>\n")
_CALL: Final = re.compile(r"(?P<name>[A-Za-z_][\w.-]{0,63})\((?P<arguments>\{.*\})\)\Z")


def prompt_blocks(prompt: str) -> list[tuple[str, str]]:
    """(role, text) of each message of a prompt; none of a prompt that begins in another way."""
    marks = list(_MARK.finditer(prompt))
    if not marks or marks[0].start():
        return []
    ends = [*(mark.start() for mark in marks[1:]), len(prompt)]
    return [
        (mark["role"], prompt[mark.end() : end].removesuffix("\n\n")) for mark, end in zip(marks, ends, strict=True)
    ]


def calls_of_text(text: str) -> tuple[str, list[tuple[str, str]]]:
    """What a reply says, and (name, arguments) of each call in the lines at its end."""
    rows = text.split("\n")
    calls: list[tuple[str, str]] = []
    while rows and (call := _CALL.match(rows[-1])):
        calls.insert(0, (call["name"], call["arguments"]))
        rows.pop()
    return "\n".join(rows), calls
