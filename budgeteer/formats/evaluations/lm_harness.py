"""Samples of the Language Model Evaluation Harness (`lm_eval --log_samples`), and of lmms-eval, which follows it.

Certain: rows of a `doc_id` and `resps`, beside the `arguments` of their requests or the `input` that was written of
them; they stand a line each, in a list, or by task under `samples`. A request that asked for a text is a conversation
that ends in it; what else was sampled is a branch. Where the likelihood of several continuations was asked for, the
likeliest is the reply.
Source: https://github.com/EleutherAI/lm-evaluation-harness, `lm_eval/evaluator.py`,
`lm_eval/loggers/evaluation_tracker.py`; https://github.com/EvolvingLMMs-Lab/lmms-eval, 2026-11.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from budgeteer.engine.content.conversation import Conversation
from budgeteer.engine.content.library import compact_json
from budgeteer.formats.evaluations.prompts import add_exchange
from budgeteer.formats.messages.branches import with_branches, with_unique_ids
from budgeteer.formats.messages.imported import Imported, Skipped
from budgeteer.formats.messages.numbering import Notes, text_value
from budgeteer.formats.messages.objects import OBJECT, object_under
from budgeteer.formats.reading.conversation_draft import ConversationDraft
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.entries import entries_of, mappings, mostly, numbered_mappings
from budgeteer.formats.reading.importing import require

_ASKED: Final = ("arguments", "input")
"""Where the requests of a row stand: as the harness and as lmms-eval write them."""


@dataclass(frozen=True, slots=True)
class _Request:
    """What a model was asked, and what came of it.

    Attributes:
        context: the prompt: a text, or the list of a chat as JSON text.
        continuation: whose likelihood was asked for; None where a text was asked for.
        replies: the texts that were sampled.
        likelihood: the logarithm of the continuation's likelihood, None where a text was asked for.
    """

    context: Any
    continuation: str | None
    replies: Sequence[str] = ()
    likelihood: float | None = None


def detect(document: Document) -> str | None:
    """Why a document is samples of the harness, None when it is not."""
    if mostly(document, lambda value: any(_is_row(row) for _, row in _first(value))):
        return "holds rows of a `doc_id` with a model's `resps`, as the Language Model Evaluation Harness logs them"
    return None


def _is_row(value: Mapping[str, Any]) -> bool:
    return "doc_id" in value and isinstance(value.get("resps"), list) and any(key in value for key in _ASKED)


def _first(value: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The object itself, or the first rows of each task that it holds."""
    if "doc_id" in value:
        yield "", value
        return
    for task, rows in object_under(value, "samples").items():
        yield from ((task, row) for row in mappings(rows)[:5])


def read(document: Document) -> Imported:
    """Read every request with a reply.

    Raises:
        FormatError: no row has one.
    """
    skipped = list(document.skipped)
    found: list[Conversation] = []
    seen: set[bytes] = set()
    for where, task, row in _rows(document, skipped):
        digest = _digest(task, row)
        if digest in seen:
            document.notes.count("Rows that another filter of the replies repeats, read once", of=row)
            continue
        seen.add(digest)
        found += _conversations(where, task, row, document.notes, skipped)
    require(found, document, "Language Model Evaluation Harness")
    return Imported("", "", "conversation", conversations=with_unique_ids(found), skipped=tuple(skipped))


def _rows(document: Document, skipped: list[Skipped]) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Where each row stands, its task where the file names it, and itself."""
    for entry in entries_of(document, skipped):
        if "doc_id" in entry.value:
            yield entry.where, "", entry.value
            continue
        for task, rows in object_under(entry.value, "samples").items():
            place = f"{entry.where}, sample of {task[:60]} "
            for number, row in numbered_mappings(rows, place, skipped):
                yield f"{place}{number}", task, row


def _digest(task: str, row: Mapping[str, Any]) -> bytes:
    """What is the same in the rows of one document, which each filter of its replies has one of."""
    said = [task, row.get("doc_id"), *(row.get(key) for key in _ASKED), row.get("resps")]
    return hashlib.sha256(compact_json(said).encode(errors="surrogatepass")).digest()


def _conversations(
    where: str, task: str, row: Mapping[str, Any], notes: Notes, skipped: list[Skipped]
) -> Iterator[Conversation]:
    requests = list(_requests(row, notes))
    scored = [request for request in requests if request.likelihood is not None]
    asked = [request for request in requests if request.replies]
    if scored and not asked:
        best = max(scored, key=lambda request: request.likelihood or 0.0)
        notes.count(
            "Continuations that were less likely than the one read as the reply, left out",
            len(scored) - 1,
            of=[request.continuation for request in scored if request is not best],
        )
        notes.leave_out([request.context for request in scored if request is not best])
        asked = [replace(best, replies=[(best.continuation or "").strip()])]
    if not asked:
        skipped.append(Skipped(where, "no reply of a model", compact_json(row)[:500]))
    for number, request in enumerate(asked):
        given = f"{task}{'/' if task else ''}{row.get('doc_id')}" + (f".{number + 1}" if number else "")
        replies = iter(request.replies)
        main = _conversation(request, next(replies), ConversationDraft(notes, f"{where}, message "), given)
        others = (
            _conversation(request, reply, ConversationDraft(notes.fresh(), f"{where}, message "), given)
            for reply in replies
        )
        yield from with_branches(main, others, notes, total=len(request.replies) - 1)


def _conversation(request: _Request, reply: str, draft: ConversationDraft, given: str) -> Conversation:
    add_exchange(draft, request.context, reply)
    return draft.conversation(given, "", f"Document {given}")


def _requests(row: Mapping[str, Any], notes: Notes) -> Iterator[_Request]:
    """The requests of a row, each with what came of it."""
    replied = row["resps"] if isinstance(row.get("resps"), list) else []
    if row.get("arguments") is None:  # one prompt for all of them, as lmms-eval writes it
        scored = [came for came in replied if _likelihood(came) is not None]
        notes.see([came[0] for came in scored] or None)
        sampled = (text for came in replied if _likelihood(came) is None for text in _texts(came))
        yield _Request(row.get("input"), None, list(sampled))
        return
    for asked, came in zip(_arguments(row), replied, strict=False):
        context, *rest = asked
        second = rest[0] if rest else None
        if isinstance(second, OBJECT):
            notes.leave_out(second)
        likelihood = _likelihood(came)
        notes.see(came[0] if likelihood is not None else None)
        if isinstance(second, str) and likelihood is not None:
            yield _Request(context, second, likelihood=likelihood)
        elif likelihood is None:
            yield _Request(context, None, _texts(came))


def _texts(came: Any) -> list[str]:
    """The texts among what was sampled."""
    return [text for text in (came if isinstance(came, list) else [came]) if isinstance(text, str)]


def _arguments(row: Mapping[str, Any]) -> Iterator[list[Any]]:
    """The arguments of each request: in lists, or in objects of `gen_args_0` and `arg_0`, as newer versions do."""
    given = row.get("arguments")
    listed = list(given.values()) if isinstance(given, OBJECT) else given if isinstance(given, list) else []
    for one in listed:
        held = list(one.values()) if isinstance(one, OBJECT) else one
        if isinstance(held, list) and held:
            yield held


def _likelihood(came: Any) -> float | None:
    """The logarithm of a likelihood that was asked for, None where texts came; as numbers or as texts of them."""
    first = came[0] if isinstance(came, list) and came else None
    if not isinstance(first, list) or len(first) != 2 or not isinstance(first[1], bool | str | None):
        return None
    if text_value(first[1]).lower() not in ("", "true", "false"):
        return None
    try:
        return float(first[0])
    except (TypeError, ValueError, OverflowError):
        return None
