"""The bundle: everything that may go into one prompt, with the choice of system text, tools and query made."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, overload

import numpy as np

from budgeteer.engine.content.conversation import (
    AGENT_WINDOW,
    IDS_BY_LINE,
    REQUEST_FORM,
    ROLES,
    Conversation,
    Message,
    RecordedRequest,
    TextPart,
)
from budgeteer.engine.content.library import Chunk, FeatureSpec, Skill, ToolDefinition
from budgeteer.engine.content.request_settings import RequestSettings, settings_in
from budgeteer.engine.content.tool_schemas import schema_of
from budgeteer.engine.content.usage_order import Use
from budgeteer.engine.content.written_messages import is_written
from budgeteer.engine.counting.library_measures import (
    ChunkMeasures,
    FeatureMeasures,
    MeasuredLibrary,
    SkillMeasures,
    ToolMeasures,
    measure_chunks,
    measure_features,
    measure_skills,
    measure_tools,
)
from budgeteer.engine.counting.message_counting import system_text
from budgeteer.engine.counting.message_measures import MessageMeasures, measure_messages
from budgeteer.engine.counting.tokenizers import TokenCounter
from budgeteer.engine.providers.registry import DEFAULT_PROVIDER, PROVIDERS

type SystemKind = Literal["system", "spec", "workspace"]


@dataclass(frozen=True, slots=True)
class SystemText:
    """One text of the system message: the system text itself, a spec file, or the workspace context.

    `tokens` and `followed_tokens` (with a blank line after it) were counted at import; None for a text that was given.
    `message` is the conversation's message that it is the text of, with its row of `measures`; None for any other text.
    """

    id: str
    name: str
    kind: SystemKind
    text: str
    tokens: int | None = None
    followed_tokens: int | None = None
    message: Message | None = None
    measures: MessageMeasures | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, kw_only=True)
class PromptTexts:
    """The texts that are given beside sources.

    Attributes:
        system: a system text that replaces the conversation's own, None to use that.
        specs: (name, text) of spec files. workspace_context: None when there is none.
        query: what the user typed, None to take the conversation's final user message.
    """

    system: str | None = None
    specs: Sequence[tuple[str, str]] = ()
    workspace_context: str | None = None
    query: str | None = None


@dataclass(frozen=True, slots=True)
class Inputs(MeasuredLibrary, PromptTexts):
    """What the user chose, as it was imported. Measures left out are taken anew when the bundle is built.

    `tool_measures` are those of the conversation's own definitions where `tools` is None.

    Attributes:
        conversation, conversation_measures: the conversation, and its measures over all of its messages.
        usage: use of skills by path and of tools by name. usage_source: where it comes from, in words.
    """

    conversation: Conversation | None = None
    conversation_measures: MessageMeasures | None = None
    usage: Mapping[str, Use] = field(default_factory=dict)
    usage_source: str = ""


@dataclass(frozen=True, slots=True)
class Bundle:
    """Everything that may go into one prompt, measured by one tokenizer.

    `history` is a view on the conversation without its leading system messages and without the query, which is its own
    last message or was typed. `notes` are
    sentences on what was taken from where. `reported_input_tokens` is what the source's last request reported,
    `file_input_tokens` what the conversation's own file holds of that request: everything before the last reply.
    `recorded_model` is the model that the source names last, "" where it names none.
    `recorded` is what was reported of each request, its position the row of `history` at which its reply begins;
    `request_form` is the provider in whose form these were sent, "" where the source does not say.
    `file_head_measures` and `file_tool_tokens` are the system texts and tool definitions that its file holds.
    `settings` are those of the request that the conversation was read from, `agent_window_tokens` is the context window
    that its agent knew, None where the source does not say. `ids_by_line`: see conversation.IDS_BY_LINE.
    `prepared` keeps what was read of its texts, so that the next packing need not read them again.
    """

    tokenizer: str
    system: tuple[SystemText, ...]
    tools: Sequence[ToolDefinition]
    tool_measures: ToolMeasures
    skills: Sequence[Skill]
    skill_measures: SkillMeasures
    features: Sequence[FeatureSpec]
    feature_measures: FeatureMeasures
    chunks: Sequence[Chunk]
    chunk_measures: ChunkMeasures
    history: Sequence[Message]
    history_measures: MessageMeasures
    query: Message | None
    query_measures: MessageMeasures
    usage: Mapping[str, Use]
    usage_source: str = ""
    notes: tuple[str, ...] = ()
    reported_input_tokens: int | None = None
    file_input_tokens: int = 0
    recorded: tuple[RecordedRequest, ...] = ()
    recorded_model: str = ""
    request_form: str = ""
    file_head_measures: MessageMeasures | None = None
    file_tool_tokens: int = 0
    settings: RequestSettings | None = None
    agent_window_tokens: int | None = None
    ids_by_line: bool = False
    prepared: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)


def build_bundle(inputs: Inputs, *, counter: TokenCounter, providers: Collection[str] = tuple(PROVIDERS)) -> Bundle:
    """The bundle of what was chosen. Counts only what comes without measures (and a typed query).

    `providers` are the forms that messages without measures are counted for; the bundle is packed in no other.
    """
    talk = inputs.conversation
    messages: Sequence[Message] = talk.messages if talk else ()
    measures = inputs.conversation_measures
    if measures is None:
        measures = measure_messages(messages, counter=counter, providers=providers)
    start = _leading_system(measures)
    system, notes = _system_texts(inputs, messages[:start], measures)
    end, query, query_measures = _query(inputs, messages, measures, counter=counter)
    end = max(end, start)
    tools, tool_note = _tools(inputs)
    skill_measures = inputs.skill_measures or measure_skills(inputs.skills, counter=counter)
    tool_measures = inputs.tool_measures
    if tool_measures is None or len(tool_measures) != len(tools):
        tool_measures = measure_tools(tools, counter=counter)
    return Bundle(
        tokenizer=counter.name,
        system=system,
        tools=tools,
        tool_measures=tool_measures,
        skills=inputs.skills,
        skill_measures=skill_measures,
        features=inputs.features,
        feature_measures=inputs.feature_measures or measure_features(inputs.features, counter=counter),
        chunks=inputs.chunks,
        chunk_measures=inputs.chunk_measures or measure_chunks(inputs.chunks, counter=counter),
        history=BundleSlice(messages, start, end),
        history_measures=measures.taken(slice(start, end)),
        query=query,
        query_measures=query_measures,
        usage=inputs.usage,
        usage_source=inputs.usage_source,
        notes=(*notes, *tool_note),
        reported_input_tokens=talk.reported_input_tokens if talk else None,
        file_input_tokens=_file_input(inputs, measures, tool_measures, counter=counter),
        settings=settings_in(talk.metadata) if talk else None,
        agent_window_tokens=talk.metadata.get(AGENT_WINDOW) if talk else None,
        ids_by_line=talk is not None and talk.metadata.get(IDS_BY_LINE) is True,
        request_form=talk.metadata.get(REQUEST_FORM, "") if talk else "",
        file_head_measures=measures.taken(slice(0, start)),
        file_tool_tokens=_file_tools(inputs, tool_measures, counter=counter),
        recorded=tuple(
            replace(request, position=request.position - start, model=request.model or talk.model)
            for request in talk.recorded
            if request.position >= start
        )
        if talk
        else (),
        recorded_model=_model_named(talk) if talk else "",
    )


def measured_anew(inputs: Inputs, *, counter: TokenCounter, providers: Collection[str] = tuple(PROVIDERS)) -> Inputs:
    """The same inputs, counted by another counter."""
    messages: Sequence[Message] = inputs.conversation.messages if inputs.conversation else ()
    return replace(
        inputs,
        conversation_measures=measure_messages(messages, counter=counter, providers=providers),
        skill_measures=measure_skills(inputs.skills, counter=counter),
        tool_measures=measure_tools(_tools(inputs)[0], counter=counter),
        feature_measures=measure_features(inputs.features, counter=counter),
        chunk_measures=measure_chunks(inputs.chunks, counter=counter),
    )


def _model_named(talk: Conversation) -> str:
    """The model of the last request that names one, or the one that the file names."""
    return next((one.model for one in reversed(talk.recorded) if one.model), talk.model)


def _file_input(inputs: Inputs, measures: MessageMeasures, tools: ToolMeasures, *, counter: TokenCounter) -> int:
    """What the file holds of its last request: the messages before the last reply, and its own tool definitions."""
    if inputs.conversation is None or inputs.conversation.reported_input_tokens is None:
        return 0
    return request_tokens(measures, _own_tools(inputs.conversation, inputs, tools, counter=counter))


def _file_tools(inputs: Inputs, tools: ToolMeasures, *, counter: TokenCounter) -> int:
    """The tokens of the tool definitions in a file that recorded its requests."""
    if inputs.conversation is None or not inputs.conversation.recorded:
        return 0
    own = _own_tools(inputs.conversation, inputs, tools, counter=counter)
    return int(own.of(DEFAULT_PROVIDER).tokens.sum())


def _own_tools(
    conversation: Conversation, inputs: Inputs, tools: ToolMeasures, *, counter: TokenCounter
) -> ToolMeasures:
    return tools if inputs.tools is None else measure_tools(tools_of(conversation), counter=counter)


def request_tokens(measures: MessageMeasures, own_tools: ToolMeasures) -> int:
    """Tokens of a conversation's last request: its messages before the last reply and its own tool definitions.

    That is what a source reports as the input tokens of that request, as far as its file holds them.
    """
    replies = np.flatnonzero(measures.role == ROLES.index("assistant"))
    before = measures.taken(slice(0, int(replies[-1]) if len(replies) else len(measures)))
    said, given = before.of(DEFAULT_PROVIDER).before_tokens, own_tools.of(DEFAULT_PROVIDER).tokens
    return int(said.sum() + before.frame_tokens.sum() + given.sum())


def tools_of(conversation: Conversation) -> tuple[ToolDefinition, ...]:
    """The tool definitions a conversation's file carries."""
    return tuple(tool_from_raw(raw) for raw in conversation.tools)


def tool_from_raw(raw: Mapping[str, Any]) -> ToolDefinition:
    """One definition in any provider's form, or MCP's, as a ToolDefinition.

    Of only a name and a description it is a function without parameters; a tool that runs at a provider has a type.
    """
    function = raw.get("function")
    if isinstance(function, Mapping):
        parameters = function.get("parameters")
        return ToolDefinition(
            str(function.get("name", "")),
            str(function.get("description") or ""),
            parameters if isinstance(parameters, Mapping) else {"type": "object", "properties": {}},
            "openai",
            raw,
        )
    name, description = str(raw.get("name", "")), str(raw.get("description") or "")
    found = schema_of(raw)
    if found is not None:
        return ToolDefinition(name, description, *found, raw)
    if name and "type" not in raw:
        return ToolDefinition(name, description, {"type": "object", "properties": {}}, "mcp", raw)
    return ToolDefinition(name or str(raw.get("type", "")), description, None, "anthropic", raw)


def _leading_system(measures: MessageMeasures) -> int:
    start = 0
    while start < len(measures) and measures.role[start] <= 1:
        start += 1
    return start


def _system_texts(
    inputs: Inputs, leading: Sequence[Message], measures: MessageMeasures
) -> tuple[tuple[SystemText, ...], list[str]]:
    texts: list[SystemText] = []
    notes: list[str] = []
    if inputs.system is not None:
        texts.append(SystemText("system:given", "System text", "system", inputs.system))
        if leading:
            notes.append("The system text given is used instead of the conversation's own.")
    else:
        for row, message in enumerate(leading):
            name = "System text" if len(leading) == 1 else f"System text {row + 1}"
            text = SystemText(f"system:{message.id or row + 1}", name, "system", system_text(message))
            counts = (int(measures.system_tokens[row]), int(measures.followed_tokens[row]))
            own = measures.taken(slice(row, row + 1))
            texts.append(replace(text, tokens=counts[0], followed_tokens=counts[1], message=message, measures=own))
        if leading:
            notes.append("The conversation's own system text is used.")
    texts += [SystemText(f"spec:{name}", name, "spec", text) for name, text in inputs.specs]
    if inputs.workspace_context:
        texts.append(SystemText("workspace", "Workspace context", "workspace", inputs.workspace_context))
    return tuple(text for text in texts if text.text), notes


def _query(
    inputs: Inputs, messages: Sequence[Message], measures: MessageMeasures, *, counter: TokenCounter
) -> tuple[int, Message | None, MessageMeasures]:
    if inputs.query:
        typed = Message("user", (TextPart(inputs.query),), id="query")
        return len(messages), typed, measure_messages([typed], counter=counter)
    last = len(messages) - 1
    # A summary or notice that an earlier packing wrote asks for nothing.
    if last >= 0 and measures.role[last] == 2 and not is_written(messages[last]):
        return last, messages[last], measures.taken(slice(last, last + 1))
    return len(messages), None, measures.taken(slice(0, 0))


def _tools(inputs: Inputs) -> tuple[Sequence[ToolDefinition], list[str]]:
    own = tools_of(inputs.conversation) if inputs.conversation else ()
    if inputs.tools is None:
        return own, ["The conversation's own tool definitions are used."] if own else []
    if own:
        return inputs.tools, ["The tool definitions given are used instead of the conversation's own."]
    return inputs.tools, []


#: Messages that are read together where all are: stored ones lie in chunks of as many.
READ_AT_ONCE: Final = 256


class BundleSlice(Sequence[Message]):
    """A stretch of a longer sequence of messages, read only where it is looked at."""

    def __init__(self, messages: Sequence[Message], start: int, end: int) -> None:
        self._messages = messages
        self._start = start
        self._length = max(end - start, 0)

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> Message: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Message]: ...
    def __getitem__(self, index: int | slice) -> Message | Sequence[Message]:
        if isinstance(index, slice):
            start, end, step = index.indices(self._length)
            if step == 1:
                return self._messages[self._start + start : self._start + max(start, end)]
            return [self[at] for at in range(start, end, step)]
        at = index + self._length if index < 0 else index
        if not 0 <= at < self._length:
            raise IndexError(index)
        return self._messages[self._start + at]

    def __iter__(self) -> Iterator[Message]:
        for start in range(0, self._length, READ_AT_ONCE):
            yield from self[start : start + READ_AT_ONCE]
