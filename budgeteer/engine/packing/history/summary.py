"""Summaries of left-out messages: what one is asked to hold, what it holds, and the extractive summariser.

The extractive summariser needs no network and is deterministic: the same messages and limits give the same text
(seed: token limit error, change 3).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, Literal

from budgeteer.engine.content.conversation import Message, TextPart, calls_of, message_to_json, results_of
from budgeteer.engine.content.written_messages import SUMMARY_LINE, begins_turn, is_summary
from budgeteer.engine.counting.text_boundaries import cut_at_sentence, cut_topic
from budgeteer.engine.errors import BudgeteerError

_HEADINGS: Final = ("Topics discussed:", "Key decisions:", "Important context:")
#: Shares of the room under the three headings. Source: ours.
_SHARES: Final = (0.45, 0.35, 0.20)
_BULLET = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+(?P<text>\S.*)$")
_HEADING = re.compile(r"^#{1,6}\s+(?P<text>\S.*)$")
_CONCLUSION = re.compile(
    r"\b(?:decided|decision|conclusion|in summary|therefore|we will|i will|i'll|let's|chose|chosen|fixed|resolved|"
    r"root cause|the fix|done|works now|passes|agreed)\b",
    re.IGNORECASE,
)
_PATH = re.compile(r"(?<![\w/.])(?:~|\.{1,2})?/?(?:[\w.-]+/)+[\w.-]+\.\w{1,8}\b")


@dataclass(frozen=True)
class SummaryRequest:
    """What is to be summarised: the messages in order, and the limits in characters.

    `instructions` are the user's own, for a language model; the extractive summariser reads none.
    """

    messages: tuple[Message, ...]
    max_chars: int
    topic_chars: int
    instructions: str = ""

    @cached_property
    def key(self) -> str:
        """The request's content hash: the same messages and limits, the same key."""
        digest = hashlib.sha256(f"{self.max_chars}:{self.topic_chars}:{self.instructions}".encode())
        for message in self.messages:
            digest.update(json.dumps(message_to_json(message), sort_keys=True, default=str).encode())
        return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class Summary:
    """What was written in the place of messages, and the indices of those messages.

    `kind`: "summary" stands for what they said; "previous" is one line that names what they were about; "notice" says
    how many they were. `before` is the
    index of the message it stands before; after all of them where it is as large as their number.
    """

    text: str
    covers: tuple[int, ...]
    kind: Literal["summary", "previous", "notice"] = "summary"
    before: int = 0

    @property
    def id(self) -> str:
        """Its decision's id."""
        return f"{self.kind}:history"


class SummaryPending(BudgeteerError):
    """Raised by a summariser that answers from a store and does not have this summary yet."""

    def __init__(self, request: SummaryRequest) -> None:
        self.request = request
        super().__init__("a summary is still to be written")


class SummaryFailed(BudgeteerError):
    """Raised by a summariser that cannot write one; the strategy goes on without it."""


class CountingFailed(BudgeteerError):
    """Raised where new text cannot be counted; the strategy goes on without that text."""


def summary_message(text: str) -> Message:
    """A summary as it stands in the prompt: a message in the user's name."""
    return Message("user", (TextPart(text),), id="history")


_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


def extractive_summary(request: SummaryRequest) -> str:
    """The summary of at most `max_chars`: the summary line, then topics, decisions and context as bullets.

    What no file or database holds of the messages (NUL, half of a surrogate pair) stands as the replacement character.

    Raises:
        SummaryFailed: the limit leaves no room for the summary line and one bullet.
    """
    return Extract.of(request).text(request.max_chars)


@dataclass(frozen=True, slots=True)
class Extract:
    """What an extractive summary may say: the bullets under each heading, oldest first; no limit has a part in it."""

    bullets: tuple[Sequence[str], ...]

    @classmethod
    def of(cls, request: SummaryRequest) -> Extract:
        """The bullets of a request's messages."""
        gathered = Gathered()
        gathered.add(request.messages, request.topic_chars)
        return gathered.extract()

    def text(self, max_chars: int) -> str:
        """The summary of at most so many characters.

        Raises:
            SummaryFailed: they leave no room for the summary line and one bullet, or there is nothing to say.
        """
        room = max_chars - len(SUMMARY_LINE) - 2
        if room < 60:
            raise SummaryFailed(f"{max_chars} characters leave no room for a summary")
        blocks: list[str] = []
        spare = 0
        for heading, share, bullets in zip(_HEADINGS, _SHARES, self.bullets, strict=True):
            allowed = int(room * share) + spare
            block = _block(heading, bullets, allowed)
            spare = allowed - len(block) - (2 if block else 0)
            if block:
                blocks.append(block)
        if not blocks:
            raise SummaryFailed("the messages hold no text to summarise")
        return storable(f"{SUMMARY_LINE}\n\n" + "\n\n".join(blocks))


def storable(text: str) -> str:
    """The text with the replacement character for what no file or database holds (NUL, half of a surrogate pair)."""
    return _UNSTORABLE.sub("\N{REPLACEMENT CHARACTER}", text)


def _block(heading: str, bullets: Sequence[str], allowed_chars: int) -> str:
    """The heading and the newest bullets that fit, in their order; "" when none does. Leaves room for a join."""
    left = allowed_chars - len(heading) - 2
    taken: list[str] = []
    for bullet in reversed(bullets):
        line = f"\n- {bullet}"
        if len(line) > left:
            break
        taken.append(line)
        left -= len(line)
    note = _more(len(bullets) - len(taken))
    while taken and len(note) > left:
        left += len(taken.pop())
        note = _more(len(bullets) - len(taken))
    return heading + note + "".join(reversed(taken)) if taken else ""


def _more(count: int) -> str:
    return f"\n- ({count} more before these)" if count else ""


@dataclass(slots=True)
class Gathered:
    """What is gathered of messages as they come: the topics, decisions and context of an extractive summary."""

    topics: list[str] = field(default_factory=list)
    decisions: dict[str, None] = field(default_factory=dict)
    paths: Counter[str] = field(default_factory=Counter)
    tools: Counter[str] = field(default_factory=Counter)
    errors: int = 0

    def add(self, messages: Sequence[Message], topic_chars: int) -> None:
        """Read further messages."""
        for message in messages:
            text = plain_text(message)
            if is_summary(message):
                self._recall(text)
                continue
            self.topics += _topics(message, text, topic_chars)
            self.decisions.update(dict.fromkeys(filter(None, _decisions(message, text))))
            self.paths.update(_PATH.findall(text))
            for call in calls_of(message):
                self.tools[call.name] += 1
                self.paths.update(_PATH.findall(call.arguments))
            self.errors += sum(result.is_error for result in results_of(message))

    def _recall(self, text: str) -> None:
        """Take over what an earlier extractive summary says was discussed and decided."""
        heading = ""
        for line in text.splitlines():
            if line in _HEADINGS:
                heading = line
            elif bullet := _BULLET.match(line):
                if heading == _HEADINGS[0]:
                    self.topics.append(bullet["text"])
                elif heading == _HEADINGS[1]:
                    self.decisions[bullet["text"]] = None

    def extract(self) -> Extract:
        """The bullets so far."""
        return Extract((tuple(self.topics), tuple(self.decisions), tuple(self._context())))

    def _context(self) -> Iterator[str]:
        if self.errors:
            yield f"{self.errors} tool calls failed"
        if self.tools:
            yield "Tools used: " + ", ".join(f"{name} ({count})" for name, count in self.tools.most_common(8))
        named = [path for path, _ in self.paths.most_common(8)]
        if named:
            yield "Files: " + ", ".join(sorted(named))


def _topics(message: Message, text: str, topic_chars: int) -> Iterator[str]:
    if begins_turn(message):
        topic = cut_topic(" ".join(text.split()), topic_chars)
        if topic:
            yield topic


def _decisions(message: Message, text: str) -> Iterator[str]:
    if message.role != "assistant":
        return
    for line in text.splitlines():
        match = _BULLET.match(line) or _HEADING.match(line)
        if match:
            yield cut_at_sentence(" ".join(match["text"].split()), 120)
        elif _CONCLUSION.search(line):
            yield cut_at_sentence(" ".join(line.split()), 160)


def plain_text(message: Message) -> str:
    """What a message says in words, its text parts joined by line ends."""
    return "\n".join(part.text for part in message.parts if isinstance(part, TextPart))
