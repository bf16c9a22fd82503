"""Match results to open calls, for formats that do not say which call a result answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from budgeteer.engine.content.conversation import ToolCallPart
from budgeteer.engine.content.library import compact_json
from budgeteer.formats.messages.numbering import Notes, UniqueIds, text_value
from budgeteer.formats.reading import json_text
from budgeteer.formats.reading.code_calls import value_in_code

_BOOKKEEPING = ("id", "type")
TIED = "Tool results without a call id, tied to their calls by name and order"


class OpenCalls:
    """The calls of one conversation that wait for their results, oldest first."""

    def __init__(self, notes: Notes) -> None:
        self.notes = notes
        self.waiting: dict[str, str] = {}
        self._made = 0
        self._own = UniqueIds()

    def call(self, name: str, arguments: Any, given: str = "", *, has_result: bool = False) -> ToolCallPart:
        """A call that waits from now on; `call_1`, `call_2` … where the source gives no id.

        `has_result` says that its result stands with it in the source, which needs no id for that. An id that an
        earlier such call has is then made unique: the second `x` becomes `x#2`.
        """
        if not given:
            self._made += 1
            given = f"call_{self._made}"
        if has_result:
            given = self._own(given)
        self.waiting[given] = name
        return ToolCallPart(given, name, arguments_text(arguments))

    def answer(self, name: str = "", given: str = "") -> str:
        """The id of the call a result answers: the one it names, else the oldest of that name, else the oldest.

        "" when none waits.
        """
        if not given:
            named = (call_id for call_id, called in self.waiting.items() if called == name)
            given = next(named, next(iter(self.waiting), ""))
            self.notes.count(TIED if given else "Tool results without a call before them, kept as they came")
        self.waiting.pop(given, None)
        return given

    def user_speaks(self) -> None:
        """A person's turn: what no result has answered by now is answered by none that follows."""
        self.waiting.clear()


def arguments_text(arguments: Any) -> str:
    """A call's arguments as the JSON text the model wrote: a text as it is, nothing as "", else compact JSON."""
    if arguments is None:
        return ""
    return arguments if isinstance(arguments, str) else compact_json(arguments)


def written_calls(text: str, beside: list[Any] | None = None) -> list[tuple[str, Any]] | None:
    """(name, arguments) of each call that a JSON text holds: one object or a list; None when it is no such text.

    Known keys: `name`, and `arguments`, `parameters` or `args`. The text may be Python's instead, with single quotes.
    What stands under other keys, but for ids and types, is added to `beside`.
    """
    value = json_text.parse_inner(text, None)
    if value is None:
        value = value_in_code(text)
    items = value if isinstance(value, list) else [value]
    keys = [_arguments_key(item) for item in items]
    if not items or not all(keys):
        return None
    if beside is not None:
        for item, read in zip(items, keys, strict=True):
            beside += (held for key, held in item.items() if key not in ("name", read, *_BOOKKEEPING))
    return [(item["name"], item[key]) for item, key in zip(items, keys, strict=True)]


def _arguments_key(value: Any) -> str:
    """The key of a call's arguments, "" where a value is no call."""
    if not isinstance(value, Mapping) or not text_value(value.get("name")):
        return ""
    return next((key for key in ("arguments", "parameters", "args") if key in value), "")
