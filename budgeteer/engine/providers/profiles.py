"""Provider profiles: what each request format can say and what its frames cost, with a source for every number.

A profile is one row; a new provider is a new row. Everything a part needs to know about a provider is asked here, by
the measuring and by the rendering alike, so that what is counted is what is sent. What a message may hold is in
`expressing`, what a picture costs in `pictures`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from budgeteer.engine.content.conversation import Role
from budgeteer.engine.content.library import RequestForm


@dataclass(frozen=True, slots=True)
class Charge:
    """Tokens beside the texts.

    Attributes:
        tokens: how many.
        source: the page that says so, and the day it was read; or whose number stands in.
        published: False where the provider publishes none: the entry is then `estimated`, whatever counted.
    """

    tokens: int
    source: str
    published: bool = False


@dataclass(frozen=True, slots=True)
class Profile:
    """One provider's request format.

    Attributes:
        name: as in `--request` and `validity:<name>`.
        title: as shown to people.
        family: what a part's `provider` says that only this format can be sent again (see chat.OpaquePart).
        prefix: how its columns among the measures begin; also the form tool definitions are sent in.
        roles: the roles a message of the history may have.
        message: the frame of one message, without its role.
        speaker: what a name adds beside its own tokens, None where a message can have no name.
        reply: priming of the reply, once a request.
        tools: what the provider adds once when tools are given.
        calls_as_objects: whether a call's arguments are sent as an object, and so counted as compact JSON; else as
            the text the model wrote.
        marks_errors: whether a result can say that the call failed.
        first_is_user: whether the first message must be the user's.
        results_in_order: whether results must stand in the order of their calls.
        call_id: what a call id must match, None when anything goes.
    """

    name: str
    title: str
    family: str
    prefix: RequestForm
    roles: frozenset[Role]
    message: Charge
    speaker: Charge | None
    reply: Charge
    tools: Charge
    calls_as_objects: bool
    marks_errors: bool
    first_is_user: bool
    results_in_order: bool
    call_id: re.Pattern[str] | None

    @property
    def system_messages(self) -> bool:
        """Whether each system text may be a message of its own; else all of them stand in one field."""
        return "system" in self.roles


_COOKBOOK: Final = (
    "https://developers.openai.com/cookbook/examples/how_to_count_tokens_with_tiktoken, section 6, checked 2026-11-21"
)
_STAND_IN: Final = f"not published; OpenAI's chat formula stands in ({_COOKBOOK})"
_NO_PREAMBLE: Final = "not published; nothing is added beside the definitions themselves"

_ALL_ROLES: Final[frozenset[Role]] = frozenset({"system", "developer", "user", "assistant", "tool"})
_NO_SYSTEM: Final[frozenset[Role]] = frozenset({"user", "assistant", "tool"})

PROFILES: Final[Mapping[str, Profile]] = {
    "openai-chat": Profile(
        name="openai-chat",
        title="OpenAI chat completions",
        family="openai",
        prefix="openai",
        roles=_ALL_ROLES,
        message=Charge(3, _COOKBOOK, published=True),
        speaker=Charge(1, _COOKBOOK, published=True),
        reply=Charge(3, _COOKBOOK, published=True),
        tools=Charge(0, _NO_PREAMBLE),
        calls_as_objects=False,
        marks_errors=False,
        first_is_user=False,
        results_in_order=False,
        call_id=None,
    ),
    "openai-responses": Profile(
        name="openai-responses",
        title="OpenAI Responses",
        family="openai-responses",
        prefix="responses",
        roles=_ALL_ROLES,
        message=Charge(3, _STAND_IN),
        speaker=None,
        reply=Charge(3, _STAND_IN),
        tools=Charge(0, _NO_PREAMBLE),
        calls_as_objects=False,
        marks_errors=False,
        first_is_user=False,
        results_in_order=False,
        # https://developers.openai.com/api/reference/resources/responses/methods/create, `call_id`: 1 to 64 characters;
        # checked 2026-11-22.
        call_id=re.compile(r"^.{1,64}\Z", re.DOTALL),
    ),
    "anthropic": Profile(
        name="anthropic",
        title="Anthropic Messages",
        family="anthropic",
        prefix="anthropic",
        roles=_NO_SYSTEM,
        message=Charge(3, _STAND_IN),
        speaker=None,
        reply=Charge(3, _STAND_IN),
        tools=Charge(
            346,
            "https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview, Pricing: system prompt for tools, "
            "tool_choice auto, Claude 4; checked 2026-11-21",
            published=True,
        ),
        calls_as_objects=True,
        marks_errors=True,
        first_is_user=True,
        results_in_order=False,
        # https://platform.claude.com/docs/en/api/messages/create, `tool_use.id`; checked 2026-11-21.
        call_id=re.compile(r"^[a-zA-Z0-9_-]{1,64}\Z"),
    ),
    "gemini": Profile(
        name="gemini",
        title="Gemini generateContent",
        family="gemini",
        prefix="gemini",
        roles=_NO_SYSTEM,
        message=Charge(3, _STAND_IN),
        speaker=None,
        reply=Charge(3, _STAND_IN),
        tools=Charge(0, _NO_PREAMBLE),
        calls_as_objects=True,
        marks_errors=True,
        first_is_user=True,
        # https://ai.google.dev/gemini-api/docs/function-calling, "Parallel function calling", and the API's own 400: as
        # many function responses as calls, in one turn; checked 2026-11-22.
        results_in_order=True,
        call_id=None,
    ),
}

#: The profile that counts where no model is named.
DEFAULT_PROFILE: Final = "openai-chat"
