"""Sessions of Kimi Code: the `wire.jsonl` of each agent, a record of its context a line.

Certain: records of the types `context.append_message` or `context.append_loop_event`, or of `metadata` and
`config.update`, which a session begins with and in which nobody may have spoken yet. A step of the model is a message,
which its parts and calls are added to as they come. What was undone or cleared is left out, and what was compacted
begins as the program goes on: with the latest prompts and the summary. In an archive or a folder a session is
`<session>/agents/main/wire.jsonl`, and its sub-agents stand beside `main`.
Source: https://github.com/MoonshotAI/kimi-code, `packages/agent-core-v2/src/agent/contextMemory` and
`packages/agent-core-v2/docs/wire-manifest.d.ts`, 2026-11.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from budgeteer.engine.content.conversation import ContentPart, Message, Part, ReasoningPart, RecordedRequest, Role
from budgeteer.engine.content.library import compact_json
from budgeteer.formats.agents.kimi import parts_of
from budgeteer.formats.messages.imported import Imported, Skipped
from budgeteer.formats.messages.numbering import text_value
from budgeteer.formats.messages.objects import OBJECT, object_under
from budgeteer.formats.messages.recorded_requests import token_count
from budgeteer.formats.reading.conversation_draft import ConversationDraft, texts
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.entries import entries_of, mappings, sampled
from budgeteer.formats.reading.importing import require
from budgeteer.formats.reading.parameter_schemas import named_tools

_MESSAGE: Final = "context.append_message"
_LOOP: Final = "context.append_loop_event"
_BEGUN: Final = frozenset({"metadata", "config.update"})
"""The types that a session begins with, before anybody speaks."""
_ROLES: Final[Mapping[str, Role]] = {role: role for role in ("system", "user", "assistant", "tool")}
_MAIN: Final = "main"
"""The agent that a person speaks with; the others of a session are its sub-agents."""
_TYPED: Final = frozenset({"", "user"})
"""The origins of a message that a person typed; commands typed after a slash are those of the next."""
_TYPED_COMMANDS: Final = frozenset({"skill_activation", "plugin_command"})


_SUMMARY: Final = "compaction_summary"
"""The origin of what a compaction put in the place of messages, behind which nothing is undone."""
_COMPACTED: Final = "Messages before the last compaction, left out"
_RESULT_FIELDS: Final = ("output", "content", "note", "type", "parentUuid", "toolCallId")


@dataclass(slots=True)
class _ContextMessage:
    """A message of the context, while parts may be added to it.

    Attributes:
        origin: what made it, "" where the record does not say.
        is_prompt: whether a person typed it.
        step: the step of the model that it is, "" for any other message.
        request: what was recorded of the step.
    """

    frame: Message
    raw: Mapping[str, Any]
    content: list[Any] = field(default_factory=list)
    calls: list[tuple[str, Any, str]] = field(default_factory=list)
    answers: str = ""
    failed: bool = False
    origin: str = ""
    is_prompt: bool = False
    step: str = ""
    request: RecordedRequest | None = None


def detect(document: Document) -> str | None:
    """Why a document is a session of Kimi Code, None when it is not."""
    kinds = {text_value(value.get("type")) for value in sampled(document)}
    if document.shape == "jsonl" and not kinds.isdisjoint((_MESSAGE, _LOOP)):
        return f"has lines of the types `{_MESSAGE}` or `{_LOOP}`, as Kimi Code writes them"
    if document.shape == "jsonl" and kinds >= _BEGUN and "protocol_version" in sampled(document)[0]:
        return "begins as a session of Kimi Code, with a `protocol_version` and `config.update`"
    return None


def read(document: Document) -> Imported:
    """Read an agent's context.

    Raises:
        FormatError: no line holds a message.
    """
    skipped = list(document.skipped)
    context = _Context(document, skipped)
    for entry in entries_of(document, skipped):
        context.read(entry.number, entry.where, entry.value)
    draft = ConversationDraft(document.notes, "line ")
    draft.model = context.model
    if context.system:
        draft.add(Message("system", texts(context.system)))
    for said in context.said:
        _add(draft, said)
    session, agent = _place(document.name)
    given = agent or session or document.stem
    chat = draft.conversation(given or "c1", "", f"Sub-agent {agent}" if agent else given or "Kimi Code")
    require([message for message in chat.messages if message.role != "system"], document, "Kimi Code")
    beside = {**({"session": session} if session else {}), **({"agent": agent} if agent else {})}
    chat = replace(chat, tools=tuple(context.tools), is_subagent=bool(agent), metadata={**chat.metadata, **beside})
    return Imported("", "", "conversation", conversations=(chat,), skipped=tuple(skipped))


def _place(path: str) -> tuple[str, str]:
    """The session that a file is of and the sub-agent in it, by the folders it lies in; "" for what they do not say."""
    *_, session, agents, agent, _file = ["", "", "", *path.replace("\\", "/").split("/")]
    if agents != "agents" or not agent:
        return "", ""
    return session or _MAIN, "" if agent == _MAIN else agent


class _Context:
    """The context of an agent, as its records make it.

    Attributes:
        said: its messages.
        system: its system text, the latest.
        tools: the definitions that were sent, the latest.
        model: the model that was asked last.
    """

    def __init__(self, document: Document, skipped: list[Skipped]) -> None:
        self.said: list[_ContextMessage] = []
        self.system = ""
        self.tools: list[Mapping[str, Any]] = []
        self.model = ""
        self._notes = document.notes
        self._whole = document.options.whole
        self._skipped = skipped
        self._steps: dict[str, _ContextMessage] = {}
        # So that neither an undo nor a compaction goes through what an earlier one left as it is: the messages begin
        # with so many summaries, and then so many prompts that were kept; and the prompts behind the last summary, by
        # their places counted from the first message there was.
        self._summaries = self._prompts = 0
        self._undoable: list[int] = []
        self._gone = 0

    def read(self, line: int, where: str, raw: Mapping[str, Any]) -> None:
        """Read a record."""
        kind = text_value(raw.get("type"))
        match kind:
            case "context.append_message":
                self._message(line, where, object_under(raw, "message"))
            case "context.append_loop_event":
                self._event(line, raw, object_under(raw, "event"))
            case "context.apply_compaction":
                self._compact(line, raw)
            case "context.clear":
                self._leave("Messages that were cleared, left out", self.said)
                self.said, self._steps, self._undoable = [], {}, []
                self._summaries = self._prompts = 0
            case "context.undo":
                self._undo(token_count(raw.get("count")))
            case "llm.tools_snapshot":
                self._take_tools(raw)
            case _:
                self.system = text_value(raw.get("systemPrompt")) or self.system
                self.model = text_value(raw.get("model")) or text_value(raw.get("modelAlias")) or self.model
                self._notes.leave_line(kind or "no type", {**raw, "systemPrompt": ""})

    def _take_tools(self, raw: Mapping[str, Any]) -> None:
        """Take the definitions that were sent from now on."""
        tools = list(named_tools(raw.get("tools")))
        self.tools = tools or self.tools
        self._notes.see(tools)
        if not tools:
            self._notes.leave_line("llm.tools_snapshot", raw)

    def _message(self, line: int, where: str, raw: Mapping[str, Any]) -> None:
        role = _ROLES.get(text_value(raw.get("role")))
        if role is None:
            self._skipped.append(Skipped(where, "no known role", compact_json(raw)[:500]))
            return
        origin = object_under(raw, "origin")
        kind = text_value(origin.get("kind"))
        typed = kind in _TYPED or (kind in _TYPED_COMMANDS and origin.get("trigger") == "user-slash")
        content = raw.get("content")
        calls = mappings(raw.get("toolCalls"))
        self.said.append(
            _ContextMessage(
                Message(role, (), line=line),
                raw,
                content if isinstance(content, list) else [content],
                [(text_value(one.get("name")), one.get("arguments"), _id(one)) for one in calls],
                text_value(raw.get("toolCallId")),
                raw.get("isError") is True,
                kind,
                role == "user" and typed,
            )
        )
        if kind == _SUMMARY:
            self._undoable = []
        elif self.said[-1].is_prompt:
            self._undoable.append(self._gone + len(self.said) - 1)

    def _event(self, line: int, record: Mapping[str, Any], raw: Mapping[str, Any]) -> None:
        """An event of the loop: of a step of the model, or the result of a call."""
        kind = text_value(raw.get("type"))
        step = self._steps.get(text_value(raw.get("stepUuid")) or text_value(raw.get("uuid")))
        if kind == "step.begin":
            step = _ContextMessage(Message("assistant", (), line=line), {}, step=text_value(raw.get("uuid")))
            self._steps[step.step] = step
            self.said.append(step)
        elif kind == "tool.result":
            result = object_under(raw, "result")
            output = result.get("output")
            content = [*(output if isinstance(output, list) else [output]), result.get("note")]
            frame = Message("tool", (), line=line)
            failed = result.get("isError") is True
            held = {**{key: value for key, value in raw.items() if key != "result"}, **result}
            self.said.append(
                _ContextMessage(frame, held, content, answers=text_value(raw.get("toolCallId")), failed=failed)
            )
        elif step is None:
            self._notes.leave_line(kind or "no type of an event", record)
        elif kind == "content.part":
            step.content.append(raw.get("part"))
        elif kind == "tool.call":
            step.calls.append((text_value(raw.get("name")), raw.get("args"), text_value(raw.get("toolCallId"))))
        elif kind == "step.end":
            step.request = self._request(object_under(raw, "usage"))

    def _request(self, usage: Mapping[str, Any]) -> RecordedRequest | None:
        came, wrote = token_count(usage.get("inputCacheRead")), token_count(usage.get("inputCacheCreation"))
        total = token_count(usage.get("inputOther")) + came + wrote
        if not total:
            return None
        return RecordedRequest(0, total, came, wrote, token_count(usage.get("output")), model=self.model)

    def _compact(self, line: int, raw: Mapping[str, Any]) -> None:
        """Begin the context anew, with the prompts that were kept and the summary."""
        held = raw.get("summary")
        summary = object_under(raw, "summary").get("content") if isinstance(held, OBJECT) else [held]
        worded = text_value(raw.get("contextSummary"))
        told = [worded] if worded else summary
        is_other = bool(worded) and not (isinstance(held, str) and held in worded)
        self._notes.count("Summaries that were sent in other words, left out", int(is_other), of=held)
        said = _ContextMessage(
            Message("user", (), line=line), raw, told if isinstance(told, list) else [told], origin=_SUMMARY
        )
        if self._whole:
            self.said.append(said)
            self._undoable = []
            return
        self._steps = {}
        if "keptUserMessageCount" in raw:
            self._keep_prompts(raw)
            self.said.append(said)
        else:
            self._keep_rest(said, token_count(raw.get("compactedCount", raw.get("count"))))

    def _keep_prompts(self, raw: Mapping[str, Any]) -> None:
        """Keep the prompts that a compaction does: the latest, and behind the first ones where those were too many."""
        start = self._summaries + self._prompts
        behind = self.said[start:]
        total = self._prompts + sum(one.is_prompt for one in behind)
        first = min(token_count(raw.get("keptHeadUserMessageCount")), total)
        stop = total - max(min(token_count(raw.get("keptUserMessageCount")) - first, total - first), 0)
        left, latest = self.said[: self._summaries], list[_ContextMessage]()
        number = self._prompts
        cut = slice(self._summaries + first, self._summaries + min(stop, self._prompts))
        left += self.said[cut]
        for one in behind:
            is_kept = one.is_prompt and not first <= number < stop
            (latest if is_kept else left).append(one)
            number += one.is_prompt
        del self.said[start:]
        del self.said[cut]
        del self.said[: self._summaries]
        self.said += latest
        self._leave(_COMPACTED, left)
        self._summaries, self._prompts, self._undoable = 0, len(self.said), []

    def _keep_rest(self, summary: _ContextMessage, count: int) -> None:
        """Keep the messages behind those that an older compaction took the place of."""
        left = self.said[:count]
        self.said[:count] = [summary]
        self._leave(_COMPACTED, left)
        self._prompts = max(self._prompts - max(len(left) - self._summaries, 0), 0)
        self._summaries = max(self._summaries - len(left), 0) + 1
        self._gone += len(left) - 1
        del self._undoable[: bisect_right(self._undoable, self._gone)]

    def _undo(self, count: int) -> None:
        """Take back so many prompts, with all that came after them."""
        if not 0 < count <= len(self._undoable):
            return
        at = self._undoable[-count] - self._gone
        self._leave("Messages that were undone, left out", self.said[at:])
        del self.said[at:], self._undoable[-count:]

    def _leave(self, what: str, said: Sequence[_ContextMessage]) -> None:
        self._notes.count(what, len(said), of=[[one.raw, one.content, list(map(list, one.calls))] for one in said])


def _add(draft: ConversationDraft, said: _ContextMessage) -> None:
    """Add a message of the context; a step of the model that says nothing is none."""
    parts: list[Part] = list(parts_of(draft, said.content))
    if said.frame.role == "tool":
        content: list[ContentPart] = [part for part in parts if not isinstance(part, ReasoningPart)]  # type: ignore[misc]
        draft.check_read(replace(said.frame, parts=tuple(parts)), said.raw, _RESULT_FIELDS)
        draft.answer(said.frame, content, said.answers, failed=said.failed)
        return
    parts += [draft.calls.call(*call) for call in said.calls]
    if said.step and not parts:
        return
    whole = replace(said.frame, parts=tuple(parts))
    draft.check_read(whole, said.raw, ("content", "toolCalls", "origin"))
    draft.record(whole.line, said.request)
    draft.add(whole)


def _id(call: Mapping[str, Any]) -> str:
    return text_value(call.get("id"))
