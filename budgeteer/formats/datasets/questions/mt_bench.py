"""MT-bench: questions of several turns, a model's answers, and judgements of two conversations.

Certain: a `question_id` with `turns`, `choices` of `turns`, or `conversation_a` beside `conversation_b`; the last also
without an id, where the models are named (Chatbot Arena). Turns are texts, or objects with a `content` (Arena-Hard).
The first evaluation of Vicuna, which LLaVA's follows, has the `text` of one turn, or of several in a list (BayLing): a
question has a `category` and nothing else, an answer an `answer_id` and a `model_id`, and in LLaVA's its `prompt`.
Source: github.com/lm-sys/FastChat, fastchat/llm_judge; huggingface.co/datasets/lmsys/mt_bench_human_judgments;
github.com/lmarena/arena-hard-auto, data; github.com/haotian-liu/LLaVA, playground/data/coco2014_val_qa_eval;
github.com/ictnlp/BayLing, 2026-11.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from budgeteer.engine.content.conversation import Conversation, Message, Role
from budgeteer.engine.content.library import compact_json
from budgeteer.formats.messages.imported import Imported, Skipped
from budgeteer.formats.messages.numbering import text_value
from budgeteer.formats.reading.conversation_draft import ConversationDraft, texts
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.entries import Entry, entries_of, mappings, mostly
from budgeteer.formats.reading.importing import require

type _Turn = tuple[Role, str]

_BARE_QUESTION: Final = frozenset({"question_id", "text", "category"})


def detect(document: Document) -> str | None:
    """Why a document is of MT-bench, None when it is not."""
    if mostly(document, lambda value: ("question_id" in value or _is_judged(value)) and any(_chats(value))):
        return "has a `question_id` with `turns` or a `text`, or two conversations that were judged, as MT-bench does"
    return None


def _is_judged(value: Mapping[str, Any]) -> bool:
    """Whether a row has two conversations and names their models, as those of Chatbot Arena do."""
    return all(mappings(value.get(f"conversation_{side}")) and f"model_{side}" in value for side in ("a", "b"))


def _chats(value: Mapping[str, Any]) -> Iterator[tuple[str, list[_Turn]]]:
    """The conversations of a row, each with the model that it names."""
    for side in ("a", "b"):
        said = mappings(value.get(f"conversation_{side}"))
        if said:
            role: dict[str, Role] = {"assistant": "assistant", "system": "system"}
            told = [(role.get(text_value(one.get("role")), "user"), _words(one.get("content"))) for one in said]
            yield text_value(value.get(f"model_{side}")), told
    for choice in mappings(value.get("choices")):
        if turns := _texts(choice.get("turns")):
            yield text_value(value.get("model_id")), [("assistant", text) for text in turns]
    if turns := _texts(value.get("turns")):
        yield "", [("user", text) for text in turns]
    if value.keys() == _BARE_QUESTION and (turns := _texts(value["text"])):
        yield "", [("user", text) for text in turns]
    if turn := _only_turn(value):
        yield text_value(value.get("model_id")), turn


def _only_turn(value: Mapping[str, Any]) -> list[_Turn]:
    """What a row says whose only turn is a `text`: a question, or an answer behind the prompt that may be with it."""
    text = text_value(value.get("text"))
    if text and "answer_id" in value and text_value(value.get("model_id")):
        prompt = text_value(value.get("prompt"))
        asked: list[_Turn] = [("user", prompt)] if prompt else []
        return [*asked, ("assistant", text)]
    return [("user", text)] if text and value.keys() == _BARE_QUESTION else []


def _words(content: Any) -> str:
    """A text, or the texts of a list of parts."""
    if isinstance(content, list):
        return "\n\n".join(text for part in mappings(content) if (text := text_value(part.get("text"))))
    return text_value(content)


def _texts(turns: Any) -> list[str]:
    """The texts of turns, each a text or an object with its `content`."""
    held = turns if isinstance(turns, list) else []
    return [_words(turn.get("content")) if isinstance(turn, Mapping) else turn for turn in held if _is_turn(turn)]


def _is_turn(turn: Any) -> bool:
    return isinstance(turn, str) or (isinstance(turn, Mapping) and isinstance(turn.get("content"), str | list))


def read(document: Document) -> Imported:
    """Read every conversation; a question is its prompts, an answer its replies.

    Raises:
        FormatError: none was found.
    """
    skipped = list(document.skipped)
    found: list[Conversation] = []
    for entry in entries_of(document, skipped):
        chats = [_conversation(entry, number, chat, document) for number, chat in enumerate(_chats(entry.value), 1)]
        found += chats
        reference = _texts(entry.value.get("reference"))
        document.notes.count("Reference answers, left out", len(reference), of=reference)
        if not chats:
            skipped.append(Skipped(entry.where, "no turns in it", compact_json(entry.value)[:500]))
    require(found, document, "MT-bench")
    return Imported("", "", "conversation", conversations=tuple(found), skipped=tuple(skipped))


def _conversation(entry: Entry, number: int, chat: tuple[str, list[_Turn]], document: Document) -> Conversation:
    model, turns = chat
    draft = ConversationDraft(document.notes, f"{entry.where}, turn ")
    draft.model = model
    for line, (role, text) in enumerate(turns, 1):
        draft.add(Message(role, texts(text), line=line))
    given = entry.value.get("question_id", entry.value.get("id"))
    question = str(given)[:60] if isinstance(given, str | int) else str(entry.number)
    title = f"Question {question}" + (f", {model}" if model else "")
    return draft.conversation(f"{question}.{number}", title, title)
