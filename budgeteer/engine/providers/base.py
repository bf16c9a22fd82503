"""What a provider is: one row of the registry, with everything the rest asks about it.

What is counted is what is sent, because the measuring and the rendering ask the same row. Each provider's folder fills
a row; `registry` lists the rows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from budgeteer.engine.content.conversation import ImagePart, Message, OpaquePart, Part, ReasoningPart, Role, TextPart
from budgeteer.engine.content.library import ToolDefinition, ToolForm, fields_of, server_tool_form
from budgeteer.engine.providers.call_arguments import ArgumentForm
from budgeteer.engine.providers.names import ProviderName
from budgeteer.engine.providers.tool_names import ToolNames

ALL_ROLES: Final[frozenset[Role]] = frozenset({"system", "developer", "user", "assistant", "tool"})
NO_SYSTEM: Final[frozenset[Role]] = frozenset({"user", "assistant", "tool"})

COOKBOOK: Final = (
    "https://developers.openai.com/cookbook/examples/how_to_count_tokens_with_tiktoken, section 6, checked 2026-11-21"
)
#: The source of a charge that a provider does not publish.
STAND_IN: Final = f"not published; OpenAI's chat formula stands in ({COOKBOOK})"
NOT_CHARGED: Final = "not published, and not measured; nothing is added beside the texts"
NO_PREAMBLE: Final = "not published; nothing is added beside the definitions themselves"


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


#: What a request that asks for a call costs more, where no provider says.
FORCED: Final = Charge(0, "not published; nothing is added for tool_choice")


@dataclass(frozen=True, slots=True)
class ProviderOverhead:
    """What a request costs beside its texts.

    Attributes:
        message: the frame of one message, without its role.
        system: what stands around the system text where it has a field of its own, None where that is the frame of a
            message.
        speaker: what a name adds beside its own tokens, None where a message can have no name.
        reply: priming of the reply, once a request.
        call: what stands around a tool call and its result, beside the frames of their messages.
        calling: what stands once around the calls of a message, however many they are.
        parallel: what stands once around several calls of one message and their results, beside these two.
        parameter: what stands around each parameter of a call whose arguments are read one by one.
        failed: what a result takes more that says that its call failed.
        reasoning: what stands around reasoning that is sent back.
        tools: what the provider adds once when tools are given.
        forced: what it adds instead where the settings ask for a call.
        tools_of: both by model, for those that it publishes by themselves.
    """

    message: Charge
    system: Charge | None
    speaker: Charge | None
    reply: Charge
    tools: Charge
    forced: Charge
    call: Charge
    parallel: Charge
    parameter: Charge
    calling: Charge = Charge(0, NOT_CHARGED)
    failed: Charge = Charge(0, NOT_CHARGED)
    reasoning: Charge = Charge(0, NOT_CHARGED)
    tools_of: Mapping[str, tuple[Charge, Charge]] = field(default_factory=dict)

    def for_tools(self, model: str, *, is_forced: bool) -> Charge:
        """What is added once for a model when tools are given, by whether the settings ask for a call."""
        tools, forced = self.tools_of.get(model, (self.tools, self.forced))
        return forced if is_forced else tools


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a provider accepts.

    Attributes:
        roles: the roles a message of the history may have.
        argument_form: how a call's arguments are sent, and which texts of them are counted.
        marks_errors: whether a result can say that the call failed.
        first_is_user: whether the first message must be the user's.
        results_in_order: whether results must stand in the order of their calls.
        reasoning_first: whether reasoning must stand before every other part of its message.
        joins_neighbours: whether messages of one role in a row are sent as one.
        system_in_two_places: whether the first system text has a field of its own, and may be a message as well.
        call_id: what a call id must match, None when anything goes.
        takes_text: whether it takes this text as a part.
        takes_media: whether it takes a picture, file or sound in a message of that role (`tool`: inside a result),
            given the part, the object it came as, and the role.
        takes_reasoning: whether reasoning of its own family can be sent back.
        reasoning_sealed: whether all reasoning is sent back sealed, so that none of it can be read in a request.
        takes_opaque: whether a part of its own family may stand in a message of that role.
        is_part: whether a part of its own family has what it asks of every part; else it is sent as its JSON.
        sealed_key: where a part of its own family has what only the provider can read, None where there is no such.
    """

    roles: frozenset[Role]
    argument_form: ArgumentForm
    marks_errors: bool
    first_is_user: bool
    results_in_order: bool
    reasoning_first: bool
    joins_neighbours: bool
    system_in_two_places: bool
    call_id: re.Pattern[str] | None
    takes_text: Callable[[str], bool]
    takes_media: Callable[[Part, Mapping[str, object], Role], bool]
    takes_reasoning: Callable[[ReasoningPart], bool]
    reasoning_sealed: bool
    takes_opaque: Callable[[OpaquePart, Role], bool]
    is_part: Callable[[OpaquePart], bool]
    sealed_key: str | None = None

    @property
    def system_messages(self) -> bool:
        """Whether each system text may be a message of its own; else all of them stand in one field."""
        return "system" in self.roles


@dataclass(frozen=True, slots=True)
class ToolReading:
    """How the models of some makers read tool definitions, where that is known and is not the JSON that is sent.

    The text is `opening`, the definitions, `closing`; the counts of the definitions add up between the two, and `each`
    with every one of them.

    Attributes:
        text: one definition, ending with its own line ends; None for one that is not read so.
        is_published: whether published counts cover everything that a definition says.
        opening, closing: what stands around all definitions.
        each: tokens around every definition, beside its text.
        charge: tokens beside that text, once; None where the provider charges for tools by the model
            (`ProviderOverhead.for_tools`).
        shared_with_system: how many of them are not charged again where a system message comes first; that message
            then ends with a line end. None where a system text is no part of that text.
        makers: the providers of the models that read definitions so. models: those that the published counts name.
    """

    text: Callable[[ToolDefinition], str | None]
    is_published: Callable[[ToolDefinition], bool]
    opening: str
    closing: str
    each: Charge
    charge: Charge | None
    shared_with_system: int | None
    makers: frozenset[str]
    models: frozenset[str]


#: What a definition of a function says in every form, under one of these names.
_OF_EVERY_FORM: Final = frozenset(
    {"type", "name", "description", "parameters", "input_schema", "parametersJsonSchema", "parameters_json_schema"}
)


@dataclass(frozen=True, slots=True)
class ToolRendering:
    """The form of tool definitions in a provider's requests. Several providers may share one.

    Attributes:
        form: its name, as in `ToolDefinition.form`.
        title: whose form it is, as shown to people.
        write: a function tool that came in another form, written in this one.
        reading: how its own models read definitions, None where that is not known.
        names: which names of tools it takes, in definitions and calls.
        fields: what it writes of a definition beside its name, description and schema.
        counts_are_published: whether the counts that `reading` gives were checked with requests of this provider.
    """

    form: ToolForm
    title: str
    write: Callable[[ToolDefinition], dict[str, Any]]
    reading: ToolReading | None
    names: ToolNames
    counts_are_published: bool
    fields: frozenset[str] = frozenset()

    def rendered(self, tool: ToolDefinition) -> dict[str, Any]:
        """Return the definition in this form: as it came where that is its own, or where it has only a type.

        A name that the provider refuses is replaced, see ToolNames.
        """
        tool = self.named(tool)
        if tool.form == self.form or tool.parameters is None:
            return dict(tool.raw)
        return self.write(tool)

    def named(self, tool: ToolDefinition) -> ToolDefinition:
        """The definition under the name that it is sent by; a tool that has only a type has the provider's name."""
        if not self.renames(tool):
            return tool
        name, raw = self.names.sent(tool.name), dict(tool.raw)
        inner = raw.get("function")
        if isinstance(inner, Mapping):
            raw["function"] = {**inner, "name": name}
        else:
            raw["name"] = name
        return replace(tool, name=name, raw=raw)

    def renames(self, tool: ToolDefinition) -> bool:
        """Whether the provider refuses the name of a definition."""
        return tool.parameters is not None and not self.names.takes(tool.name)

    def loses_fields(self, tool: ToolDefinition) -> bool:
        """Whether the definition says something that only the form it came in can say (`cache_control`, say)."""
        if tool.form in (self.form, "mcp") or tool.parameters is None:
            return False
        return any(value for key, value in fields_of(tool).items() if key not in _OF_EVERY_FORM | self.fields)

    def is_sent(self, tool: ToolDefinition) -> bool:
        """Whether the provider takes the definition: a function always; a tool that runs at a provider only there."""
        return tool.parameters is not None or server_tool_form(tool.raw) == self.form


@dataclass(frozen=True, slots=True)
class RequestContent:
    """What a request is made of, chosen and in order, before it takes a provider's form.

    Attributes:
        model: the model's name.
        output_reserve: tokens kept free for the reply.
        system: the system messages before the history.
        messages: everything else that is said: history and query.
        tools: the definitions, in the provider's form.
    """

    model: str
    output_reserve: int
    system: Sequence[Message]
    messages: Sequence[Message]
    tools: Sequence[dict[str, Any]]

    @property
    def system_parts(self) -> list[TextPart]:
        """The texts of the system messages, for a provider that has one field for all of them."""
        return [part for message in self.system for part in message.parts if isinstance(part, TextPart)]


type Request = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ProviderRule:
    """One rule of a provider's requests.

    Attributes:
        name: as reports and the JSON of a packing name it.
        promise: what holds of a request that keeps it.
        fault: how a request in the provider's form breaks it, "" when it is kept; looks at the JSON alone.
    """

    name: str
    promise: str
    fault: Callable[[Request], str]


@dataclass(frozen=True, slots=True)
class Provider:
    """One provider's request form: what it accepts, what it costs, how it is written.

    Attributes:
        name: as in `--request` and `validity:<name>`.
        title: as shown to people.
        family: what a part's `provider` says that only this form can be sent again (see OpaquePart).
        column_prefix: how its columns among stored measures begin.
        request_keys: the keys of a request body that packing writes; every other key is handed back as it came.
        settings: the keys of a request body beside those, which its own requests have again.
        forces_tool: whether settings ask for a call of some tool, or of one tool.
        plain_as: the provider whose request a body of plain texts looks like as well, None where it looks like no
            other's; such a body is told by its model.
        capabilities, overhead: what it accepts, what it charges beside texts.
        image_tokens: the published estimate of a picture's tokens, None where it needs a size that is not known.
        tools: the form of tool definitions.
        render: a request, ready to send.
        rules: what its requests must keep.
    """

    name: ProviderName
    title: str
    family: str
    column_prefix: str
    request_keys: tuple[str, ...]
    settings: frozenset[str]
    forces_tool: Callable[[Mapping[str, Any]], bool]
    plain_as: ProviderName | None
    capabilities: Capabilities
    overhead: ProviderOverhead
    image_tokens: Callable[[ImagePart], int | None]
    tools: ToolRendering
    render: Callable[[RequestContent], dict[str, Any]]
    rules: tuple[ProviderRule, ...]
