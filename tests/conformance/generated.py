"""Generated conversations and libraries, for properties that must hold on any input."""

from __future__ import annotations

from hypothesis import strategies as st

from budgeteer.engine.content.conversation import Conversation, Message, Part, TextPart, ToolCallPart, ToolResultPart
from budgeteer.engine.content.library import Chunk, FeatureSpec, Skill, ToolDefinition, ToolForm
from tests.conformance.accidents import broken

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


#: Tools that run at a provider, as each of them is told.
HOSTED = (
    ToolDefinition("web_search", "", None, "openai", {"type": "web_search"}),
    ToolDefinition("bash", "", None, "anthropic", {"type": "bash_20250124", "name": "bash"}),
    ToolDefinition("googleSearch", "", None, "mcp", {"googleSearch": {}}),
)


@st.composite
def tools(draw: st.DrawFn) -> tuple[ToolDefinition, ...]:
    """Up to ten tool definitions with distinct names, functions in three forms, and tools that run at a provider."""
    found = []
    for number in range(draw(st.integers(0, 10))):
        name, description = f"{draw(NAMES)}{number}", draw(TEXTS)
        parameters = {"type": "object", "properties": {draw(NAMES): {"type": "string", "description": draw(TEXTS)}}}
        described = {"name": name, "description": description}
        form: ToolForm = draw(st.sampled_from(["openai", "openai", "anthropic", "mcp"]))
        raws: dict[ToolForm, dict[str, object]] = {
            "openai": {"type": "function", "function": {**described, "parameters": parameters}},
            "anthropic": {**described, "input_schema": parameters},
            "mcp": {**described, "inputSchema": parameters},
        }
        found.append(ToolDefinition(name, description, parameters, form, raws[form]))
    return (*found, *draw(st.lists(st.sampled_from(HOSTED), max_size=3, unique_by=lambda tool: tool.name)))


@st.composite
def features(draw: st.DrawFn) -> tuple[FeatureSpec, ...]:
    """Up to five feature specs."""
    return tuple(
        FeatureSpec(f"{draw(NAMES)}/{number}.md", draw(NAMES), "", draw(TEXTS))
        for number in range(draw(st.integers(0, 5)))
    )


@st.composite
def chunks(draw: st.DrawFn) -> tuple[Chunk, ...]:
    """Up to a dozen retrieved chunks: scored, unscored or mixed, some ids repeated or missing."""
    scores = st.none() | st.floats(-1, 1, allow_nan=False) | st.sampled_from([0.5, 0.9])
    return tuple(
        Chunk(draw(TEXTS | WORDS), id=draw(st.just("") | NAMES), score=draw(scores), source=draw(NAMES))
        for _ in range(draw(st.integers(0, 12)))
    )
