"""What can happen to a conversation: lost, doubled, moved, renamed and odd messages, each a rewriting of the list."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from hypothesis import strategies as st

from budgeteer.engine.content.conversation import (
    AudioPart,
    ContentPart,
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

type Accident = Callable[[st.DrawFn, list[Message], int], list[Message]]

PNG = {"type": "base64", "media_type": "image/png", "data": "AAAA"}
THOUGHTS: list[Part] = [
    ReasoningPart("hm"),
    ReasoningPart("hm", signature="sealed"),
    ReasoningPart("", encrypted="c2VhbGVk"),
    ReasoningPart("a summary", encrypted="c2VhbGVk", provider="openai-responses", id="rs_1"),
    ReasoningPart("a thought", signature="c2lnbmVk", provider="gemini"),
    ReasoningPart("", signature="c2lnbmVk", provider="gemini"),
]
ODD_PARTS: st.SearchStrategy[Part] = st.sampled_from(
    [
        *THOUGHTS,
        TextPart(""),
        TextPart(" \n"),
        ImagePart({"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}, 640, 480),
        ImagePart({"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}}),
        ImagePart({"inlineData": {"mimeType": "image/png", "data": "AAAA"}}, 960, 540),
        FilePart({"type": "file", "file": {"file_id": "f"}}),
        FilePart({"type": "document", "source": {"type": "url", "url": "https://example.org/a.pdf"}}),
        AudioPart({"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}}),
        OpaquePart("server_tool_use", {"type": "server_tool_use", "id": "s", "name": "n", "input": {}}, "anthropic"),
        OpaquePart("custom", {"type": "custom", "text": "x"}, "openai"),
        OpaquePart("refusal", {"refusal": "I will not."}, "openai"),
        OpaquePart("item_reference", {"type": "item_reference", "id": "msg_1"}, "openai-responses"),
        OpaquePart("executableCode", {"executableCode": {"language": "PYTHON", "code": "1"}}, "gemini"),
    ]
)
RESULT_PARTS: st.SearchStrategy[ContentPart] = st.sampled_from(
    [
        TextPart(""),
        TextPart("more"),
        ImagePart({"type": "image", "source": PNG}, 300, 300),
        ImagePart({"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}, 800, 600),
    ]
)
ODD_IDS = st.sampled_from(["call_1", "call_2", "an id!", "x" * 70, "é"])
NAMES = st.text(alphabet="abcdefghij-", min_size=1, max_size=12)


@st.composite
def broken(draw: st.DrawFn, messages: list[Message]) -> list[Message]:
    """The messages after up to six accidents."""
    messages = list(messages)
    for _ in range(draw(st.integers(0, 6))):
        if messages:
            at = draw(st.integers(0, len(messages) - 1))
            messages = draw(st.sampled_from(ACCIDENTS))(draw, messages, at)
    return messages


def _lost(_draw: st.DrawFn, messages: list[Message], at: int) -> list[Message]:
    return messages[:at] + messages[at + 1 :]


def _doubled(_draw: st.DrawFn, messages: list[Message], at: int) -> list[Message]:
    return [*messages[:at], messages[at], *messages[at:]]


def _moved(draw: st.DrawFn, messages: list[Message], at: int) -> list[Message]:
    messages.insert(draw(st.integers(0, len(messages) - 1)), messages.pop(at))
    return messages


def _swapped(_draw: st.DrawFn, messages: list[Message], at: int) -> list[Message]:
    messages[at - 1], messages[at] = messages[at], messages[at - 1]
    return messages


def _stray_result(draw: st.DrawFn, messages: list[Message], at: int) -> list[Message]:
    stray = Message("tool", (ToolResultPart(draw(ODD_IDS), (TextPart("late"),)),))
    return [*messages[:at], stray, *messages[at:]]


def _stray_thought(draw: st.DrawFn, messages: list[Message], at: int) -> list[Message]:
    return [*messages[:at], Message("assistant", (draw(st.sampled_from(THOUGHTS)),)), *messages[at:]]


def _stray_system(draw: st.DrawFn, messages: list[Message], at: int) -> list[Message]:
    return [*messages[:at], Message("system", (TextPart(draw(NAMES)),)), *messages[at:]]


def _emptied(_draw: st.DrawFn, messages: list[Message], at: int) -> list[Message]:
    if messages[at].role != "tool":
        messages[at] = Message(messages[at].role, ())
    return messages


def _odd(draw: st.DrawFn, messages: list[Message], at: int) -> list[Message]:
    message = messages[at]
    if message.role in ("user", "assistant"):
        where = draw(st.integers(0, len(message.parts)))
        parts = (*message.parts[:where], draw(ODD_PARTS), *message.parts[where:])
        messages[at] = replace(message, parts=parts, name=draw(st.just("") | NAMES))
    return messages


def _failed(draw: st.DrawFn, messages: list[Message], at: int) -> list[Message]:
    """A result that failed, and says more than it did."""
    more = draw(RESULT_PARTS)
    parts = (
        replace(part, content=(*part.content, more), is_error=True) if isinstance(part, ToolResultPart) else part
        for part in messages[at].parts
    )
    messages[at] = replace(messages[at], parts=tuple(parts))
    return messages


def _garbled(draw: st.DrawFn, messages: list[Message], at: int) -> list[Message]:
    """Calls whose arguments are no JSON object, or not as compact as they could be."""
    arguments = draw(st.sampled_from(["", "{", "[1]", '{ "n" : NaN }', '{ "n" : 1.0 }', '"\\ud800"', "free text"]))
    parts = (
        replace(part, arguments=arguments) if isinstance(part, ToolCallPart) else part for part in messages[at].parts
    )
    messages[at] = replace(messages[at], parts=tuple(parts))
    return messages


def _renamed(draw: st.DrawFn, messages: list[Message], at: int) -> list[Message]:
    """The calls of one message under other ids, wherever they are called or answered."""
    names = {part.id: draw(ODD_IDS) for part in messages[at].parts if isinstance(part, ToolCallPart)}
    return [Message(one.role, tuple(_under(part, names) for part in one.parts)) for one in messages]


def _under(part: Part, names: dict[str, str]) -> Part:
    match part:
        case ToolCallPart():
            return replace(part, id=names.get(part.id, part.id))
        case ToolResultPart():
            return replace(part, call_id=names.get(part.call_id, part.call_id))
        case _:
            return part


ACCIDENTS: tuple[Accident, ...] = (
    _lost,
    _doubled,
    _moved,
    _swapped,
    _stray_result,
    _stray_thought,
    _stray_system,
    _emptied,
    _odd,
    _odd,
    _failed,
    _garbled,
    _renamed,
)
