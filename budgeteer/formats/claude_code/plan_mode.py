"""What Claude Code tells the model of plan mode, as the lines of a session tell when it was on.

While it is on, a request carries its instructions: whole with the first one, and then, whenever five lines of the
assistant have come since the last time, in short; of five such texts one is whole again. Lines of thinking alone do not
count, and after a compaction the whole text comes anew. The first request after plan mode says that it is over, and the
first one in it after a plan was approved that a plan is there.

It is on from the result of `EnterPlanMode`, or from a prompt that was sent in it, to the approval of `ExitPlanMode`, or
to a prompt that was sent in another mode. What was switched between two prompts no line tells.

The pace and the texts are public: https://github.com/Piebald-AI/claude-code-system-prompts keeps the texts of each
version. Recorded requests agree with both (docs/accuracy.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from budgeteer.formats.claude_code.session_lines import PLAN_TOOLS, SessionRecord
from budgeteer.formats.messages.numbering import text_value
from budgeteer.formats.messages.objects import OBJECT

LINES_BETWEEN: Final = 5
"""So many lines of the assistant stand between two texts about plan mode."""
TEXTS_OF_WHOLE: Final = 5
"""Of so many texts one is whole."""

_ENTER: Final = "EnterPlanMode"


class PlanMode:
    """Whether plan mode is on at a place of a session, and what was said of it there."""

    def __init__(self) -> None:
        self._is_on = self._is_over = self._has_plan = self._was_approved = False
        self._lines: int | None = None
        self._texts = 0
        self._calls: dict[str, str] = {}

    def read_calls(self, record: SessionRecord) -> None:
        """Take in the calls of a reply that ask to begin or to end it."""
        content = record.message.get("content")
        for block in content if isinstance(content, list) else ():
            if isinstance(block, OBJECT) and (name := text_value(block.get("name"))) in PLAN_TOOLS:
                self._calls[text_value(block.get("id"))] = name

    def read_user(self, record: SessionRecord) -> None:
        """Take in what a line of the user's says of it: a call that was let through, a prompt sent in a mode."""
        if record.in_plan_mode is not None:
            self._switch(is_on=record.in_plan_mode)
        asked = [call_id for call_id in record.answers if call_id in self._calls]
        refused = _refused(record) if asked else set()
        for call_id in asked:
            name = self._calls.pop(call_id)
            if call_id in refused:
                continue
            self._switch(is_on=name == _ENTER)
            if name != _ENTER:
                self._has_plan = self._was_approved = True

    def count_line(self) -> None:
        """Count a line of the assistant that is not thinking alone."""
        if self._lines is not None:
            self._lines += 1

    def begin_context(self) -> None:
        """Forget what was said before a compaction."""
        self._lines, self._texts = None, 0

    def attachments(self) -> Iterator[Mapping[str, Any]]:
        """What a request that is sent now is told of it."""
        if not self._is_on:
            if self._is_over:
                self._is_over, self._texts = False, 0
                yield {"type": "plan_mode_exit", "planExists": self._has_plan}
            return
        self._is_over = False
        if self._lines is not None and self._lines < LINES_BETWEEN:
            return
        self._lines = 0
        self._texts += 1
        if self._was_approved:
            self._was_approved = False
            yield {"type": "plan_mode_reentry"}
        whole = self._texts % TEXTS_OF_WHOLE == 1
        yield {"type": "plan_mode", "reminderType": "full" if whole else "sparse"}

    def _switch(self, *, is_on: bool) -> None:
        self._is_over |= self._is_on and not is_on
        self._is_on = is_on


def _refused(record: SessionRecord) -> set[str]:
    """The calls that a line answers with an error: the person did not agree."""
    content = record.message.get("content")
    blocks = [block for block in content if isinstance(block, OBJECT)] if isinstance(content, list) else []
    return {text_value(block.get("tool_use_id")) for block in blocks if block.get("is_error") is True}
