"""Files that are known and not read: what each is, and what to choose instead."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from budgeteer.engine.errors import FormatError
from budgeteer.formats.reading.document import Document

_HEAD: Final = 20_000
_HTML: Final = re.compile(r"\A\s*(?:<!doctype html[^>]*>\s*)?<html", re.IGNORECASE)

_LFS: Final = re.compile(r"\s*version https?://\S+/spec/\S+\s*\n(?:ext-.*\n)*oid sha256:[0-9a-f]{64}\s")
"""A pointer of Git LFS (https://github.com/git-lfs/git-lfs, `docs/spec.md`, 2026-11)."""
_DIFY: Final = tuple(re.compile(rf"(?m)^{row}\s*$") for row in ("app:", "kind: app", r"  mode: [a-z-]+"))
"""Lines of each app that Dify exports as YAML (https://github.com/langgenius/dify, 2026-11)."""
_CASSETTE: Final = re.compile(r"(?m)^(?:(?:http_)?interactions|requests):[ \t]*$")
_ADDRESS: Final = r"(?m)^[ \t]+(?:- )?(?:uri|url): [\"']?https?://\S+"
_EMBEDDED: Final = re.compile(rf"{_ADDRESS}(?:/embeddings|/embed|:embedContent|:batchEmbedContents)\b")
"""An address of OpenAI's, Cohere's, Ollama's or Gemini's API that makes vectors of texts (2026-11)."""
_RUN: Final = re.compile(rf"{_ADDRESS}/threads/[^/\s]+/runs\b")
"""An address of OpenAI's Assistants API (https://platform.openai.com/docs/api-reference/runs, 2026-11)."""


@dataclass(frozen=True, slots=True)
class _RefusedFile:
    """A kind of file: what it is, what to choose instead, how it is told by its text or names in it."""

    title: str
    mend: str
    is_text: Callable[[str], bool] = lambda _text: False
    is_archive: Callable[[Sequence[str]], bool] = lambda _names: False


def _begins(*starts: str) -> Callable[[Sequence[str]], bool]:
    """Whether for each of these beginnings an archive has an entry."""
    return lambda names: all(any(name.startswith(start) for name in names) for start in starts)


_EXPORT_TEXT: Final = "Save it as text or Markdown, and choose that"
_AMONG_PEOPLE: Final = "Chats among people are not read: choose a conversation with a model"
_KNOWN: Final = (
    _RefusedFile(
        "a page of activities by Google Takeout, none of them of Gemini",
        "Choose `MyActivity.html` or `MyActivity.json` of the folder `Gemini Apps`",
        is_text=lambda text: bool(_HTML.match(text)) and '<div class="outer-cell' in text,
    ),
    _RefusedFile(
        "the page `chat.html` of an export of ChatGPT, which shows what its other files hold",
        "Choose `conversations.json` beside it, or the whole zip file",
        is_text=lambda text: bool(_HTML.match(text)) and "var jsonData = " in text,
    ),
    _RefusedFile(
        "a Git LFS pointer in place of a file",
        "Run `git lfs pull` where it comes from, and choose the file again",
        is_text=lambda text: bool(_LFS.match(text)),
    ),
    _RefusedFile(
        "an app of Dify without a conversation",
        "Choose the conversations of its log",
        is_text=lambda text: all(row.search(text) for row in _DIFY),
    ),
    _RefusedFile(
        "a recording of requests for embeddings, which no model replies to in words",
        "Choose a recording of requests with messages",
        is_text=lambda text: bool(_CASSETTE.search(text) and _EMBEDDED.search(text)),
    ),
    _RefusedFile(
        "a recording of runs of OpenAI's Assistants API, whose requests name a thread and hold no messages",
        "Choose the messages of the thread as JSON, or a recording of requests with messages",
        is_text=lambda text: bool(_CASSETTE.search(text) and _RUN.search(text)),
    ),
    _RefusedFile("a Word document", _EXPORT_TEXT, is_archive=_begins("[Content_Types].xml", "word/")),
    _RefusedFile("an Excel workbook", "Save the sheet as CSV", is_archive=_begins("[Content_Types].xml", "xl/")),
    _RefusedFile("a PowerPoint presentation", _EXPORT_TEXT, is_archive=_begins("[Content_Types].xml", "ppt/")),
    _RefusedFile("an OpenDocument file", _EXPORT_TEXT, is_archive=_begins("mimetype", "content.xml")),
    _RefusedFile("an EPUB book", _EXPORT_TEXT, is_archive=_begins("mimetype", "META-INF/container.xml")),
    _RefusedFile("a Java archive", "Choose a conversation", is_archive=_begins("META-INF/MANIFEST.MF")),
    _RefusedFile(
        "a backup of Cherry Studio 6 or later, which copies a browser's database",
        "Export its topics as Markdown, and choose those",
        is_archive=_begins("metadata.json", "IndexedDB/"),
    ),
    _RefusedFile("an export of Slack", _AMONG_PEOPLE, is_archive=_begins("users.json", "channels.json")),
    _RefusedFile("an export of WhatsApp", _AMONG_PEOPLE, is_archive=_begins("_chat.txt")),
)
"""In the order in which they are looked for."""


def refusal_of(document: Document) -> FormatError | None:
    """The refusal of a file that is known and not read, None for any other."""
    if document.archive is not None:
        names = [entry.path for entry in document.archive.entries]
        found = next((known for known in _KNOWN if known.is_archive(names)), None)
    else:
        text = document.text[:_HEAD] if document.shape == "text" else ""
        found = next((known for known in _KNOWN if text and known.is_text(text)), None)
    if found is None:
        return None
    return FormatError(f"This is {found.title}, which is not read", where=document.name, mend=found.mend)
