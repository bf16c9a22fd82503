"""Prompts saved by AI Studio: one JSON document whose `chunkedPrompt.chunks` are pieces of turns.

Google publishes no description of the file; this is the shape in which several public converters read it (2026-11): a
chunk has a `role`, and a `text`, Gemini's `parts`, or one attachment (`inlineFile` with its bytes, `driveDocument` and
the like with an id); `isThought` marks thoughts, `errorMessage` a reply that failed. The model is in `runSettings`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Final

from budgeteer.engine.content.conversation import AudioPart, Conversation, FilePart, ImagePart, Message, Part, Role
from budgeteer.engine.content.library import compact_json
from budgeteer.formats.gemini.contents import ContentReader, parts_of
from budgeteer.formats.messages.imported import Imported, Skipped
from budgeteer.formats.messages.numbering import Notes, note_opaque, numbered, text_value, title_of
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.entries import mappings
from budgeteer.formats.reading.importing import require

_ROLES: Final = ("user", "model")
_WORDS: Final = frozenset({"text", "thought", "thoughtSignature"})
_CODE: Final = ("executableCode", "codeExecutionResult")
_HELD: Final = ("inlineFile", "inlineImage", "inlineAudio", "inlineVideo", "inlineData")
_ELSEWHERE: Final[Mapping[str, type[ImagePart | AudioPart | FilePart]]] = {
    "driveImage": ImagePart,
    "driveAudio": AudioPart,
    "driveDocument": FilePart,
    "driveVideo": FilePart,
    "youtubeVideo": FilePart,
}


def detect(document: Document) -> str | None:
    """Why a document is a prompt of AI Studio, None when it is not."""
    chunks = _chunks(document.value)
    if any(chunk.get("role") in _ROLES for chunk in mappings(chunks)[:200]):
        return "has a `chunkedPrompt`, as AI Studio saves it"
    return None


def read(document: Document) -> Imported:
    """Read the one conversation of the file.

    Raises:
        FormatError: it has no turns.
    """
    skipped = list(document.skipped)
    found: list[Conversation] = []
    notes = document.notes
    given: Mapping[str, Any] = document.value if isinstance(document.value, Mapping) else {}
    done = numbered(_messages(given, notes, skipped), notes)
    if done:
        note_opaque(done, notes)
        model = text_value(_under(given, "runSettings").get("model"))
        title = title_of(done, document.stem or "AI Studio prompt")
        found.append(Conversation("c1", title, done, model=model.removeprefix("models/")))
    require(found, document, "AI Studio")
    return Imported("", "", "conversation", conversations=tuple(found), skipped=tuple(skipped))


def _under(value: Any, key: str) -> Mapping[str, Any]:
    found = value.get(key) if isinstance(value, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def _chunks(value: Any) -> Sequence[Any]:
    found = _under(value, "chunkedPrompt").get("chunks")
    return found if isinstance(found, list) else []


def _messages(given: Mapping[str, Any], notes: Notes, skipped: list[Skipped]) -> Iterator[Message]:
    """The system text, and each turn: chunks of one role in a row are one, as the API is sent them."""
    reader = ContentReader(notes)
    system = parts_of(given.get("systemInstruction"))
    if any(isinstance(raw, Mapping) and text_value(raw.get("text")) for raw in system):
        yield from reader.messages("system", system, uid="system")
    turns = groupby(_usable(_chunks(given), notes, skipped), key=lambda placed: text_value(placed[1].get("role")))
    for role, placed in turns:
        pieces = list(placed)
        first, opening = pieces[0]
        parts = [part for _, chunk in pieces for part in _parts(chunk, reader)]
        speaker: Role = "assistant" if role == "model" else "user"
        if parts:
            yield Message(speaker, tuple(parts), created=text_value(opening.get("createTime")), line=first)
        notes.count("Chunks of one turn in a row, read as one message", len(pieces) - 1)
    pending = mappings(_under(given, "chunkedPrompt").get("pendingInputs"))
    notes.count(
        "Inputs that were not sent yet, left out", sum(bool(text_value(one.get("text"))) for one in pending), of=pending
    )


def _usable(chunks: Sequence[Any], notes: Notes, skipped: list[Skipped]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The chunks that say something, with their 1-based numbers."""
    for number, chunk in enumerate(chunks, 1):
        if not isinstance(chunk, Mapping) or chunk.get("role") not in _ROLES:
            skipped.append(Skipped(f"chunk {number}", "no role of AI Studio's", compact_json(chunk)[:500]))
        elif chunk.get("errorMessage") and not _raw_parts(chunk):
            notes.count("Replies that ended in an error, left out", of=chunk)
        else:
            yield number, chunk


def _raw_parts(chunk: Mapping[str, Any]) -> list[Any]:
    """Gemini's parts of a chunk: its own where one says something, else its text; of two texts the longer one."""
    own = mappings(chunk.get("parts"))
    thought = {"thought": True} if chunk.get("isThought") is True else {}
    text = text_value(chunk.get("text"))
    if not any(value not in ("", None) for part in own for key, value in part.items() if key != "thought"):
        return [{"text": text, **thought}] if text else []
    if not _is_longer(text, own, is_thought=bool(thought)):
        return [{**part, **thought} for part in own]
    seals = [{**part, **thought, "text": ""} for part in own if part.get("thoughtSignature")]
    return [{"text": text, **thought}, *seals]


def _is_longer(text: str, own: Sequence[Mapping[str, Any]], *, is_thought: bool) -> bool:
    """Whether the text of a chunk says more than its parts, which are nothing but that text."""
    if any(not part.keys() <= _WORDS or (part.get("thought") is True and not is_thought) for part in own):
        return False
    return len(text.strip()) > len("".join(text_value(part.get("text")) for part in own).strip())


def _parts(chunk: Mapping[str, Any], reader: ContentReader) -> Iterator[Part]:
    for raw in _raw_parts(chunk):
        yield from reader.part({key: value for key, value in raw.items() if value is not None})
    for key in _CODE:
        if isinstance(chunk.get(key), Mapping):
            yield from reader.part({key: chunk[key]})
    for key in _HELD:
        if isinstance(chunk.get(key), Mapping):
            yield from reader.part({"inlineData": chunk[key]})
    for key, kind in _ELSEWHERE.items():
        if isinstance(chunk.get(key), Mapping):
            reader.notes.count("Attachments that lie in Drive or on the web, whose content is not in the file")
            yield kind({key: chunk[key]})
