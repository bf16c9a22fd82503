"""Match results to open calls, for formats that do not say which call a result answers."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, MutableMapping
from heapq import heappop, heappush
from typing import Any

from budgeteer.engine.content.conversation import ToolCallPart
from budgeteer.engine.content.library import compact_json
from budgeteer.formats.messages.numbering import Notes, UniqueIds, text_value
from budgeteer.formats.reading import json_text
from budgeteer.formats.reading.code_calls import value_in_code

_BOOKKEEPING = ("id", "type")
TIED = "Tool results without a call id, tied to their calls by name and order"


class WaitingCalls(MutableMapping[str, str]):
    """Names of calls by their ids, oldest first, that know the oldest of all and of a name without a search.

    A call that is put in again under another name keeps its place. What is gone is dropped where it is met, so that a
    conversation of any number of calls and results takes time that grows with them alone.
    """

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._numbers: dict[str, int] = {}
        self._made = 0
        self._in_order: deque[tuple[int, str]] = deque()
        self._of_name: dict[str, list[tuple[int, str]]] = {}

    def __getitem__(self, call_id: str) -> str:
        return self._names[call_id]

    def __setitem__(self, call_id: str, name: str) -> None:
        if call_id not in self._names:
            self._made += 1
            self._numbers[call_id] = self._made
            self._in_order.append((self._made, call_id))
        elif self._names[call_id] == name:
            return
        self._names[call_id] = name
        heappush(self._of_name.setdefault(name, []), (self._numbers[call_id], call_id))

    def __delitem__(self, call_id: str) -> None:
        del self._names[call_id], self._numbers[call_id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def clear(self) -> None:
        """Let all of them go at once."""
        for held in (self._names, self._numbers, self._in_order, self._of_name):
            held.clear()

    def oldest(self) -> str:
        """The oldest call, "" when none waits."""
        while self._in_order and self._numbers.get(self._in_order[0][1]) != self._in_order[0][0]:
            self._in_order.popleft()
        return self._in_order[0][1] if self._in_order else ""

    def oldest_of(self, name: str) -> str:
        """The oldest call of that name, "" when none waits."""
        alike = self._of_name.get(name, [])
        while alike and (self._numbers.get(alike[0][1]), self._names.get(alike[0][1])) != (alike[0][0], name):
            heappop(alike)
        return alike[0][1] if alike else ""


class OpenCalls:
    """The calls of one conversation that wait for their results, oldest first."""

    def __init__(self, notes: Notes) -> None:
        self.notes = notes
        self.waiting = WaitingCalls()
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
            given = self.waiting.oldest_of(name) or self.waiting.oldest()
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
