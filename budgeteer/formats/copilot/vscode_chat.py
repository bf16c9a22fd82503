"""GitHub Copilot Chat of VS Code: what "Export Chat" writes, and the sessions it stores (JSON, or JSONL of changes).

Certain: `requests` of objects with a `message` and a `response`, or lines of changes (`kind`, `v`, and `k` for the
place). What went to and came from the model stands in `result.metadata` (rounds of replies, calls and their results)
where the session kept it; else the parts of the `response` that were shown are read, which hold no arguments and seldom
results. Source: https://github.com/microsoft/vscode, `chatModel.ts` and `chatService.ts`, 2026-11.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from budgeteer.engine.content.conversation import (
    Conversation,
    FilePart,
    Message,
    OpaquePart,
    Part,
    ReasoningPart,
    TextPart,
    ToolResultPart,
)
from budgeteer.engine.content.library import compact_json
from budgeteer.formats.messages.imported import Imported, Skipped
from budgeteer.formats.messages.numbering import text_value
from budgeteer.formats.messages.recorded_requests import token_count
from budgeteer.formats.messages.reply_steps import ReplySteps
from budgeteer.formats.reading.bounds import iso_time
from budgeteer.formats.reading.conversation_draft import ConversationDraft, texts
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.entries import Entry, entries_of, mappings, mostly, numbered_mappings, sampled
from budgeteer.formats.reading.importing import imported_from

_CALLS: Final = frozenset({"toolInvocationSerialized", "toolInvocation"})
_OF_SUB_AGENTS: Final = ("fromSubAgent", "subAgentInvocationId")
"""What a call that was shown has where a sub-agent made it."""
_WORDS: Final = frozenset({"", "markdownContent", "markdownVuln", "text"})
_KEPT: Final = frozenset({"textEditGroup", "notebookEditGroup"})
"""Parts of a response that hold what the model wrote, in the editor's own form."""


def detect(document: Document) -> str | None:
    """Why a document is a chat of VS Code, None when it is not."""
    if document.shape == "jsonl" and mostly(document, _is_change):
        first = sampled(document)[0].get("v")
        if isinstance(first, Mapping) and "requests" in first:
            return "has lines of changes to a session with `requests`, as VS Code stores chats"
    if mostly(document, lambda value: any(map(_is_request, mappings(value.get("requests"))[:5]))):
        return "holds `requests` with a `message` and a `response`, as VS Code exports chats"
    return None


def _is_change(value: Mapping[str, Any]) -> bool:
    return isinstance(value.get("kind"), int) and ("v" in value or "k" in value)


def _is_request(raw: Mapping[str, Any]) -> bool:
    message = raw.get("message")
    return isinstance(message, Mapping | str) and "response" in raw and ("requestId" in raw or "agent" in raw)


def read(document: Document) -> Imported:
    """Read every session of a document.

    Raises:
        FormatError: no session holds a message.
    """
    found: list[Entry] = []
    skipped: list[Skipped] = []
    if document.shape == "jsonl" and mostly(document, _is_change):
        found.append(Entry(1, "the session", _replayed(document, skipped)))
    else:
        found += entries_of(document, skipped)
    done = imported_from(found, _conversation, document, "VS Code chat")
    return replace(done, skipped=(*done.skipped, *skipped))


def _replayed(document: Document, skipped: list[Skipped]) -> Mapping[str, Any]:
    """The session that the changes make: 0 the whole of it, 1 a value set, 2 values added to a list, 3 one removed."""
    held: dict[str, Any] = {"": {}}
    for line in document.lines:
        value = line.value
        place = value.get("k")
        path = ["", *place] if isinstance(place, list) else [""]
        if not _change(held, path, value):
            why = "a change of a place that is not there"
            skipped.append(Skipped(f"line {line.number}", why, compact_json(value)[:500]))
    session = held[""]
    return session if isinstance(session, Mapping) else {}


def _change(held: Any, path: Sequence[Any], change: Mapping[str, Any]) -> bool:
    """Make one change; False where its place is not there."""
    at = held
    for step in path[:-1]:
        at = _step(at, step)
        if at is None:
            return False
    last, kind, value = path[-1], change.get("kind"), change.get("v")
    inside = at.get(last) if isinstance(at, dict) and isinstance(last, str) else _step(at, last)
    if kind == 2:
        if inside is None and isinstance(at, dict) and isinstance(last, str):
            inside = at.setdefault(last, [])
        begin = change.get("i")
        if not isinstance(inside, list):
            return False
        if isinstance(begin, int) and not isinstance(begin, bool) and 0 <= begin < len(inside):
            del inside[begin:]
        inside += value if isinstance(value, list) else []
        return True
    if isinstance(at, dict) and isinstance(last, str):
        if kind == 3:
            at.pop(last, None)
        else:
            at[last] = value
        return True
    if isinstance(at, list) and isinstance(last, int) and not isinstance(last, bool) and 0 <= last <= len(at):
        at[last : last + 1] = [] if kind == 3 else [value]
        return True
    return False


def _step(at: Any, step: Any) -> Any:
    if isinstance(at, dict) and isinstance(step, str):
        return at.get(step)
    fits = isinstance(at, list) and isinstance(step, int) and not isinstance(step, bool) and 0 <= step < len(at)
    return at[step] if fits else None


def _conversation(entry: Entry, position: int, document: Document, skipped: list[Skipped]) -> Conversation:
    value = entry.value
    draft = ConversationDraft(document.notes, f"{entry.where}, request ")
    reported = 0
    is_first = True
    for number, raw in numbered_mappings(value.get("requests"), f"{entry.where}, request ", skipped):
        metadata = _metadata(raw)
        draft.model = _model(raw, metadata) or draft.model
        reported = token_count(metadata.get("promptTokens")) or reported
        _surroundings(draft, number, metadata, is_first=is_first)
        is_first = False
        _ask(draft, number, raw, metadata)
        _reply(draft, number, raw, metadata)
    title = text_value(value.get("customTitle"))
    given = text_value(value.get("sessionId"))
    chat = draft.conversation(given or f"c{position}", title, document.stem or f"Chat {position}")
    return replace(chat, reported_input_tokens=reported or None)


def _metadata(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    result = raw.get("result")
    held = result.get("metadata") if isinstance(result, Mapping) else None
    return held if isinstance(held, Mapping) else result if isinstance(result, Mapping) else {}


def _model(raw: Mapping[str, Any], metadata: Mapping[str, Any]) -> str:
    named = text_value(metadata.get("resolvedModel")) or text_value(raw.get("modelId"))
    return named.rpartition("/")[2]


def _ask(draft: ConversationDraft, number: int, raw: Mapping[str, Any], metadata: Mapping[str, Any]) -> None:
    """The prompt as it was rendered for the model; where that was not kept, as it was typed, with its attachments."""
    draft.calls.user_speaks()
    message = raw.get("message")
    typed = text_value(message.get("text")) if isinstance(message, Mapping) else text_value(message)
    if not typed and isinstance(message, Mapping):
        typed = "".join(text_value(part.get("text")) for part in mappings(message.get("parts")))
    rendered = [text_value(part.get("text")) for part in mappings(metadata.get("renderedUserMessage"))]
    parts: list[Part] = [*texts(*rendered)]
    if parts:
        draft.notes.count("Prompts read as they were rendered for the model, with what was attached")
    else:
        given = raw.get("variableData")
        attached = mappings(given.get("variables")) if isinstance(given, Mapping) else []
        parts = [*map(_attached, attached), *texts(typed)]
    made = raw.get("timestamp")
    known = isinstance(made, int | float) and not isinstance(made, bool)
    created = iso_time(made / 1_000) if known and made is not None else ""
    said = Message("user", tuple(parts), text_value(raw.get("requestId")), created=created, line=number)
    draft.check_read(said, raw, ("message", "response", "agent", "result", "variableData", "modelId", "responseId"))
    draft.add(said)


def _surroundings(draft: ConversationDraft, number: int, metadata: Mapping[str, Any], *, is_first: bool) -> None:
    """What was rendered of the surroundings of a chat, which is sent ahead of its first prompt and kept with that."""
    given = [text_value(part.get("text")) for part in mappings(metadata.get("renderedGlobalContext"))]
    told = texts(*given)
    if told and is_first:
        draft.notes.count("Surroundings that were rendered for the model, put before the first prompt")
        draft.add(Message("user", told, typed=False, line=number))
    elif told:
        draft.notes.count("Surroundings that a later prompt keeps, sent ahead of the first alone, left out", of=given)


def _attached(variable: Mapping[str, Any]) -> Part:
    value = variable.get("value")
    return TextPart(value) if isinstance(value, str) and value else FilePart(variable, text_value(variable.get("name")))


def _reply(draft: ConversationDraft, number: int, raw: Mapping[str, Any], metadata: Mapping[str, Any]) -> None:
    frame = Message("assistant", (), text_value(raw.get("responseId")), line=number)
    steps = ReplySteps(frame)
    rounds = mappings(metadata.get("toolCallRounds"))
    shown = raw.get("response")
    parts = shown if isinstance(shown, list) else [shown]
    if rounds:
        for each in rounds:
            _round(draft, each, metadata.get("toolCallResults"), steps)
        inner = [part for part in parts if isinstance(part, Mapping) and any(map(part.get, _OF_SUB_AGENTS))]
        draft.notes.count("Calls of sub-agents that were shown, which this model was not sent, left out", len(inner))
        shared = len(parts) - len(inner)
        draft.notes.count("Parts that were shown of replies, which the rounds beside them hold too", shared)
    else:
        for part in _joined(parts):
            _shown(draft, part, steps)
    said = steps.messages()
    draft.notes.count("Requests without a reply", int(not said))
    draft.add_all(said)


def _round(draft: ConversationDraft, each: Mapping[str, Any], results: Any, steps: ReplySteps) -> None:
    """One reply of the model: its thought, its words, its calls, and what they returned."""
    steps.end()
    thinking = each.get("thinking")
    thought = thinking.get("text") if isinstance(thinking, Mapping) else thinking
    words = "\n".join(map(text_value, thought)) if isinstance(thought, list) else text_value(thought)
    if words:
        steps.say(ReasoningPart(words))
    for text in texts(text_value(each.get("response"))):
        steps.say(text)
    for called in mappings(each.get("toolCalls")):
        given = text_value(called.get("id"))
        call = draft.calls.call(text_value(called.get("name")), called.get("arguments"), given)
        held = results.get(given) if isinstance(results, Mapping) else None
        steps.call(call)
        if isinstance(held, Mapping):
            draft.calls.answer(given=call.id)
            result = ToolResultPart(call.id, tuple(_result(held.get("content"))))
            steps.answer(draft.checked(result, held, "content"))


def _result(content: Any) -> Iterator[TextPart | OpaquePart]:
    """The texts of a result; what is rendered from a tree of nodes is read in the order of its texts."""
    for item in content if isinstance(content, list) else [content]:
        value = item.get("value") if isinstance(item, Mapping) else item
        if isinstance(value, str):
            yield from texts(value)
        elif isinstance(value, Mapping) and "node" in value:
            yield from texts("".join(_node_texts(value["node"])))
        elif isinstance(item, Mapping):
            yield OpaquePart(text_value(item.get("kind")) or "data", item, "vscode-chat")


def _node_texts(node: Any) -> Iterator[str]:
    """The texts of a rendered tree, and the line breaks before them."""
    waiting = [node]
    while waiting:
        at = waiting.pop()
        if not isinstance(at, Mapping):
            continue
        if isinstance(at.get("text"), str):
            yield ("\n" if at.get("lineBreakBefore") is True else "") + at["text"]
        children = at.get("children")
        waiting += reversed(children) if isinstance(children, list) else []


def _joined(parts: Sequence[Any]) -> Iterator[Any]:
    """The parts, words that follow each other as one text, with the names of what they refer to in their place."""
    words = ""
    for part in parts:
        kind = text_value(part.get("kind")) if isinstance(part, Mapping) else ""
        if isinstance(part, str) or (isinstance(part, Mapping) and kind in _WORDS):
            words += part if isinstance(part, str) else _text_of(part)
        elif kind == "inlineReference":
            words += f"`{_name_of(part.get('inlineReference'), text_value(part.get('name')))}`"
        else:
            yield from [words] if words else ()
            words = ""
            yield part
    if words:
        yield words


def _text_of(part: Mapping[str, Any]) -> str:
    for key in ("value", "content"):
        inner = part.get(key)
        text = inner if isinstance(inner, str) else text_value(inner.get("value")) if isinstance(inner, Mapping) else ""
        if text:
            return text
    return ""


def _name_of(reference: Any, name: str) -> str:
    held = reference if isinstance(reference, Mapping) else {}
    inner = held.get("uri") or held.get("location")
    path = text_value(held.get("path")) or (text_value(inner.get("path")) if isinstance(inner, Mapping) else "")
    return name or text_value(held.get("name")) or path.rpartition("/")[2] or "?"


def _shown(draft: ConversationDraft, part: Any, steps: ReplySteps) -> None:
    kind = text_value(part.get("kind")) if isinstance(part, Mapping) else ""
    if isinstance(part, str):
        steps.say(TextPart(part))
    elif not isinstance(part, Mapping):
        draft.notes.count("Parts of replies that hold nothing", int(part is not None))
    elif kind == "thinking":
        value = part.get("value")
        text = "".join(map(text_value, value)) if isinstance(value, list) else text_value(value)
        if text:
            steps.say(ReasoningPart(text))
    elif kind in _CALLS:
        _called(draft, part, steps)
    elif kind in _KEPT:
        steps.say(OpaquePart(kind, part, "vscode-chat"))
    else:
        draft.notes.leave_line(f"response part {kind[:40]}", part)


def _called(draft: ConversationDraft, part: Mapping[str, Any], steps: ReplySteps) -> None:
    """A call as it was shown: its input and output where they were kept, which is seldom."""
    details = part.get("resultDetails")
    held = details if isinstance(details, Mapping) else {}
    specific = part.get("toolSpecificData")
    given, shown = _specific(specific if isinstance(specific, Mapping) else {})
    given = text_value(held.get("input")) or given
    call_id = text_value(part.get("toolCallId"))
    call = draft.calls.call(text_value(part.get("toolId")), given, call_id, has_result=True)
    draft.notes.count("Calls whose arguments the file leaves out, kept without them", int(given is None))
    steps.call(call)
    output = held.get("output")
    output = shown if output is None else output
    if output is None:
        draft.notes.count("Calls whose results the file leaves out")
        return
    draft.calls.answer(given=call.id)
    items = output if isinstance(output, list) else [output]
    said = [item if isinstance(item, str) else text_value(item.get("value")) for item in items if _may_say(item)]
    steps.answer(ToolResultPart(call.id, texts(*said), held.get("isError") is True))


def _may_say(item: Any) -> bool:
    """Whether an entry of an output is a text, or an object that may hold one."""
    return isinstance(item, str | Mapping) and bool(item)


def _specific(held: Mapping[str, Any]) -> tuple[Any, str | None]:
    """The arguments and the result that `toolSpecificData` holds by its kind, None for what it leaves out.

    A terminal keeps the command as the model wrote it (`original`), as the tool changed it, and what the screen showed.
    """
    match held.get("kind"):
        case "terminal":
            line, output = held.get("commandLine"), held.get("terminalCommandOutput")
            command = line.get("original") if isinstance(line, Mapping) else held.get("command")
            said = output.get("text") if isinstance(output, Mapping) else None
            return {"command": command} if text_value(command) else None, _text_or_none(said)
        case "simpleToolInvocation":
            return text_value(held.get("input")) or None, _text_or_none(held.get("output"))
        case "input":
            return held.get("rawInput"), None
        case "todoList":
            return {"todoList": held.get("todoList")}, None
        case "subagent":
            asked = {key: held[key] for key in ("agentName", "description", "prompt") if held.get(key)}
            return asked or None, _text_or_none(held.get("result"))
        case "resources":
            return None, "\n".join(text_value(each.get("path")) for each in mappings(held.get("values"))) or None
    return None, None


def _text_or_none(value: Any) -> str | None:
    return value if isinstance(value, str) else None
