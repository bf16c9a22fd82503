"""The steps of an agent that OpenCompass ran: what it thought and called, with what came of it, before its answer.

A step has a `type` (the tool), `args`, a `thought`, and a `result` (parts of a type and a content) or an `errmsg`; its
`state` is 0 where the call went well. The step that ends the run gives the answer, and is no call.
Source: `opencompass/models/lagent.py` and https://github.com/InternLM/lagent, `lagent/schema.py`, 2026-11.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from budgeteer.engine.content.conversation import Message, Part, ReasoningPart
from budgeteer.engine.content.library import compact_json
from budgeteer.formats.messages.numbering import text_value
from budgeteer.formats.messages.objects import OBJECT
from budgeteer.formats.reading.conversation_draft import ConversationDraft, texts

_FINISHED: Final = 1
"""`valid` of the step that ends a run (`ActionValidCode.FINISH`)."""


def steps_of(row: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The steps of a result; none where one of them is of another shape."""
    given = row.get("steps")
    steps = given if isinstance(given, list) else []
    return steps if all(isinstance(step, OBJECT) and text_value(step.get("type")) for step in steps) else []


def add_steps(draft: ConversationDraft, steps: list[Mapping[str, Any]], reply: str) -> str:
    """Add the steps before a reply.

    Returns:
        What the agent thought before the reply: in the step that ends the run.
    """
    for step in steps:
        thought = text_value(step.get("thought"))
        said = "\n".join(_results(step.get("result")))
        gives_reply = said.strip() == reply.strip() if said else step.get("valid") == _FINISHED
        if step is steps[-1] and gives_reply:
            # What it came to is the reply, which stands behind it.
            draft.notes.see(step.get("result"))
            args = step.get("args")
            draft.notes.count("Arguments of steps that give the answer, left out", 1 if args else 0, of=args)
            return thought
        name = text_value(step.get("type"))
        parts: list[Part] = [ReasoningPart(thought)] if thought else []
        called = draft.calls.call(name, step.get("args") or {}, has_result=True)
        draft.add(Message("assistant", (*parts, called)))
        came = [one for one in (said, text_value(step.get("errmsg"))) if one]
        failed = step.get("state") not in (0, None)
        draft.answer(Message("tool", (), name=name), texts(*came), called.id, failed=failed)
    return ""


def _results(result: Any) -> Iterator[str]:
    """The texts of what a call came to: a list of parts, an object with a `text`, a text, or anything else as JSON."""
    for one in result if isinstance(result, list) else [result]:
        held = one.get("content", one.get("text")) if isinstance(one, OBJECT) else one
        if held is None:
            held = one
        if held is not None and held != "":
            yield held if isinstance(held, str) else compact_json(held)
