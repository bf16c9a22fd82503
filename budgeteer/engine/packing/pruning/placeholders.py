"""Placeholders for pruned results and arguments, and how arguments are rewritten."""

from __future__ import annotations

from typing import Final

from budgeteer.engine.content.conversation import call_input
from budgeteer.engine.content.library import compact_json

#: In the place of a result that a later, equal call repeats.
REPEATED_NOTE: Final = "[Result removed: the same call was made again later, its result stands there.]"
#: In the place of each long argument of a call that failed.
FAILED_NOTE: Final = "[Removed: this call failed.]"
#: In the place of each long argument of a write whose file was written or read again.
WRITTEN_NOTE: Final = "[Removed: the file was written or read again later.]"

#: Arguments that name a file. They stay, so that a call still says what it was about. Source: the file tools of common
#: agents (Claude Code, Codex, OpenCode, Gemini CLI, the file system server of MCP).
PATH_KEYS: Final = ("path", "file_path", "filePath", "filename", "file", "target_file", "absolute_path")


def object_of(arguments: str) -> dict[str, object] | None:
    """The arguments as an object, None where they are no JSON object."""
    value = call_input(arguments)
    return None if value == {"arguments": arguments} or not arguments.lstrip().startswith("{") else value


def shortened(arguments: str, note: str) -> str:
    """The arguments with the note in the place of each value that is longer than it; paths stay.

    Arguments that are no object are one value. What is not shortened comes back as it was written.
    """
    value = object_of(arguments)
    if value is None:
        return note if len(arguments) > len(note) else arguments
    short = {
        key: note
        if key not in PATH_KEYS and len(one if isinstance(one, str) else compact_json(one)) > len(note)
        else one
        for key, one in value.items()
    }
    return arguments if short == value else compact_json(short)
