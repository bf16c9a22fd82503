"""Conversations in the internal form: messages, their parts, and the groups that are kept or dropped together.

Every importer produces this form and every renderer starts from it. One message carries one speaker's
contribution; each tool result is a message of its own (role `tool`), so that it has a size and a fate of its own.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from budgeteer.engine.content.origin import Origin, origin_from_json
from budgeteer.engine.content.slot_initializers import sets_slots

type Role = Literal["system", "developer", "user", "assistant", "tool"]

ROLES: tuple[Role, ...] = ("system", "developer", "user", "assistant", "tool")


@sets_slots
@dataclass(frozen=True, slots=True)
class TextPart:
    """Plain text, as the model reads it.

    `left_out` is how many characters of base64 stood in an object that was read as this text, and are left out of it.
    """

    text: str
    origin: Origin | None = field(default=None, compare=False, repr=False)
    left_out: int = field(default=0, repr=False)


@dataclass(frozen=True, slots=True)
class ImagePart:
    """A picture. `width` and `height` in pixels, None when the file does not tell.

    `raw` is the provider's own part (so that it can be sent again); it is never counted as text.
    """

    raw: Mapping[str, Any]
    width: int | None = None
    height: int | None = None
    detail: str = "auto"


@dataclass(frozen=True, slots=True)
class FilePart:
    """A document or file reference; its tokens are unknown."""

    raw: Mapping[str, Any]
    name: str = ""


@dataclass(frozen=True, slots=True)
class AudioPart:
    """Sound; its tokens are unknown."""

    raw: Mapping[str, Any]


@sets_slots
@dataclass(frozen=True, slots=True)
class ToolCallPart:
    """One call.

    Attributes:
        arguments: the JSON text the model wrote, kept verbatim; the raw text for a free-form tool.
        is_free: whether it called a free-form tool, as only OpenAI Responses has them (`custom_tool_call`).
    """

    id: str
    name: str
    arguments: str
    is_free: bool = False
    origin: Origin | None = field(default=None, compare=False, repr=False)


@sets_slots
@dataclass(frozen=True, slots=True)
class ToolResultPart:
    """The answer to one call. `content` holds text, image, file and opaque parts only."""

    call_id: str
    content: tuple[ContentPart, ...]
    is_error: bool = False
    origin: Origin | None = field(default=None, compare=False, repr=False)


@sets_slots
@dataclass(frozen=True, slots=True)
class ReasoningPart:
    """Thinking.

    Attributes:
        text: what can be read of it, "" when nothing can.
        signature: the provider's seal; Gemini's thoughtSignature belongs to the part that follows.
        encrypted: its unreadable payload (tokens unknown).
        provider: the family that sealed it, see OpaquePart; "" is Anthropic where there is a seal at all.
        id: the provider's own id of it, "" when none.
    """

    text: str
    signature: str = ""
    encrypted: str = ""
    provider: str = ""
    id: str = ""
    origin: Origin | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class OpaquePart:
    """A part the importer does not know: kept as it came, counted as compact JSON, survives a round trip.

    `kind` is the source's own type name, `provider` the family it came from: "openai" (chat), "openai-responses",
    "anthropic" or "gemini".
    """

    kind: str
    raw: Mapping[str, Any]
    provider: str = ""


type ContentPart = TextPart | ImagePart | FilePart | AudioPart | OpaquePart
type Part = ContentPart | ToolCallPart | ToolResultPart | ReasoningPart


@sets_slots
@dataclass(frozen=True, slots=True)
class Message:
    """One message.

    Attributes:
        role: who speaks; a message with role `tool` holds exactly one ToolResultPart.
        parts: what is said, in order; may be empty (an assistant's null content).
        id: unique within its conversation, stable across imports of the same bytes.
        name: the speaker's name, "" when none.
        created: ISO 8601 time of the source, "" when none.
        line: where it stands in the source (1-based line or element number), 0 when it does not apply.
        typed: False for a user message that nobody typed (a command's output, a skill's text, a compaction's summary):
            it is sent like any other, but begins no turn.
        origin: how it stood in a provider's request, for that provider; it is no part of what the message says, and two
            messages that differ in it alone are equal. Parts have one too.
        moved: whether its result stood apart from its call in the source, and was put back beside it.
    """

    role: Role
    parts: tuple[Part, ...]
    id: str = ""
    name: str = ""
    created: str = ""
    line: int = 0
    typed: bool = True
    origin: Origin | None = field(default=None, compare=False, repr=False)
    moved: bool = False


@dataclass(frozen=True, slots=True)
class RecordedRequest:
    """What a provider reported of one request of a conversation.

    Attributes:
        position: how many of the conversation's messages stood in the request; the reply begins at that one.
        input_tokens: all tokens of the input, those read from and written to a cache included.
        cache_read_tokens, cache_write_tokens: how many of them were read from a cache and written to it; 0 where the
            source does not say.
        output_tokens: the tokens of the reply, those of its reasoning included; 0 where the source does not say.
        reasoning_tokens: how many of them were reasoning, None where the source does not say.
        model: the model that answered, "" where the source does not say.
        unwritten_tokens: tokens that the program is known to have added since the request before, and that no text of
            its file has, such as the words of a reminder.
        other_server: whether its reply has the id of another server than the model's maker: what answered may count in
            a way of its own.
        program: the version of the program that sent it, "" where the source does not say. Another one was started
            anew, with system texts and tools of its own.
        ran_at_provider: whether tools of the provider ran for its reply, such as a search of the web: its input, and
            that of those after it, holds what they found, and no file does.
        files_unread: whether its program sent files with it whose texts the source does not hold, such as one that a
            prompt names with `@`: its input, and that of those after it, holds them.
    """

    position: int
    input_tokens: int
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int | None = None
    model: str = ""
    unwritten_tokens: int = 0
    other_server: bool = False
    program: str = ""
    ran_at_provider: bool = False
    files_unread: bool = False


REQUEST_FORM: Final = "requestForm"
"""Under this key `Conversation.metadata` says in which provider's form its requests were sent, where the source can."""

AGENT_WINDOW: Final = "agentWindow"
"""Under this key it says within which context window, in tokens, its agent kept its requests, where the source can."""

WITHOUT_TEXTS: Final = "withoutTexts"
"""True under this key: the source has the calls and results of its requests, and not what was said beside them."""

IDS_BY_LINE: Final = "idsByLine"
"""True under this key: the ids in its calls of `compress` count the lines of its source, and not its messages."""


@sets_slots
@dataclass(frozen=True, slots=True)
class Conversation:
    """One conversation as the model would see it.

    Attributes:
        messages: every message in order, system and developer texts included; any sequence, so that a stored
            conversation may read its messages only when they are looked at.
        tools: the tool definitions the file itself carries, as given (see library.ToolDefinition.raw).
        model: the model the source names, "" when none.
        reported_input_tokens: the input tokens the source's last request reported, None when it does not say.
        recorded: what was reported of each request whose reply is in the conversation, in order; a request whose input
            held other messages than those before its reply, as before a compaction, is left out.
        branches: how many other branches the source has.
        branch_of: the id of the conversation that this one is another branch of, "" for a main branch.
        is_subagent: True for a sub-agent's own run.
    """

    id: str
    title: str
    messages: Sequence[Message]
    tools: tuple[Mapping[str, Any], ...] = ()
    model: str = ""
    reported_input_tokens: int | None = None
    recorded: tuple[RecordedRequest, ...] = ()
    branches: int = 0
    is_subagent: bool = False
    branch_of: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)


def calls_of(message: Message) -> list[ToolCallPart]:
    """The tool calls a message makes, in order."""
    return [part for part in message.parts if isinstance(part, ToolCallPart)]


def results_of(message: Message) -> list[ToolResultPart]:
    """The tool results a message carries, in order."""
    return [part for part in message.parts if isinstance(part, ToolResultPart)]


def result_text(result: ToolResultPart) -> str:
    """The texts of a result, a line each; pictures, files and sound are not told."""
    return "\n".join(part.text for part in result.content if isinstance(part, TextPart))


def call_input(arguments: str) -> dict[str, Any]:
    """A call's arguments as the object some providers ask for; what is no JSON object stands under "arguments"."""
    try:
        value = _DECODER.decode(arguments) if arguments else {}
        if not _can_be_written(arguments):
            json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        return {"arguments": arguments}
    return value if isinstance(value, dict) else {"arguments": value}


def _can_be_written(arguments: str) -> bool:
    """Whether JSON read from this text can surely be written again: without half of a surrogate pair, and not deep."""
    halves = "\\u" in arguments or not arguments.isascii()
    return not halves and arguments.count("[") + arguments.count("{") <= _SURELY_SHALLOW


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


_DECODER: Final = json.JSONDecoder(parse_constant=_no_constant)

#: Brackets up to which nesting cannot come near the interpreter's limit (1,000 calls).
_SURELY_SHALLOW: Final = 100


def text_of(message: Message) -> str:
    """The readable text of a message, without its reasoning, joined by line ends: for labels and search."""
    pieces: list[str] = []
    for part in message.parts:
        match part:
            case TextPart(text=text):
                pieces.append(text)
            case ToolCallPart(name=name, arguments=arguments):
                pieces.append(f"{name} {arguments}")
            case ToolResultPart(content=content):
                pieces.extend(inner.text for inner in content if isinstance(inner, TextPart))
            case _:
                pass
    return "\n".join(pieces)


def message_to_json(message: Message) -> dict[str, Any]:
    """The message as plain data: the shape `budgeteer import --messages` prints and stores keep."""
    data: dict[str, Any] = {"role": message.role, "parts": parts_to_json(message.parts)}
    optional = {"id": message.id, "name": message.name, "created": message.created}
    data |= {key: value for key, value in optional.items() if value}
    if message.line:
        data["line"] = message.line
    if not message.typed:
        data["typed"] = False
    if message.moved:
        data["moved"] = True
    return data | _origin_to_json(message.origin)


def parts_to_json(parts: Sequence[Part]) -> list[dict[str, Any]]:
    """The parts of a message as plain data, as `message_to_json` has them."""
    return [_part_to_json(part) for part in parts]


def parts_from_json(data: Sequence[Mapping[str, Any]]) -> tuple[Part, ...]:
    """The inverse of parts_to_json."""
    return tuple(_part_from_json(part) for part in data)


def message_from_json(data: Mapping[str, Any]) -> Message:
    """The inverse of message_to_json."""
    return Message(
        role=data["role"],
        parts=parts_from_json(data["parts"]),
        id=data.get("id", ""),
        name=data.get("name", ""),
        created=data.get("created", ""),
        line=data.get("line", 0),
        typed=data.get("typed", True),
        origin=origin_from_json(data.get("origin")),
        moved=data.get("moved", False),
    )


def _origin_to_json(origin: Origin | None) -> dict[str, Any]:
    return {} if origin is None else {"origin": origin.to_json()}


def _part_to_json(part: Part) -> dict[str, Any]:
    match part:
        case TextPart(text=text):
            left_out = {"left_out": part.left_out} if part.left_out else {}
            return {"type": "text", "text": text, **left_out, **_origin_to_json(part.origin)}
        case ImagePart():
            return {
                "type": "image",
                "raw": dict(part.raw),
                "width": part.width,
                "height": part.height,
                "detail": part.detail,
            }
        case FilePart():
            return {"type": "file", "raw": dict(part.raw), "name": part.name}
        case AudioPart():
            return {"type": "audio", "raw": dict(part.raw)}
        case ToolCallPart():
            free = {"is_free": True} if part.is_free else {}
            call = {"type": "tool_call", "id": part.id, "name": part.name, "arguments": part.arguments}
            return {**call, **free, **_origin_to_json(part.origin)}
        case ToolResultPart():
            return {
                "type": "tool_result",
                "call_id": part.call_id,
                "content": [_part_to_json(inner) for inner in part.content],
                "is_error": part.is_error,
                **_origin_to_json(part.origin),
            }
        case ReasoningPart():
            return {
                "type": "reasoning",
                "text": part.text,
                "signature": part.signature,
                "encrypted": part.encrypted,
                **({"provider": part.provider} if part.provider else {}),
                **({"id": part.id} if part.id else {}),
                **_origin_to_json(part.origin),
            }
        case OpaquePart():
            return {"type": "opaque", "kind": part.kind, "raw": dict(part.raw), "provider": part.provider}


def _part_from_json(data: Mapping[str, Any]) -> Any:
    origin = origin_from_json(data.get("origin"))
    match data["type"]:
        case "text":
            return TextPart(data["text"], origin, data.get("left_out", 0))
        case "image":
            return ImagePart(data["raw"], data["width"], data["height"], data["detail"])
        case "file":
            return FilePart(data["raw"], data["name"])
        case "audio":
            return AudioPart(data["raw"])
        case "tool_call":
            return ToolCallPart(data["id"], data["name"], data["arguments"], data.get("is_free", False), origin)
        case "tool_result":
            content = tuple(_part_from_json(inner) for inner in data["content"])
            return ToolResultPart(data["call_id"], content, data["is_error"], origin)
        case "reasoning":
            sealed = (data.get("provider", ""), data.get("id", ""))
            return ReasoningPart(data["text"], data["signature"], data["encrypted"], *sealed, origin)
        case "opaque":
            return OpaquePart(data["kind"], data["raw"], data["provider"])
        case other:
            raise ValueError(f"unknown part type {other!r}")
