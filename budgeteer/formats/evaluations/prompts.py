"""What a model was asked in an evaluation, and what it replied.

A prompt is a text, a chat as objects or as JSON text, or a text that a chat template wrote of one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from budgeteer.engine.content.conversation import Message, Part, ReasoningPart
from budgeteer.engine.content.library import compact_json
from budgeteer.formats.datasets.rendered_chats import turns_of, without_ends
from budgeteer.formats.messages.objects import OBJECT
from budgeteer.formats.openai.chat import messages_of
from budgeteer.formats.reading import json_text
from budgeteer.formats.reading.conversation_draft import ConversationDraft, texts


def add_exchange(draft: ConversationDraft, prompt: Any, reply: str, *, thought: str = "", created: str = "") -> None:
    """Add the messages of a prompt and the reply; behind a prompt of a chat template without the ends of its turn."""
    is_rendered = add_prompt(draft, prompt)
    said: list[Part] = [ReasoningPart(thought)] if thought else []
    said += texts(without_ends(reply) if is_rendered else reply)
    draft.add(Message("assistant", tuple(said), created=created))


def add_prompt(draft: ConversationDraft, prompt: Any) -> bool:
    """Add the messages of a prompt; whether a chat template wrote them."""
    only = prompt[0] if isinstance(prompt, list) and len(prompt) == 1 and isinstance(prompt[0], str) else prompt
    is_text = isinstance(only, str)
    if said := chat_of(json_text.parse_inner(only, None) if is_text and only.startswith("[") else only):
        others = [one for one in said if not one["role"].strip()]
        draft.notes.count("Messages of no role, left out", len(others), of=others)
        draft.add_all(messages_of(list(enumerate(said, 1)), draft.notes, []))
    elif is_text and (turns := turns_of(only)):
        draft.notes.count("Prompts that a chat template wrote, read as messages")
        draft.add_all(Message(role, texts(words)) for role, words in turns)
        return True
    elif isinstance(only, list) and all(isinstance(each, str) for each in only):
        draft.add(Message("user", texts(*only)))
    elif only is not None and only != "":
        draft.add(Message("user", texts(only if is_text else compact_json(only))))
    return False


def chat_of(value: Any) -> list[Mapping[str, Any]]:
    """The messages of a chat: objects with a role, and texts among them, which are the user's; none of anything else.

    OpenCompass keeps under `prompt` what others keep under `content`.
    """
    if not isinstance(value, list) or not any(isinstance(each, OBJECT) for each in value):
        return []
    said: list[Mapping[str, Any]] = []
    for each in value:
        if isinstance(each, str):
            said.append({"role": "user", "content": each})
        elif isinstance(each, OBJECT) and isinstance(each.get("role"), str):
            is_other = "prompt" in each and "content" not in each
            said.append({"content" if key == "prompt" else key: each[key] for key in each} if is_other else each)
        else:
            return []
    return said
