"""The roles of messages: those that are known, and as what messages of other speakers are read.

Several agents speak under names of their own (`planner`, `critic`), which no provider takes as a role. A word for a
speaker (`customer`, `environment`) means what it means in mappings; what the environment says while no call waits is
what the agent was told, a user message. Others are read as the assistant's where somebody is known as the person; else
who speaks first of them is the person, as in data sets whose speakers have names that say nothing. The name is kept,
and the report says which role was read as which.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, Final

from budgeteer.engine.content.conversation import Role
from budgeteer.formats.messages.numbering import Notes, short_line, text_value
from budgeteer.formats.messages.objects import OBJECT
from budgeteer.formats.messages.speakers import role_meant
from budgeteer.formats.reading.envelopes.chat_messages import speaker_of
from budgeteer.formats.reading.lazy_jsonl import read_now

ROLE_OF: Final[Mapping[str, Role]] = {
    "system": "system",
    "developer": "developer",
    **dict.fromkeys(("user", "human", "prompter", "usermessage"), "user"),
    **dict.fromkeys(("assistant", "ai", "bot", "agent", "chatbot", "model", "apimessage"), "assistant"),
    "tool": "tool",
    "function": "tool",
}
"""By the role in small letters: OpenAI's, and those of OpenAssistant, Flowise, agents on the telephone and others."""
_SAID: Final = ("content", "text", "message", "tool_calls", "function_call")
_LOOKED_AT: Final = 200
"""The first messages, which say who is the person."""
_COUNTED: Final = 40
"""Counts of the report up to which a role is counted by its name."""
_SHOWN: Final = 40
_NO_NAME: Final = re.compile(r"[^A-Za-z0-9_-]+")
_LONGEST_NAME: Final = 64
"""What a name may be made of, and its characters. Source: `name` of a message in OpenAI's API reference, 2026-11."""
_WHOSE: Final[Mapping[Role, str]] = {
    "user": "the user's",
    "assistant": "the assistant's",
    "tool": "a tool's",
    "system": "the system's",
    "developer": "the developer's",
}


def known_role(given: str) -> Role | None:
    """The role of that name, None where none is known."""
    return ROLE_OF.get(given) or ROLE_OF.get(given.lower())


def name_of(role: str) -> str:
    """A role that is not known as a name that providers take."""
    return _NO_NAME.sub("_", role).strip("_")[:_LONGEST_NAME]


def see_speaker(speaker: str, notes: Notes) -> None:
    """Take a speaker for told by a message's role or name; one too long for a name is counted as left out."""
    if len(speaker) > _LONGEST_NAME:
        notes.count("Names of speakers that are too long, kept by their beginnings", of=speaker)
    else:
        notes.see(speaker)


class OtherRoles:
    """The speakers of one list of messages whose roles are not known."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self._person: str | None = None

    def role_of(self, raw: Any, given: Sequence[tuple[int, Any]], *, waits: bool) -> Role | None:
        """As what a message of no known role is read, counted; None of one without a speaker, or that says nothing.

        Args:
            raw: the message.
            given: the list that it stands in, with numbers.
            waits: whether a call waits for its result.
        """
        speaker = speaker_of(raw) if isinstance(raw, OBJECT) else ""
        if not speaker.strip() or not any(raw.get(key) for key in _SAID):
            return None
        role = self._role(speaker, raw, given)
        if role == "tool" and not waits and not text_value(raw.get("tool_call_id")):
            role = "user"
        see_speaker(speaker, self._notes)
        what = f"Messages of the role `{short_line(speaker)[:_SHOWN]}`, read as {_WHOSE[role]}"
        is_counted = what in self._notes.counts or len(self._notes.counts) < _COUNTED
        self._notes.count(what if is_counted else f"Messages of more roles that are not known, read as {_WHOSE[role]}")
        return role

    def _role(self, speaker: str, raw: Mapping[str, Any], given: Sequence[tuple[int, Any]]) -> Role:
        if text_value(raw.get("tool_call_id")):
            return "tool"
        if raw.get("tool_calls") or raw.get("function_call"):
            return "assistant"
        if (meant := role_meant(speaker)) is not None:
            return meant
        if self._person is None:
            self._person = _person_of(given)
        return "user" if speaker == self._person else "assistant"


def _person_of(given: Sequence[tuple[int, Any]]) -> str:
    """Who of the first messages, if nobody is known as the user, speaks first of those who are not known; else ""."""
    rows = (read_now(raw) for _, raw in islice(given, _LOOKED_AT))
    speakers = [speaker for raw in rows if isinstance(raw, OBJECT) and (speaker := speaker_of(raw)).strip()]
    meant = {speaker: known_role(speaker) or role_meant(speaker) for speaker in speakers}
    return "" if "user" in meant.values() else next((speaker for speaker, role in meant.items() if role is None), "")
