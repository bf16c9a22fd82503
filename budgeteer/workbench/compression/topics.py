"""Topics of generated summaries: what a range of messages was about, in a line."""

from __future__ import annotations

from collections.abc import Sequence

from budgeteer.engine.content.call_subjects import CallSubject
from budgeteer.engine.content.conversation import Message, TextPart, text_of
from budgeteer.engine.counting.text_boundaries import cut_topic
from budgeteer.engine.inputs.history_index import index_of
from budgeteer.engine.packing.history.view import USER
from budgeteer.engine.packing.result import Packing
from budgeteer.presentation.labels import count_of

#: What a generated topic has room for: a line of the inspector.
TOPIC_CHARS = 60


def topic_of(packing: Packing, rows: range) -> str:
    """What these messages were about: the first prompt, else what was called, else what was said; "" for nothing."""
    history, measures, index = packing.bundle.history, packing.bundle.history_measures, index_of(packing.bundle)
    prompt = next((row for row in rows if int(measures.role[row]) == USER), None)
    if prompt is not None:
        return _opening(text_of(history[prompt]))
    places = [place for place in index.subject[rows.start : rows.stop].tolist() if place >= 0]
    called = calls_in_words([index.subjects[place] for place in places])
    return _opening(called or next((said for row in rows if (said := _said(history[row]))), ""))


def calls_in_words(calls: Sequence[CallSubject]) -> str:
    """Calls by their tools, the one that is called most first: "Read 8 files, Bash 3 calls", "Read boats.py"."""
    by_tool: dict[str, list[CallSubject]] = {}
    for call in calls:
        by_tool.setdefault(call.tool, []).append(call)
    ordered = sorted(by_tool.values(), key=len, reverse=True)
    return ", ".join(_of_one_tool(mine) for mine in ordered)


def _of_one_tool(calls: Sequence[CallSubject]) -> str:
    first = calls[0]
    files = {call.file for call in calls}
    if "" not in files:
        name = first.file.replace("\\", "/").rstrip("/").rpartition("/")[2]
        return f"{first.tool} {name if len(files) == 1 else count_of(len(files), 'file')}"
    return first.title if len(calls) == 1 else f"{first.tool} {count_of(len(calls), 'call')}"


def _said(message: Message) -> str:
    return "\n".join(part.text for part in message.parts if isinstance(part, TextPart))


def _opening(text: str) -> str:
    return cut_topic(" ".join(text[: 10 * TOPIC_CHARS].split()), TOPIC_CHARS)
