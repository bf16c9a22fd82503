"""Provider profiles: what each request format can say, what its frames cost, what an image costs.

A profile is one row; a new provider is a new row. Everything a part needs to know about a provider is asked here, by
the measuring and by the rendering alike, so that what is counted is what is sent.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from budgeteer.engine.chat import (
    AudioPart,
    FilePart,
    ImagePart,
    OpaquePart,
    Part,
    ReasoningPart,
    Role,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)


@dataclass(frozen=True, slots=True)
class Profile:
    """One provider's request format.

    Attributes:
        name: as in `--request` and `validity:<name>`.
        title: as shown to people.
        roles: the roles a message of the history may have.
        tokens_per_message: the frame of one message, in tokens.
        tokens_per_name: what a name adds beside its own tokens.
        tokens_for_reply: priming of the reply, once a request.
        tools_preamble_tokens: what the provider adds once when tools are given.
        tool_form: the form tool definitions are sent in.
        call_id: what a call id must match, None when anything goes.
        source: where these numbers come from.
    """

    name: str
    title: str
    roles: frozenset[Role]
    tokens_per_message: int
    tokens_per_name: int
    tokens_for_reply: int
    tools_preamble_tokens: int
    tool_form: str
    call_id: re.Pattern[str] | None
    source: str


PROFILES: Final[Mapping[str, Profile]] = {
    "openai-chat": Profile(
        name="openai-chat",
        title="OpenAI chat completions",
        roles=frozenset({"system", "developer", "user", "assistant", "tool"}),
        tokens_per_message=3,
        tokens_per_name=1,
        tokens_for_reply=3,
        tools_preamble_tokens=0,
        tool_form="openai",
        call_id=None,
        source="OpenAI cookbook, How to count tokens with tiktoken, section 6",
    ),
    "anthropic": Profile(
        name="anthropic",
        title="Anthropic Messages",
        roles=frozenset({"user", "assistant", "tool"}),
        tokens_per_message=3,
        tokens_per_name=0,
        tokens_for_reply=3,
        tools_preamble_tokens=346,
        tool_form="anthropic",
        call_id=re.compile(r"^[a-zA-Z0-9_-]{1,64}$"),
        source="Anthropic documentation, tool use: 346 system tokens with tool_choice auto; "
        "frames are not published, OpenAI's formula stands in",
    ),
}

#: The profile that stands in where a model's own is not rendered yet.
DEFAULT_PROFILE: Final = "openai-chat"


def can_express(part: Part, profile: str, *, in_result: bool = False) -> bool:
    """Whether the provider takes this part (inside a tool result when `in_result`).

    OpenAI chat: text, images, audio and its own file parts in messages, text only in tool results; no reasoning.
    Anthropic: text that is not blank, images, its own documents, thinking with a signature, its own server blocks.
    """
    openai = profile == "openai-chat"
    match part:
        case TextPart(text=text):
            return openai or bool(text.strip())
        case ImagePart():
            return not (openai and in_result)
        case FilePart(raw=raw):
            return not in_result and raw.get("type") == "file" if openai else raw.get("type") == "document"
        case AudioPart(raw=raw):
            return openai and not in_result and raw.get("type") == "input_audio"
        case ReasoningPart(signature=signature, encrypted=encrypted):
            return not openai and bool(signature or encrypted)
        case OpaquePart(provider=provider):
            return provider == ("openai" if openai else "anthropic")
        case ToolCallPart() | ToolResultPart():
            return True


def image_tokens(image: ImagePart, profile: str) -> int | None:
    """The provider's published estimate from the pixel size; None where the size is not known.

    OpenAI (vision guide, gpt-4o): fit in 2048 x 2048, then the short side to 768; 85 + 170 per 512-pixel tile; 85 at
    low detail. Anthropic (vision guide): fit in 1568 pixels on the long side, then width x height / 750.
    """
    if profile == "openai-chat" and image.detail == "low":
        return 85
    if not image.width or not image.height:
        return None
    width, height = float(image.width), float(image.height)
    if profile == "anthropic":
        scale = min(1.0, 1568 / max(width, height))
        return math.ceil(width * scale * height * scale / 750)
    scale = min(1.0, 2048 / max(width, height))
    width, height = width * scale, height * scale
    scale = min(1.0, 768 / min(width, height))
    return 85 + 170 * math.ceil(width * scale / 512) * math.ceil(height * scale / 512)
