"""The calls of a Claude Code session as the model made them, without what the program wrote into them for its own use.

From version 2.1.0 at least the model calls `ExitPlanMode` without a plan: the plan stands in a file. Claude Code writes
the text of that file and its path into the call, for hooks and for who reads the session, and takes them out of every
request (public analyses of its source name the functions `normalizeToolInput` and `normalizeToolInputForAPI`). The
model has read the plan where it wrote the file, and reads it again in the result once it was approved.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from budgeteer.formats.claude_code.versions import version_of
from budgeteer.formats.messages.numbering import Notes
from budgeteer.formats.messages.objects import OBJECT

_NOT_SENT: Final[Mapping[str, frozenset[str]]] = {"ExitPlanMode": frozenset({"plan", "planFilePath"})}
"""By tool, the arguments that Claude Code adds."""

#: The first version that is known to keep plans in files. A call of an older one that names the file is of such a one.
_FIRST_VERSION: Final = (2, 1, 0)
_NAMES_FILE: Final = "planFilePath"


def as_sent(content: Any, line: Mapping[str, Any], notes: Notes) -> Any:
    """The content of an assistant's line, its calls without what was added to them."""
    if not isinstance(content, list):
        return content
    sent = [_without(block, _added(block, line)) for block in content]
    if all(now is before for now, before in zip(sent, content, strict=True)):
        return content
    notes.count("Plans that Claude Code wrote into a call for its own use, left out: the model was not sent them")
    return sent


def _added(block: Any, line: Mapping[str, Any]) -> frozenset[str]:
    """The arguments of a call that were added to it; none of what is no call."""
    if not isinstance(block, OBJECT) or block.get("type") != "tool_use":
        return frozenset()
    name, given = block.get("name"), block.get("input")
    added = _NOT_SENT.get(name) if isinstance(name, str) else None
    if added is None or not isinstance(given, OBJECT) or added.isdisjoint(given):
        return frozenset()
    return added if _NAMES_FILE in given or version_of(line) >= _FIRST_VERSION else frozenset()


def _without(block: Any, added: frozenset[str]) -> Any:
    if not added:
        return block
    return {**block, "input": {key: value for key, value in block["input"].items() if key not in added}}
