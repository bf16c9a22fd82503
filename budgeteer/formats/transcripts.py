"""Archives and folders of transcripts: each file read by its own format, their conversations one list."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from budgeteer.engine.chat import Conversation
from budgeteer.engine.errors import FormatError
from budgeteer.formats import (
    adk,
    adk_evals,
    anthropic_messages,
    bfcl,
    chatgpt_export,
    claude_code,
    codex,
    copilot_cli,
    gemini,
    gemini_cli,
    langchain,
    llama_factory,
    oasst,
    openai_chat,
    openai_responses,
    pi,
    sharegpt,
    swe_agent,
    text_transcripts,
    toolbench,
    ui_messages,
)
from budgeteer.formats.archives import Archive
from budgeteer.formats.conversations import unique_ids
from budgeteer.formats.document import Document, open_document
from budgeteer.formats.envelopes import described
from budgeteer.formats.packed import Entry
from budgeteer.formats.report import Imported, Skipped

_ENDINGS = (".jsonl", ".json", ".ndjson", ".traj", ".log", ".txt")


@dataclass(frozen=True, slots=True)
class _Reader:
    title: str
    detect: Callable[[Document], str | None]
    read: Callable[[Document], Imported]


_READERS = (
    _Reader("Claude Code", claude_code.detect, claude_code.read),
    _Reader("Codex", codex.detect, codex.read),
    _Reader("Copilot CLI", copilot_cli.detect, copilot_cli.read),
    _Reader("pi", pi.detect, pi.read),
    _Reader("ChatGPT export", chatgpt_export.detect, chatgpt_export.read),
    _Reader("OpenAssistant", oasst.detect, oasst.read),
    _Reader("LangChain", langchain.detect, langchain.read),
    _Reader("AI SDK UI messages", ui_messages.detect, ui_messages.read),
    _Reader("ToolBench", toolbench.detect, toolbench.read),
    _Reader("ShareGPT", sharegpt.detect, sharegpt.read),
    _Reader("LLaMA-Factory", llama_factory.detect, llama_factory.read),
    _Reader("BFCL", bfcl.detect, bfcl.read),
    _Reader("text transcripts", text_transcripts.detect, text_transcripts.read),
    _Reader("SWE-agent", swe_agent.detect, swe_agent.read),
    _Reader("Gemini CLI", gemini_cli.detect, gemini_cli.read),
    _Reader("ADK", adk.detect, adk.read),
    _Reader("ADK evaluation", adk_evals.detect, adk_evals.read),
    _Reader("Gemini API", gemini.detect, gemini.read),
    _Reader("OpenAI Responses", openai_responses.detect, openai_responses.read),
    _Reader("Anthropic Messages", anthropic_messages.detect, anthropic_messages.read),
    _Reader("OpenAI chat", openai_chat.detect, openai_chat.read),
)


def detect(document: Document) -> str | None:
    """Why an archive holds transcripts, None when it does not."""
    if document.archive is None:
        return None
    for entry in _candidates(document.archive)[:50]:
        opened = _open(document, document.archive, entry, [])
        reader = _reader_of(opened) if opened else None
        if reader is not None:
            return f"is a {document.archive.kind} whose file {entry.path} is {reader.title}"
    return None


def read(document: Document) -> Imported:
    """Read every transcript of an archive; files that are none are listed with their reason.

    Raises:
        FormatError: no file is a transcript that can be read.
    """
    archive = document.archive
    skipped: list[Skipped] = []
    conversations: list[Conversation] = []
    entries = _candidates(archive) if archive else []
    for done, entry in enumerate(entries, 1):
        if archive is not None:
            found = _read_entry(document, archive, entry, skipped)
            if found is not None:
                conversations.extend(found.conversations)
        if document.options.progress is not None:
            document.options.progress(done, len(entries), "files")
    skipped.extend(archive.skipped if archive else [])
    if not conversations:
        raise _nothing(document, skipped)
    return Imported(
        format="",
        reason="",
        kind="conversation",
        conversations=_ordered(conversations),
        skipped=tuple(skipped),
    )


def _candidates(archive: Archive) -> list[Entry]:
    return [entry for entry in archive.entries if entry.name.lower().endswith(_ENDINGS)]


def _open(document: Document, archive: Archive, entry: Entry, skipped: list[Skipped]) -> Document | None:
    data = archive.read(entry)
    if data is None:
        return None
    try:
        opened = open_document(data, name=entry.path, options=replace(document.options, progress=None))
    except FormatError as error:
        skipped.append(Skipped(entry.path, error.what))
        return None
    return None if opened.shape == "archive" else replace(opened, notes=document.notes)


def _reader_of(opened: Document) -> _Reader | None:
    return next((reader for reader in _READERS if reader.detect(opened)), None)


def _read_entry(document: Document, archive: Archive, entry: Entry, skipped: list[Skipped]) -> Imported | None:
    opened = _open(document, archive, entry, skipped)
    if opened is None:
        return None
    reader = _reader_of(opened)
    if reader is None:
        skipped.append(Skipped(entry.path, f"no transcript: {described(opened)}"))
        return None
    try:
        found = reader.read(opened)
    except FormatError as error:
        skipped.append(Skipped(entry.path, error.what))
        return None
    skipped.extend(replace(item, where=f"{entry.path}, {item.where}") for item in found.skipped)
    return found


def _ordered(conversations: Sequence[Conversation]) -> tuple[Conversation, ...]:
    """Each session, its other branches, then its sub-agents; a run that is a file and embedded lines is kept once."""
    chosen: dict[str, Conversation] = {}
    for conversation in conversations:
        key = f"{_session(conversation)}/{conversation.id}" if conversation.is_subagent else f"#{len(chosen)}"
        if key not in chosen or len(chosen[key].messages) < len(conversation.messages):
            chosen[key] = conversation
    found = list(chosen.values())
    places = _places(found)
    ordered = [found[at] for at in sorted(range(len(found)), key=lambda at: (places[at], found[at].is_subagent))]
    ids = unique_ids(conversation.id for conversation in ordered)
    main = ""
    renamed: list[Conversation] = []
    for each, unique in zip(ordered, ids, strict=True):
        main = main if each.branch_of else unique
        renamed.append(replace(each, id=unique, branch_of=main if each.branch_of else ""))
    return tuple(renamed)


def _places(found: Sequence[Conversation]) -> list[int]:
    """Where each belongs: a branch with its main one, a sub-agent with its session, all others where they stand.

    Files may give the same ids: only a sub-agent is looked up by one.
    """
    sessions: dict[str, int] = {}
    for at, conversation in enumerate(found):
        if not conversation.branch_of and not conversation.is_subagent:
            sessions.setdefault(_session(conversation), at)
    places: list[int] = []
    for at, conversation in enumerate(found):
        if conversation.branch_of and places:
            places.append(places[-1])
        elif conversation.is_subagent:
            places.append(sessions.setdefault(_session(conversation), at))
        else:
            places.append(at)
    return places


def _session(conversation: Conversation) -> str:
    return str(conversation.metadata.get("session") or conversation.id)


def _nothing(document: Document, skipped: list[Skipped]) -> FormatError:
    reasons = "; ".join(f"{item.where}: {item.why}" for item in skipped[:3])
    return FormatError(
        f"No transcript that can be read was found in {described(document)}" + (f" ({reasons})" if reasons else ""),
        where=document.name,
        mend="Choose an archive whose files are transcripts, for example of Claude Code or Codex",
    )
