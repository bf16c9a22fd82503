"""What a request says beside its words and tools: temperature, the choice of a tool, the form of the reply.

It is no part of what is counted or fitted. It goes back to the provider it was read from, and to no other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

REQUEST_SETTINGS: Final = "requestSettings"
"""Under this key `Conversation.metadata` keeps the settings of the request it was read from."""

#: Settings that go only with tools, and are left out of a request without any.
WITH_TOOLS: Final = frozenset({"tool_choice", "parallel_tool_calls", "toolConfig", "tool_config"})


@dataclass(frozen=True, slots=True)
class RequestSettings:
    """The settings of one request.

    Attributes:
        provider: the name of the provider whose request they stood in.
        values: by key, as they came.
    """

    provider: str
    values: Mapping[str, Any]

    def to_metadata(self) -> dict[str, Any]:
        """The settings as a part of `Conversation.metadata`; nothing where there are none."""
        if not self.values:
            return {}
        return {REQUEST_SETTINGS: {"provider": self.provider, "values": dict(self.values)}}

    def sent(self, *, with_tools: bool) -> dict[str, Any]:
        """The settings that go with a request."""
        return {key: value for key, value in self.values.items() if with_tools or key not in WITH_TOOLS}


def settings_in(metadata: Mapping[str, Any]) -> RequestSettings | None:
    """The settings that a conversation's metadata keep, None where there are none."""
    kept = metadata.get(REQUEST_SETTINGS)
    return RequestSettings(kept["provider"], kept["values"]) if kept else None
