"""Library items of a prompt (skills, tool definitions, feature specs, retrieved chunks), and the library of them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, get_args

type ToolForm = Literal["openai", "responses", "anthropic", "gemini", "mcp"]
"""The forms of a tool definition: those of providers, and "mcp", which is none's own and is rewritten for each."""

TOOL_FORMS: Final[tuple[ToolForm, ...]] = get_args(ToolForm.__value__)


#: The key of a skill's front matter that keeps it from the model.
HIDING_KEY: Final = "disable-model-invocation"


@dataclass(frozen=True, slots=True)
class Skill:
    """One `SKILL.md`.

    Attributes:
        name, description: from the front matter, as written.
        path: where its file lies inside the library, with forward slashes and without the archive's own prefix
            (`repo-sha/`), e.g. `git/commit/SKILL.md`.
        body: the text under the front matter; shown apart, not part of the skills block.
        file_bytes: size of the whole SKILL.md in bytes (UTF-8, as stored).
        modified: ISO 8601 time of the file, "" when unknown.
        metadata: every other front-matter key, as plain data.
    """

    name: str
    description: str
    path: str
    body: str = ""
    file_bytes: int = 0
    modified: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_hidden(self) -> bool:
        """Whether its front matter keeps it from the model (`disable-model-invocation`), so that only people call it.

        Claude Code documents the key; harnesses that know it leave the skill out of the list. The words that count as
        true are true, yes, on and 1, quoted or not: YAML's own, and those that OpenClaw's tests of the key accept.
        """
        value = self.metadata.get(HIDING_KEY)
        return value is not None and str(value).strip().lower() in ("true", "yes", "on", "1")


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """One tool a model may call.

    Attributes:
        name, description: as given ("" when the source has none).
        parameters: the JSON Schema of its input; None for a server tool that has only a type.
        form: the provider form it came in; "mcp" where it is no provider's own and is rewritten for each.
        raw: the definition exactly as given, for the round trip.
    """

    name: str
    description: str
    parameters: Mapping[str, Any] | None
    form: ToolForm
    raw: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class FeatureSpec:
    """One feature specification, loaded whole. `path` is inside its folder; `text` the file as it is."""

    path: str
    title: str
    summary: str
    text: str


@dataclass(frozen=True, slots=True)
class Chunk:
    """One retrieved passage. `score` is None where the source has none (then the given order rules)."""

    text: str
    id: str = ""
    score: float | None = None
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Library:
    """The library items that one file holds, or that one prompt may list.

    `tools` None gives no definitions at all: a prompt then lists those of its own conversation.
    """

    skills: Sequence[Skill] = ()
    tools: Sequence[ToolDefinition] | None = None
    features: Sequence[FeatureSpec] = ()
    chunks: Sequence[Chunk] = ()

    @property
    def item_count(self) -> int:
        """The number of all items together."""
        return len(self.skills) + len(self.tools or ()) + len(self.features) + len(self.chunks)


def compact_json(value: object) -> str:
    """JSON without white space, non-ASCII kept: the text a tool definition is counted and sent as.

    Any mapping is written as an object.
    """
    return _COMPACT.encode(value)


def json_object(value: object) -> dict[str, Any]:
    """Any mapping as what a JSON encoder writes; for its `default`.

    Raises:
        TypeError: it is none.
    """
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is no JSON")


_COMPACT: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=json_object)


def described(tool: ToolDefinition) -> dict[str, Any]:
    """The name, and the description where there is one: how every provider's form of a function begins."""
    is_said = bool(tool.description) or fields_of(tool).get("description") == ""
    return {"name": tool.name, **({"description": tool.description} if is_said else {})}


def fields_of(tool: ToolDefinition) -> Mapping[str, Any]:
    """The fields of a function's definition; chat keeps them in an object inside."""
    inner = tool.raw.get("function")
    return inner if isinstance(inner, Mapping) else tool.raw


def is_strict(tool: ToolDefinition) -> bool:
    """Whether the definition asks for arguments exactly by its schema, as OpenAI's two forms can say."""
    return fields_of(tool).get("strict") is True


def server_tool_form(raw: Mapping[str, Any]) -> ToolForm:
    """Whose form a tool without parameters has: it runs at that provider, and only that one takes it.

    Anthropic's have a type with a date (`web_search_20250305`) or are an `mcp_toolset`, Gemini's have no type at all,
    a `custom` tool in chat's form names itself inside, and every other one is OpenAI's, for Responses.
    """
    kind = raw.get("type")
    if kind is None:
        return "gemini"
    if kind == "mcp_toolset" or re.search(r"_\d{8}$", str(kind)):
        return "anthropic"
    return "openai" if kind == "custom" and "custom" in raw else "responses"
