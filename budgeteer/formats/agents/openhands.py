"""OpenHands' events up to version 0.x: actions and observations, as its trajectories and evaluations keep them.

Certain: objects with a `source`, and either an `action` beside `args` or an `observation` beside `extras`; in feedback
that users gave, the arguments of an action stand under `extras` too, and each event has every key. What the
model said stands in an action's `tool_call_metadata.model_response`; each observation that has such data answers its
`tool_call_id`. Condensed events are left out, their summary stands in their place, as OpenHands sends them.

Source: https://github.com/All-Hands-AI/OpenHands, `events/serialization/`, `memory/conversation_memory.py` and
`memory/view.py`, 2025-11.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

from budgeteer.engine.content.conversation import ContentPart, Conversation, Message, ToolCallPart
from budgeteer.engine.content.library import compact_json
from budgeteer.formats.agents.openhands_events import (
    EventStream,
    content_of,
    event_streams,
    holds_events,
    terminal_text,
    with_summary,
)
from budgeteer.formats.messages.image_sizes import image_at
from budgeteer.formats.messages.imported import Imported, Skipped
from budgeteer.formats.messages.numbering import text_value
from budgeteer.formats.messages.recorded_requests import openai_request
from budgeteer.formats.reading.conversation_draft import ConversationDraft, texts
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.entries import mappings
from budgeteer.formats.reading.importing import require

type _Event = tuple[str, int, Mapping[str, Any]]

_UNSENT: Final = frozenset(
    {"change_agent_state", "agent_state_changed", "null", "condensation", "condensation_request", "loop_recovery",
     "loop_detection", "initialize", "start", "pause", "resume", "stop"}
)  # fmt: skip
_NO_ARGUMENTS: Final = frozenset(
    {
        "thought",
        "hidden",
        "confirmation_state",
        "is_confirmed",
        "security_risk",
        "blocking",
        "impl_source",
        "keep_prompt",
        "action_risk",
        "kernel_init_code",
    }
)
"""What OpenHands keeps with the arguments of an action and the model does not write."""


def detect(document: Document) -> str | None:
    """Why a document is a trajectory of OpenHands, None when it is not."""
    if holds_events(document, _is_event):
        return "holds events with an `action` and `args` or an `observation` and `extras`, as OpenHands does"
    return None


def _is_event(value: Mapping[str, Any]) -> bool:
    return "source" in value and _acts_or_observes(value)


def _acts_or_observes(value: Mapping[str, Any]) -> bool:
    acts = isinstance(value.get("action"), str) and any(
        isinstance(value.get(key), Mapping) for key in ("args", "extras")
    )
    observes = isinstance(value.get("observation"), str) and isinstance(value.get("extras"), Mapping)
    return acts or observes


def read(document: Document) -> Imported:
    """Read every trajectory.

    Raises:
        FormatError: no event is a message or a call.
    """
    skipped = list(document.skipped)
    streams = event_streams(document, _is_event, skipped)
    found = [_conversation(stream, at, document, skipped) for at, stream in enumerate(streams, 1)]
    chats = [chat for chat in found if chat.messages]
    require(chats, document, "OpenHands")
    return Imported("", "", "conversation", conversations=tuple(chats), skipped=tuple(skipped))


def _conversation(stream: EventStream, position: int, document: Document, skipped: list[Skipped]) -> Conversation:
    draft = ConversationDraft(document.notes, "event ")
    reader = _Reader(draft, skipped)
    told = [(place, number, _with_arguments(raw)) for place, number, raw in stream.events]
    events = told if document.options.whole else _in_view(told, draft)
    for place, number, raw in events:
        reader.read(place, number, raw)
    chat = draft.conversation(stream.given or f"c{position}", "", document.stem or f"Trajectory {position}")
    return replace(chat, tools=tuple(reader.tools))


def _with_arguments(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    """An event whose arguments stand under `extras`, as others are: without the keys of what it is not."""
    if not isinstance(raw.get("action"), str) or "args" in raw:
        return raw
    kept = {key: value for key, value in raw.items() if value is not None and key != "extras"}
    return {**kept, "args": raw.get("extras")}


def _in_view(events: Iterable[_Event], draft: ConversationDraft) -> list[_Event]:
    """The events without those that were condensed, the last summary at its place."""
    forgotten: set[Any] = set()
    last: Mapping[str, Any] | None = None
    listed: list[_Event] = []
    for event in events:
        raw, kind = event[2], _kind(event[2])
        if kind in _UNSENT:
            draft.notes.leave_line(f"{'action' if isinstance(raw.get('action'), str) else 'observation'} {kind}", raw)
        else:
            listed.append(event)
        if kind != "condensation":
            continue
        args = _inner(raw, "args")
        ids = args.get("forgotten_event_ids")
        begin, end = args.get("forgotten_events_start_id"), args.get("forgotten_events_end_id")
        if isinstance(ids, list):
            forgotten.update(each for each in ids if isinstance(each, int | str))
        elif isinstance(begin, int) and isinstance(end, int):
            before = (one.get("id") for _, _, one in listed)
            forgotten.update(given for given in before if isinstance(given, int) and begin <= given <= end)
        last = args if text_value(args.get("summary")) else last
    kept = [event for event in listed if _id(event[2]) not in forgotten]
    gone = [event[2] for event in listed if _id(event[2]) in forgotten]
    draft.notes.count("Events that OpenHands had condensed, left out", len(gone), of=gone)
    if last is None:
        return kept
    summary = {"observation": "condense", "content": last["summary"], "extras": {}}
    return with_summary(kept, last.get("summary_offset"), ("the summary", 0, summary))


def _id(raw: Mapping[str, Any]) -> Any:
    given = raw.get("id")
    return given if isinstance(given, int | str) else None


def _kind(raw: Mapping[str, Any]) -> str:
    return text_value(raw.get("action")) or text_value(raw.get("observation"))


def _inner(raw: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = raw.get(key)
    return value if isinstance(value, Mapping) else {}


class _Reader:
    """Reads events into a draft: a message for each of the model's responses, the results behind their calls."""

    def __init__(self, draft: ConversationDraft, skipped: list[Skipped]) -> None:
        self.draft = draft
        self.tools: list[Mapping[str, Any]] = []
        self._skipped = skipped
        self._responses: set[str] = set()
        self._called: dict[Any, str] = {}
        self._by_user: set[Any] = set()
        self._known: set[str] = set()

    def read(self, place: str, number: int, raw: Mapping[str, Any]) -> None:
        """Read one event; one that is neither an action nor an observation is skipped with its place."""
        kind = _kind(raw)
        if not _acts_or_observes(raw):
            self._skipped.append(Skipped(place, "neither an action nor an observation", compact_json(raw)[:500]))
        elif isinstance(raw.get("action"), str):
            self._action(number, raw, kind)
        elif kind in _UNSENT:
            self.draft.notes.leave_line(f"observation {kind}", raw)
        else:
            self._observation(number, raw, kind)

    def _action(self, number: int, raw: Mapping[str, Any], kind: str) -> None:
        args = _inner(raw, "args")
        by_user = raw.get("source") == "user"
        frame = Message("user" if by_user else "assistant", (), created=text_value(raw.get("timestamp")), line=number)
        if kind == "system":
            self.tools += [tool for tool in mappings(args.get("tools")) if "function" in tool]
            self._add(replace(frame, role="system"), content_of(args.get("content"), self.draft.notes), args)
        elif kind == "message":
            pictures = args.get("image_urls") or args.get("images_urls")
            shown = [image_at(url) for url in (pictures if isinstance(pictures, list) else []) if isinstance(url, str)]
            self._add(frame, [*content_of(args.get("content"), self.draft.notes), *shown], args)
        elif kind == "finish":
            self._finish(frame, raw, args)
        elif kind in _UNSENT or kind == "recall":
            self.draft.notes.leave_line(f"action {kind}", raw)
        elif by_user:
            self._by_user.add(_id(raw))
            command = text_value(args.get("command"))
            said = f"User executed the command:\n{command}" if kind == "run" else f"{kind}: {compact_json(args)}"
            self.draft.add(replace(frame, parts=texts(said)))
        else:
            self._call(frame, raw, kind, args)

    def _add(self, frame: Message, content: list[ContentPart], args: Mapping[str, Any]) -> None:
        message = replace(frame, parts=tuple(content))
        self.draft.check_read(message, args, ("content", "wait_for_response", "openhands_version", "agent_class"))
        self.draft.add(message)

    def _finish(self, frame: Message, raw: Mapping[str, Any], args: Mapping[str, Any]) -> None:
        """The end of a task: the thought and the text of the response, and behind them the words it ended with."""
        said = text_value(self._response(raw).get("content"))
        thought, ended = text_value(args.get("thought")), text_value(args.get("final_thought"))
        whole = "\n".join(text for text in (thought, said if said != thought else "") if text)
        if ended.strip() and ended.strip() not in whole:
            self.draft.notes.count("Final thoughts that stand in no message, read as the last reply")
        else:
            ended = ""
        parts = texts(whole, ended)
        if parts:
            self.draft.add(replace(frame, parts=parts))

    def _response(self, raw: Mapping[str, Any]) -> Mapping[str, Any]:
        """The message of the model's response behind an action."""
        response = _inner(_inner(raw, "tool_call_metadata"), "model_response")
        choices = mappings(response.get("choices"))
        return _inner(choices[0], "message") if choices else {}

    def _call(self, frame: Message, raw: Mapping[str, Any], kind: str, args: Mapping[str, Any]) -> None:
        about = _inner(raw, "tool_call_metadata")
        response = _inner(about, "model_response")
        calls = mappings(self._response(raw).get("tool_calls"))
        if not calls:
            given = text_value(about.get("tool_call_id"))
            name = text_value(about.get("function_name")) or kind
            written = {key: value for key, value in args.items() if key not in _NO_ARGUMENTS and value is not None}
            call = self.draft.calls.call(name, written, given)
            self._called[_id(raw)] = call.id
            self.draft.notes.count("Actions without the model's response, read as calls of their arguments")
            self.draft.add(replace(frame, parts=(*texts(text_value(args.get("thought"))), call)))
            return
        given = text_value(response.get("id")) or compact_json(calls)
        if given in self._responses:
            return
        self._responses.add(given)
        model = text_value(response.get("model"))
        self.draft.model = model or self.draft.model
        self.draft.record(frame.line, openai_request(response.get("usage"), model))
        made: list[ToolCallPart] = []
        for one in calls:
            function = _inner(one, "function")
            name, arguments = text_value(function.get("name")), function.get("arguments")
            made.append(self.draft.calls.call(name, arguments, text_value(one.get("id"))))
        said = content_of(self._response(raw).get("content"), self.draft.notes) if self._response(raw) else []
        self.draft.add(replace(frame, parts=(*said, *made)))

    def _observation(self, number: int, raw: Mapping[str, Any], kind: str) -> None:
        extras = _inner(raw, "extras")
        frame = Message("user", (), created=text_value(raw.get("timestamp")), line=number)
        if kind == "recall":
            self._recalled(frame, extras)
            return
        given = text_value(_inner(raw, "tool_call_metadata").get("tool_call_id"))
        cause = raw.get("cause")
        given = given or (self._called.get(cause, "") if isinstance(cause, int | str) else "")
        if not given and "cause" not in raw and "tool_call_metadata" not in raw:
            given = self._before(kind)
        content = self._content(raw, kind, extras)
        if given in self.draft.calls.waiting:
            self.draft.answer(frame, content, given, failed=kind == "error")
        elif isinstance(cause, int | str) and cause in self._by_user:
            told = "\nObserved result of command executed by user:\n"
            self.draft.add(replace(frame, parts=(*texts(told), *content)))
        else:
            message = replace(frame, parts=tuple(content))
            self.draft.check_read(message, raw, ("content", "message", "extras", "cause", "source"))
            if content:
                self.draft.add(message)

    def _before(self, kind: str) -> str:
        """The call that an observation without a cause answers: the oldest of its kind that waits, or the only one."""
        waiting = self.draft.calls.waiting
        return waiting.oldest_of(kind) or (waiting.oldest() if len(waiting) == 1 else "")

    def _content(self, raw: Mapping[str, Any], kind: str, extras: Mapping[str, Any]) -> list[ContentPart]:
        """An observation as the agent is told it."""
        text = raw.get("content")
        said = text if isinstance(text, str) else ""
        if kind == "run":
            said = terminal_text(said, extras.get("metadata"))
        elif kind == "delegate":
            said = text_value(_inner(extras, "outputs").get("content")) or said
        elif kind == "error":
            said += "\n[Error occurred in processing last action]"
        elif kind == "user_rejected":
            said = f"OBSERVATION:\n{said}\n[Last action has been rejected by the user]"
        pictures = extras.get("image_urls")
        shown = [image_at(url) for url in (pictures if isinstance(pictures, list) else []) if isinstance(url, str)]
        return [*(texts(said) if isinstance(text, str | None) else content_of(text, self.draft.notes)), *shown]

    def _recalled(self, frame: Message, extras: Mapping[str, Any]) -> None:
        """Instructions and knowledge that OpenHands put before the model; each piece of knowledge once."""
        kept = [text_value(extras.get(key)) for key in _INSTRUCTIONS]
        for piece in mappings(extras.get("microagent_knowledge")):
            name = text_value(piece.get("name"))
            if not name or name not in self._known:
                self._known.add(name)
                kept.append(text_value(piece.get("content")))
        said = "\n\n".join(text for text in kept if text)
        if said:
            self.draft.notes.count("Instructions and knowledge read without the words OpenHands puts around them")
            self.draft.add(replace(frame, parts=texts(said), typed=False))


_INSTRUCTIONS: Final = ("repo_instructions", "additional_agent_instructions", "conversation_instructions")
