"""Generated conversations and libraries, for properties that must hold on any input."""

from __future__ import annotations

from hypothesis import strategies as st

from budgeteer.engine.chat import (
    AudioPart,
    Conversation,
    FilePart,
    ImagePart,
    Message,
    OpaquePart,
    Part,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from budgeteer.engine.library import FeatureSpec, Skill, ToolDefinition

# Pieces that vocabularies split in surprising ways: contractions, digits, blank lines, slashes, wide characters,
# special-token text, the long s, an emoji of several code points.
PIECES = st.sampled_from(
    [
        "the", " quick", " brown", "fox", ".", "!", "\n", "\n\n", " ", "   ", "\t", "/", "//", "'t", "don", "'S", "1",
        "234", "12345", "é", "日本語", "Ωmega", "ſ", "<|endoftext|>", "👩\u200d👩\u200d👧", "{}", "\\", "\r\n",
        "- item", "# Head", "src/app.py", "\u0301", "</skill>", "&amp;", "_", "camelCase", "ALLCAPS",
    ]
)  # fmt: skip
TEXTS = st.lists(PIECES, max_size=12).map("".join)
WORDS = st.lists(PIECES, min_size=1, max_size=30).map("".join).filter(str.strip)
NAMES = st.text(alphabet="abcdefghij-", min_size=1, max_size=12)


@st.composite
def exchanges(draw: st.DrawFn) -> list[Message]:
    """One user message and what the assistant does with it: calls, their results, a closing text."""
    messages = [Message("user", (TextPart(draw(WORDS)),))]
    for turn in range(draw(st.integers(0, 3))):
        calls = [
            ToolCallPart(f"call{draw(st.uuids()).hex[:8]}", draw(NAMES), f'{{"n":{turn}}}')
            for _ in range(draw(st.integers(1, 3)))
        ]
        said: tuple[Part, ...] = (TextPart(draw(WORDS)),) if draw(st.booleans()) else ()
        messages.append(Message("assistant", (*said, *calls)))
        messages += [Message("tool", (ToolResultPart(call.id, (TextPart(draw(TEXTS)),)),)) for call in calls]
    if draw(st.booleans()):
        messages.append(Message("assistant", (TextPart(draw(WORDS)),)))
    return messages


ODD_PARTS: st.SearchStrategy[Part] = st.sampled_from(
    [
        TextPart(""),
        TextPart(" \n"),
        ReasoningPart("thinking"),
        ReasoningPart("thinking", signature="sealed"),
        ReasoningPart("", encrypted="c2VhbGVk"),
        ImagePart({"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}, 640, 480),
        ImagePart({"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}}),
        FilePart({"type": "file", "file": {"file_id": "f"}}),
        AudioPart({"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}}),
        OpaquePart("server_tool_use", {"type": "server_tool_use", "id": "s", "name": "n", "input": {}}, "anthropic"),
        OpaquePart("custom", {"type": "custom", "text": "x"}, "openai"),
    ]
)
ODD_IDS = st.sampled_from(["call_1", "call_2", "an id!", "x" * 70, "é"])


@st.composite
def broken(draw: st.DrawFn, messages: list[Message]) -> list[Message]:
    """The messages after a few accidents: lost, doubled, moved, renamed, without a word, with parts of all kinds."""
    messages = list(messages)
    for _ in range(draw(st.integers(0, 5))):
        at = draw(st.integers(0, len(messages) - 1)) if messages else 0
        accident = draw(st.sampled_from(["lose", "double", "move", "rename", "empty", "odd", "system", "stray"]))
        if accident == "stray" or not messages:
            messages.insert(at, Message("tool", (ToolResultPart(draw(ODD_IDS), (TextPart("late"),)),)))
        elif accident == "lose":
            del messages[at]
        elif accident == "double":
            messages.insert(at, messages[at])
        elif accident == "move":
            messages.insert(draw(st.integers(0, len(messages) - 1)), messages.pop(at))
        elif accident == "empty" and messages[at].role != "tool":
            messages[at] = Message(messages[at].role, ())
        elif accident == "odd" and messages[at].role in ("user", "assistant"):
            messages[at] = Message(messages[at].role, (*messages[at].parts, draw(ODD_PARTS)), name=draw(NAMES))
        elif accident == "system":
            messages.insert(at, Message("system", (TextPart(draw(WORDS)),)))
        elif accident == "rename":
            old = {part.id for part in messages[at].parts if isinstance(part, ToolCallPart)}
            names = {one: draw(ODD_IDS) for one in sorted(old)}
            messages = [Message(one.role, tuple(_renamed(part, names) for part in one.parts)) for one in messages]
    return messages


def _renamed(part: Part, names: dict[str, str]) -> Part:
    match part:
        case ToolCallPart():
            return ToolCallPart(names.get(part.id, part.id), part.name, part.arguments)
        case ToolResultPart():
            return ToolResultPart(names.get(part.call_id, part.call_id), part.content, part.is_error)
        case _:
            return part


@st.composite
def conversations(draw: st.DrawFn, *, valid: bool = True, system: bool = True) -> Conversation:
    """A conversation of up to eight exchanges; `valid` ones have every call answered and nothing a provider refuses."""
    messages: list[Message] = []
    if system and draw(st.booleans()):
        messages.append(Message("system", (TextPart(draw(WORDS)),)))
    for _ in range(draw(st.integers(1, 8))):
        messages += draw(exchanges())
    if not valid:
        messages = draw(broken(messages))
    numbered = tuple(
        Message(message.role, message.parts, id=f"m{number}", name=message.name, line=number)
        for number, message in enumerate(messages, 1)
    )
    return Conversation(id="generated", title="generated", messages=numbered)


@st.composite
def skills(draw: st.DrawFn) -> tuple[Skill, ...]:
    """A library of up to forty skills with distinct paths; some names and descriptions repeat or are empty."""
    count = draw(st.integers(0, 40))
    return tuple(
        Skill(
            name=draw(NAMES),
            description=draw(TEXTS),
            path=f"{draw(NAMES)}/{number}/SKILL.md",
            body=draw(TEXTS),
            file_bytes=draw(st.integers(0, 400_000)),
        )
        for number in range(count)
    )


@st.composite
def tools(draw: st.DrawFn) -> tuple[ToolDefinition, ...]:
    """Up to ten tool definitions with distinct names, in the OpenAI form."""
    found = []
    for number in range(draw(st.integers(0, 10))):
        name, description = f"{draw(NAMES)}{number}", draw(TEXTS)
        parameters = {"type": "object", "properties": {draw(NAMES): {"type": "string", "description": draw(TEXTS)}}}
        raw = {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}
        found.append(ToolDefinition(name, description, parameters, "openai", raw))
    return tuple(found)


@st.composite
def features(draw: st.DrawFn) -> tuple[FeatureSpec, ...]:
    """Up to five feature specs."""
    return tuple(
        FeatureSpec(f"{draw(NAMES)}/{number}.md", draw(NAMES), "", draw(TEXTS))
        for number in range(draw(st.integers(0, 5)))
    )
