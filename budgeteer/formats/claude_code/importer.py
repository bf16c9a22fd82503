"""Claude Code sessions: a tree of lines; the main branch after the last compaction is what the model saw."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from budgeteer.engine.content.conversation import WITHOUT_TEXTS, Conversation, Message, RecordedRequest
from budgeteer.engine.errors import FormatError
from budgeteer.formats.claude_code.session_lines import SessionRecord, message_of_talk, records_of
from budgeteer.formats.claude_code.session_messages import build_messages
from budgeteer.formats.claude_code.session_tree import SessionBranch, SessionTree
from budgeteer.formats.claude_code.unwritten_attachments import Attached, RunAttachments, with_attachments
from budgeteer.formats.messages.branches import with_branches
from budgeteer.formats.messages.imported import Imported
from budgeteer.formats.messages.numbering import (
    Compactions,
    Notes,
    listed_counts,
    note_compactions,
    note_opaque,
    short_line,
    text_value,
    title_of,
)
from budgeteer.formats.messages.progress import ProgressHeartbeat
from budgeteer.formats.messages.recorded_requests import placed_requests
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.json_text import JsonLine
from budgeteer.formats.reading.lazy_jsonl import telling

_OWN_TYPES = frozenset(
    {"summary", "file-history-snapshot", "queue-operation", "custom-title", "last-prompt", "pr-link", "progress"}
)
#: Before what an id is of: Anthropic's replies have `msg`, from Amazon's and Google's servers as well.
_ID_PREFIX = re.compile(r"([A-Za-z]{2,16})[_-]")
_REPLY_PREFIX = "msg"
_BEGINNING = frozenset({"type", "sessionId", "cwd", "version"})
"""What the first line of a copied session has, whose other lines are messages alone."""
_OWN_KEYS = frozenset({"parentUuid", "sessionId", "leafUuid", "messageId", "isSidechain", "uuid"})


def detect(document: Document) -> str | None:
    """Why a document is a Claude Code session, None when it is not."""
    every = session_lines(document)
    lines = telling(every)
    if lines is not every and any(_is_talk(line.value) for line in lines):
        return "has `user` and `assistant` lines with the `uuid`, `parentUuid` or `sessionId` of Claude Code"
    talk = sum(1 for line in lines if _is_talk(line.value))
    if talk:
        return f"has {talk:,} `user` and `assistant` lines with the `uuid`, `parentUuid` or `sessionId` of Claude Code"
    own = [line.value for line in lines if _is_own(line.value)]
    bare = sum(map(_is_bare_talk, (line.value for line in lines))) if own else 0
    if own and (len(own) + bare) * 2 >= len(lines):
        return f"has lines of the type `{text_value(own[0].get('type'))}`, which Claude Code writes"
    return None


def _is_own(value: Mapping[str, Any]) -> bool:
    """Whether a line tells of a session without being said: of Claude Code's types, or with all it says of each."""
    if text_value(value.get("type")) in _OWN_TYPES:
        return not _OWN_KEYS.isdisjoint(value)
    return value.keys() >= _BEGINNING and "message" not in value


def session_lines(document: Document) -> Sequence[JsonLine]:
    """The lines of a session, also when it has one line only, stands in a JSON array or under `loglines`."""
    if document.shape == "jsonl":
        return document.lines
    value = document.value
    if isinstance(value, Mapping) and isinstance(value.get("loglines"), list):
        value = value["loglines"]
    if isinstance(value, Mapping):
        return (JsonLine(1, value),)
    if isinstance(value, list):
        return tuple(JsonLine(number, item) for number, item in enumerate(value, 1) if isinstance(item, Mapping))
    return ()


def _is_talk(value: Mapping[str, Any]) -> bool:
    message = value.get("message")
    if value.get("type") not in ("user", "assistant"):
        return False
    if message is None or isinstance(message, str | list):
        return bool(message_of_talk(value))
    if not isinstance(message, Mapping):
        return False
    if _OWN_KEYS.isdisjoint(value):
        return False
    streamed = {"session_id", "parent_tool_use_id"} & value.keys() and not {"parentUuid", "sessionId"} & value.keys()
    return not streamed and not ("parts" in message and "content" not in message)


def _is_bare_talk(value: Mapping[str, Any]) -> bool:
    """Whether a line is a message of the role that is its type, if it has one, without any id, as cut fixtures have."""
    message = value.get("message")
    if not isinstance(message, Mapping) or message.get("role") not in ("user", "assistant"):
        return False
    return text_value(value.get("type")) in ("", message["role"])


def read(document: Document) -> Imported:
    """Read a session and the runs of its sub-agents.

    Raises:
        FormatError: the file holds no message.
    """
    skipped = list(document.skipped)
    notes = document.notes
    records = records_of(session_lines(document), notes, skipped)
    conversations: list[Conversation] = []
    main = [record for record in records if not record.sidechain]
    if any(record.is_message for record in main):
        given = [record.raw for record in records if record.kind in ("custom-title", "summary")]
        conversations.extend(_run(main, document, given))
    for agent, run in _agents(records, notes.telling).items():
        conversations.extend(_run(run, document, (), agent))
    if not conversations:
        raise FormatError(
            f"This Claude Code file holds no message, only {listed_counts(notes.other_lines) or 'unreadable lines'}",
            where=document.name,
            mend="Choose a session file with `user` and `assistant` lines",
        )
    return Imported(
        format="",
        reason="",
        kind="conversation",
        conversations=tuple(conversations),
        skipped=tuple(skipped),
    )


def _run(
    run: list[SessionRecord], document: Document, titles: Sequence[Mapping[str, Any]], agent: str = ""
) -> tuple[Conversation, ...]:
    """The main branch of a session or of a sub-agent's run, and its other branches."""
    notes = document.notes
    tree = SessionTree(run, whole=document.options.whole, telling=notes.telling)
    branch = tree.main()
    context = _RunContext(document, titles, agent, RunAttachments(run))
    main = _conversation(branch, context, notes)
    _say_branch(branch, main.title, document)
    notes.count("Lines whose parent is not in the file, read after the line before them", tree.dangling)
    read = {record.number for record in branch.records}

    def other(leaf: int) -> Conversation:
        found = tree.branch(leaf)
        read.update(record.number for record in found.records)
        return _conversation(found, context, notes.fresh())

    chats = with_branches(main, map(other, tree.others), notes, total=len(tree.others))
    notes.leave_entries(record.number for record in run if record.number not in read)
    return chats


@dataclass(frozen=True, slots=True)
class _RunContext:
    """What the branches of one run share: the file, the titles that it gives, the sub-agent, what was attached."""

    document: Document
    titles: Sequence[Mapping[str, Any]]
    agent: str
    attachments: RunAttachments


def _conversation(branch: SessionBranch, run: _RunContext, notes: Notes) -> Conversation:
    document, agent = run.document, run.agent
    attached = run.attachments.by_reply(branch.entire)
    records, unwritten = with_attachments(branch.records, attached)
    notes.count("Task lists and queued prompts that the model was sent and no line was written for", unwritten)
    messages = build_messages(records, notes)
    note_opaque(messages, notes)
    recorded = _recorded(branch, messages, attached)
    session = next((session for record in reversed(branch.records) if (session := record.context.session)), "")
    metadata = _metadata(branch, whole=document.options.whole)
    if any(record.is_inner for record in branch.records):
        metadata[WITHOUT_TEXTS] = True
    if agent:
        title, metadata = title_of(messages, f"Sub-agent {agent}"), {**metadata, "agent": agent, "session": session}
    else:
        title = _given_title(run.titles, branch) or _first_prompt(branch, document.stem or "Session")
    return Conversation(
        id=f"agent-{agent}" if agent else session or "c1",
        title=title,
        messages=messages,
        model=_model(branch.records),
        reported_input_tokens=recorded[-1].input_tokens if recorded else None,
        recorded=recorded,
        is_subagent=bool(agent),
        metadata=metadata,
    )


def _metadata(branch: SessionBranch, *, whole: bool) -> dict[str, Any]:
    """What the interface tells about a session: its compactions."""
    return {
        "source": "claude-code",
        "whole": whole,
        "compactions": branch.compactions,
        "messagesBeforeCompaction": branch.before_compaction,
    }


def _first_prompt(branch: SessionBranch, fallback: str) -> str:
    """The beginning of what the user typed first, also before a compaction; no more lines are read than that takes."""
    prompts = (record for record in branch.entire if record.kind == "user")
    said = (message for record in prompts for message in build_messages([record], Notes()))
    return title_of((message for message in said if message.typed), fallback)


def _say_branch(branch: SessionBranch, title: str, document: Document) -> None:
    notes = document.notes
    made = Compactions(branch.compactions, branch.before_compaction, "message line")
    note_compactions(notes, title, made, whole=document.options.whole)
    if branch.kept:
        notes.say(f"The last compaction of “{title}” kept messages as they were; they stand behind its summary")


def _agents(records: Sequence[SessionRecord], telling: ProgressHeartbeat) -> dict[str, list[SessionRecord]]:
    """The records of each sub-agent's run, by agent id; runs without an id are told apart by their root."""
    run_of: dict[str, str] = {}
    runs: dict[str, list[SessionRecord]] = {}
    for record in telling.over(records):
        if record.sidechain:
            agent = record.context.agent or run_of.get(record.parent) or record.uuid or "sidechain"
            if record.uuid:
                run_of[record.uuid] = agent
            runs.setdefault(agent, []).append(record)
    return {agent: run for agent, run in runs.items() if any(record.is_message for record in run)}


def _given_title(titles: Sequence[Mapping[str, Any]], branch: SessionBranch) -> str:
    """The title a person gave, else the summary of this very branch, else ""."""
    on_branch = {record.uuid for record in branch.records}
    summary = ""
    for value in reversed(titles):
        if value.get("type") == "custom-title" and text_value(value.get("customTitle")):
            return short_line(value["customTitle"])
        if value.get("type") == "summary" and text_value(value.get("leafUuid")) in on_branch and not summary:
            summary = short_line(text_value(value.get("summary")))
    return summary


def _model(records: Sequence[SessionRecord]) -> str:
    for record in reversed(records):
        model = record.context.model
        if model and not model.startswith("<"):
            return model
    return ""


def _recorded(
    branch: SessionBranch, messages: Sequence[Message], attached: Mapping[str, Attached]
) -> tuple[RecordedRequest, ...]:
    """What the API reported of each request whose reply is in the branch; the lines of one reply repeat it.

    Replies that the last compaction kept are left out: they answered requests that held what it took away.
    """
    found: dict[str, tuple[int, RecordedRequest]] = {}
    for record in branch.records:
        if record.reported is not None and record.number not in branch.kept:
            reply = record.message_id or str(record.number)
            first, _ = found.get(reply, (record.number, None))
            beside = attached.get(reply, Attached())
            prefix = _ID_PREFIX.match(record.message_id)
            other = prefix is not None and prefix[1] != _REPLY_PREFIX
            found[reply] = (
                first,
                replace(
                    record.reported,
                    unwritten_tokens=beside.tokens,
                    other_server=other,
                    files_unread=beside.files,
                ),
            )
    return placed_requests(found.values(), messages)
