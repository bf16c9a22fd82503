"""The public Python API: read files, pack prompts and request bodies, ask what if, without a dashboard.

Everything here but `connect` works without a network, and all of it without a database or Django settings.
`import budgeteer` loads it on first use:

    import budgeteer

    packed = budgeteer.pack_request(body, {"model": "gpt-4o", "history": {"strategy": "newestFirst"}})
    client.chat.completions.create(**packed.body)

Configurations are BudgetConfig objects or mappings of the same shape (`budgeteer config schema` describes it).
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from budgeteer.engine.analysis.cache.session_cache import DEFAULT_PAUSE_SECONDS, CachePlan
from budgeteer.engine.analysis.compare.compare import Comparison
from budgeteer.engine.analysis.compare.compare import compare as compare_bundles
from budgeteer.engine.analysis.deferred_tools import DeferredTools
from budgeteer.engine.analysis.deferred_tools import deferred_tools as _deferred_tools
from budgeteer.engine.analysis.evaluation.chunk import (
    CHUNK,
    NamedConfig,
    NamedConversation,
    empty_totals,
    evaluate_chunk,
)
from budgeteer.engine.analysis.evaluation.evaluation import Evaluation
from budgeteer.engine.analysis.fit_plan.fit_plan import FitPlan
from budgeteer.engine.analysis.fit_plan.fit_plan import fit_plan as fit_plan_of
from budgeteer.engine.analysis.packing_json import packing_to_json
from budgeteer.engine.analysis.replay.autocompress import policy_named
from budgeteer.engine.analysis.replay.harness_replay import HarnessReplay, replay_harnesses
from budgeteer.engine.analysis.replay.policies import PolicyTotals, compare_policies
from budgeteer.engine.analysis.replay.replay import Replay
from budgeteer.engine.analysis.replay.replay import replay as replay_subject
from budgeteer.engine.analysis.sweep.probe import Subject
from budgeteer.engine.analysis.sweep.sweep import Sweep
from budgeteer.engine.analysis.sweep.sweep import sweep as sweep_subject
from budgeteer.engine.config.schema import BudgetConfig, load_config
from budgeteer.engine.content.conversation import Conversation as ImportedConversation
from budgeteer.engine.content.conversation import Message, TextPart
from budgeteer.engine.content.library import Library
from budgeteer.engine.content.usage_order import Use
from budgeteer.engine.counting.growing_measures import GrowingMeasures
from budgeteer.engine.counting.message_measures import MessageMeasures
from budgeteer.engine.counting.tokenizers import TokenCounter, counter_for
from budgeteer.engine.errors import BudgeteerError, BudgetExceeded, ConfigError, FormatError, InputError
from budgeteer.engine.inputs.bundle import Bundle, Inputs, PromptTexts, build_bundle
from budgeteer.engine.inputs.item_usage import with_usage
from budgeteer.engine.inputs.prompt_sources import PromptSource, build_inputs, join_libraries
from budgeteer.engine.models.registry import MODELS, model
from budgeteer.engine.packing.allocation import tokenizer_of
from budgeteer.engine.packing.result import Packing
from budgeteer.engine.providers.names import ProviderName
from budgeteer.engine.providers.registry import PROVIDERS
from budgeteer.engine.rendering import render_request, render_text
from budgeteer.engine.rendering.validity import check_packing
from budgeteer.formats.detect import import_bytes, import_folder
from budgeteer.formats.messages.imported import Imported
from budgeteer.formats.reading.limits import COMMAND_LINE_LIMITS

if TYPE_CHECKING:
    from budgeteer.client.remote import Remote

__all__ = [
    "BudgetConfig",
    "BudgetExceeded",
    "BudgeteerError",
    "Comparison",
    "ConfigError",
    "Conversation",
    "Evaluation",
    "FitPlan",
    "FormatError",
    "Imported",
    "InputError",
    "Message",
    "PackedRequest",
    "Packing",
    "Replay",
    "Sources",
    "Sweep",
    "agents",
    "compare",
    "connect",
    "deferred_tools",
    "evaluate",
    "fit_plan",
    "load",
    "load_config",
    "pack",
    "pack_request",
    "packing_to_json",
    "policies",
    "read",
    "render_request",
    "render_text",
    "replay",
    "sweep",
]

type Config = BudgetConfig | Mapping[str, Any] | None
#: Keys that only go with tools, and are left out of a body whose tools were all left out.
_WITH_TOOLS: Final = ("tool_choice", "parallel_tool_calls", "toolConfig", "tool_config")
#: Where a request body says how long the reply may be; the output reserve follows it unless the configuration sets one.
_REPLY_LIMITS: Final = ("max_completion_tokens", "max_output_tokens", "max_tokens")


@dataclass(frozen=True)
class Sources(Library, PromptTexts):
    """What goes into one prompt: a conversation, libraries and texts. Each tokenizer counts them once.

    Attributes:
        conversation: an imported conversation, or None.
        skills, tools, features, chunks: libraries; tools None takes the conversation's own definitions.
        system: a system text that replaces the conversation's own. workspace_context: a text after it.
        specs: (name, text) of specification files. query: what the user asks now.
        usage: recorded use of skills and tools, for the orders `recent` and `frequent`.
    """

    conversation: ImportedConversation | None = None
    usage: Mapping[str, Use] = field(default_factory=lambda: MappingProxyType({}))
    _bundles: dict[tuple[str, bool], Bundle] = field(default_factory=dict, init=False, repr=False, compare=False)

    def subject(self, config: Config = None, *, provider: ProviderName | None = None) -> Subject:
        """Return the measured sources under a configuration, ready to pack, sweep or replay.

        Raises:
            ConfigError: the configuration is not valid.
            TokenizerUnavailable: the model's vocabulary is not packaged.
        """
        settings = config_of(config)
        counter = counter_for(tokenizer_of(settings))
        bundle = self.bundle(settings, counter)
        return Subject(bundle, settings, counter, provider=provider, recount=self._recounted)

    def bundle(self, config: BudgetConfig, counter: TokenCounter) -> Bundle:
        """Return the measured bundle for a configuration; what a tokenizer counted once is not counted again."""
        inputs = self._inputs(counter)
        used = with_usage(inputs, config, self.usage)
        key = (counter.name, used is inputs)
        if used is not inputs:
            return build_bundle(used, counter=counter)
        if key not in self._bundles:
            self._bundles[key] = build_bundle(inputs, counter=counter)
        return self._bundles[key]

    def _recounted(self, config: BudgetConfig) -> Bundle:
        return self.bundle(config, counter_for(tokenizer_of(config)))

    def _inputs(self, counter: TokenCounter) -> Inputs:  # noqa: ARG002  # a growing conversation measures by it
        conversation = PromptSource(conversation=self.conversation)
        libraries = PromptSource(skills=self.skills, tools=self.tools, features=self.features, chunks=self.chunks)
        return build_inputs([conversation, libraries], texts=self)


class Conversation:
    """A conversation that grows: appending a message costs counting that message, whatever came before it.

    `model` names the model whose tokenizer counts; `messages` are what there is already, `tools` the definitions sent
    with it, in any provider's form.
    """

    def __init__(
        self,
        messages: Sequence[Message | Mapping[str, Any]] = (),
        *,
        model: str,
        tools: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        self._counter = counter_for(tokenizer_of(load_config({"model": model})))
        self._model = model
        self._tools = tuple(dict(tool) for tool in tools)
        self._measures = GrowingMeasures(_messages_of(messages), counter=self._counter)

    def __len__(self) -> int:
        return len(self._measures)

    @property
    def messages(self) -> Sequence[Message]:
        """The messages so far."""
        return self._measures.messages

    def measures(self) -> MessageMeasures:
        """Return the measures of all messages so far, in tokens and characters, one row a message."""
        return self._measures.measures()

    def append(self, message: Message | Mapping[str, Any]) -> None:
        """Append one message: a Message, or one in the form of OpenAI chat or Anthropic.

        Raises:
            FormatError: the message cannot be read.
        """
        for one in _messages_of([message]):
            self._measures.append(one)

    def pack(self, config: Config = None, *, provider: ProviderName | None = None) -> Packing:
        """Pack the conversation as it stands.

        Raises:
            ConfigError: the configuration is not valid, or names a model with another tokenizer.
        """
        settings = config_of(config, default_model=self._model)
        if tokenizer_of(settings) != self._counter.name:
            what = f"the conversation was counted with {self._counter.name}, {settings.model} counts with another"
            raise ConfigError(what, where="model", mend=f"Use {self._model}, or begin a Conversation for the other.")
        talk = ImportedConversation(id="", title="", messages=self.messages, tools=self._tools)
        inputs = Inputs(conversation=talk, conversation_measures=self.measures())
        bundle = build_bundle(with_usage(inputs, settings), counter=self._counter)
        return Subject(bundle, settings, self._counter, provider=provider).packed()


@dataclass(frozen=True, slots=True)
class PackedRequest:
    """A packed request body with its ledger.

    Attributes:
        body: the request body to send; keys that packing does not touch are as they came.
        packing: every decision with its reason, every sum, the verdict.
        provider: the form of the body.
    """

    body: dict[str, Any]
    packing: Packing
    provider: ProviderName

    @property
    def tokens(self) -> int:
        """Input tokens of the body, as counted (`packing.kind` says how sure that is)."""
        return self.packing.total.tokens

    def to_json(self) -> dict[str, Any]:
        """Return the packing as `budgeteer pack --json` prints it, with the rules of the body's provider."""
        return packing_to_json(self.packing, validity=check_packing(self.packing))


def config_of(config: Config, *, default_model: str | None = None) -> BudgetConfig:
    """Return a validated configuration; `default_model` is used where none is named.

    Raises:
        ConfigError: the configuration is not valid.
    """
    if isinstance(config, BudgetConfig):
        return config
    written = dict(config or {})
    if default_model is not None:
        written.setdefault("model", default_model)
    return load_config(written)


def read(path: Path | str, *, as_format: str | None = None) -> Imported:
    """Import one file or folder, with the report of everything that was not used.

    Raises:
        FormatError: the file cannot be read, or holds nothing usable; the error says what was found.
    """
    place = Path(path)
    if place.is_dir():
        return import_folder(place, as_format=as_format)
    try:
        data = place.read_bytes()
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise FormatError(
            f"The file cannot be read: {why}", where=str(place), mend="Check its name and rights"
        ) from None
    return import_bytes(data, name=place.name, as_format=as_format, limits=COMMAND_LINE_LIMITS)


def load(*paths: Path | str) -> Sources:
    """Import files and folders of any kind into one set of sources: at most one conversation, libraries joined.

    A file with several conversations gives its first; read the file and choose with `Sources(conversation=…)` for
    another. `read` gives the import report that this function leaves out.

    Raises:
        FormatError: a file cannot be read. InputError: two files hold a conversation.
    """
    found = [(str(path), read(path)) for path in paths]
    talks = [(name, one.conversations[0]) for name, one in found if one.conversations]
    if len(talks) > 1:
        names = " and ".join(name for name, _ in talks[:2])
        raise InputError(f"{names} both hold a conversation", where="load", mend="Give one conversation at a time.")
    library = join_libraries([one for _, one in found])
    return Sources(
        conversation=talks[0][1] if talks else None,
        skills=library.skills,
        tools=library.tools or None,
        features=library.features,
        chunks=library.chunks,
        specs=[(name, one.text) for name, one in found if one.kind == "text"],
        usage={key: use for _, one in found for key, use in one.usage.items()},
    )


def pack(sources: Sources, config: Config = None, *, provider: ProviderName | None = None) -> Packing:
    """Pack sources under a configuration: what is sent, what is not and why, with every number.

    `provider` is the request form, by default the model's own. A packing that cannot fit is returned too:
    `packing.fits` is then false and `packing.error` says what cannot shrink.

    Raises:
        ConfigError: the configuration is not valid. TokenizerUnavailable: the model's vocabulary is not packaged.
    """
    return sources.subject(config, provider=provider).packed()


def pack_request(
    body: Mapping[str, Any], config: Config = None, *, provider: ProviderName | None = None
) -> PackedRequest:
    """Pack a request body of OpenAI chat, OpenAI Responses, Anthropic or Gemini into its budget.

    The model is the configuration's, else the body's. The output reserve is the configuration's, else the body's own
    limit of the reply. `provider` says which form the body has where it could be read as two.

    Raises:
        FormatError: the body is no request that can be read.
        InputError: no known model is named.
        ConfigError: the configuration is not valid.
        BudgetExceeded: what may not be left out is over the budget; the error says what.
    """
    imported = import_bytes(json.dumps(body).encode(), name="body", as_format=provider)
    form = provider or _form_of(body, imported)
    talk = imported.conversations[0]
    settings = _request_config(body, config, talk)
    packing = pack(Sources(conversation=talk), settings, provider=form)
    if packing.error is not None:
        raise packing.error
    return PackedRequest(_packed_body(body, render_request(packing), form), packing, form)


def sweep(
    sources: Sources,
    over: str,
    config: Config = None,
    *,
    between: tuple[float | None, float | None] = (None, None),
) -> Sweep:
    """Return every breakpoint of one limit: where the packing changes, and what is sent from there on.

    `over` is a configuration path, its last step (`maxSkillsPromptChars`), `contextWindow` or `inputBudget`.

    Raises:
        ConfigError: there is no such limit, or the configuration is not valid.
    """
    return sweep_subject(sources.subject(config), over, between=between)


def replay(
    sources: Sources,
    config: Config = None,
    *,
    policy: str = "none",
    cache: str | None = None,
    pause_seconds: float = DEFAULT_PAUSE_SECONDS,
) -> Replay:
    """Replay the conversation request by request: what each one demands, what is sent of it, and what happens.

    `policy` "extractive" compresses at each context-limit nudge; "none" only the configuration's own ranges. `cache`
    names the rules of a prompt cache to simulate, "" for the model's own; the replay's `cache` is None where none are
    known. `pause_seconds` stands between two requests where the conversation has no times.

    Raises:
        ConfigError: the configuration is not valid, there is no such policy, or the model has no such rules.
    """
    subject = sources.subject(config)
    plan = _cache_plan(subject, cache, pause_seconds)
    return replay_subject(subject, policy=policy_named(policy), cache=plan)


def fit_plan(
    sources: Sources,
    config: Config = None,
    *,
    steps: Collection[str] | None = None,
    provider: ProviderName | None = None,
) -> FitPlan:
    """Propose ranked changes of the configuration that make the prompt fit, or bring back what limits leave out.

    `steps` names those to apply; None applies the needed ones, the least lossy first. Each step states the tokens it
    saves, the items it takes from and the state after it, all from packings; `plan.settings` are the values of the
    chosen steps by configuration path, `plan.final` the state with them.

    Raises:
        ConfigError: the configuration is not valid, or there is no step of a name.
    """
    return fit_plan_of(sources.subject(config, provider=provider), chosen=steps)


def policies(
    sources: Sources,
    config: Config = None,
    *,
    cache: str | None = None,
    pause_seconds: float = DEFAULT_PAUSE_SECONDS,
) -> tuple[PolicyTotals, ...]:
    """Replay the conversation under every history strategy and under pruning: what each comes to over all requests.

    `cache` and `pause_seconds` are those of `replay`; without `cache` costs are without one.

    Raises:
        ConfigError: the configuration is not valid, or the model has no such cache rules.
    """
    subject = sources.subject(config)
    return compare_policies(subject, cache=_cache_plan(subject, cache, pause_seconds))


def deferred_tools(sources: Sources, config: Config = None) -> DeferredTools:
    """What the tool definitions take over the conversation's requests, as they are and behind a search tool.

    `unused` names those that are never called; `{"tools": {"leaveOut": [...]}}` leaves them out.

    Raises:
        ConfigError: the configuration is not valid.
        InputError: there are no tool definitions.
    """
    subject = sources.subject(config)
    return _deferred_tools(subject.bundle, subject.config, counter=subject.counter)


def agents(sources: Sources, config: Config = None) -> tuple[HarnessReplay, ...]:
    """Replay what agents such as Claude Code and Codex would have done to the conversation; () without one.

    Each compacts by its own rule (`engine.analysis.replay.agent_harnesses` has the sources). Nothing is packed: sizes
    are tokens of the messages as they came, with their frames; a summary has a stated size.

    Raises:
        ConfigError: the configuration is not valid.
    """
    return replay_harnesses(sources.subject(config))


def evaluate(
    conversations: Iterable[ImportedConversation], configs: Mapping[str, Config], *, sessions: bool = False
) -> Evaluation:
    """Pack every conversation under each configuration, and sum up: percentiles, rates, money, who changes sides.

    `configs` are configurations by the names that the figures have. With `sessions` every request of each conversation
    is replayed, with the prompt cache of the model's provider: `totals[0].sessions.cost`. Conversations are read some
    hundred at a time, so that an iterator of any length takes the same memory; results of parts merge
    (`Evaluation.merge`).

    Raises:
        ConfigError: a configuration is not valid.
    """
    named = [NamedConfig(name, config_of(config)) for name, config in configs.items()]
    found = Evaluation([empty_totals(one, sessions=sessions) for one in named])
    numbered = enumerate(conversations, start=1)
    while chunk := [NamedConversation(one.id or f"#{number}", one) for number, one in islice(numbered, CHUNK)]:
        found.merge(evaluate_chunk(chunk, named, sessions=sessions).evaluation)
    return found


def connect(url: str = "", token: str = "") -> Remote:
    """Connect to a dashboard, by default the one of the last `budgeteer login`. Its methods mirror this module's.

    Raises:
        InputError: nobody is logged in there, or the address is none.
    """
    from budgeteer.client.connection import Connection
    from budgeteer.client.credentials import Login, find
    from budgeteer.client.remote import Remote

    login = Login(url, token) if url and token else find(url)
    return Remote(Connection(login.url, token or login.token))


def compare(sources: Sources, a: Config, b: Config) -> Comparison:
    """Pack the same sources under two configurations: what moved, and which difference moved it.

    Raises:
        ConfigError: one of the configurations is not valid.
    """

    def bundle_of(config: BudgetConfig) -> Bundle:
        return sources.bundle(config, counter_for(tokenizer_of(config)))

    return compare_bundles(bundle_of, config_of(a), config_of(b))


def _cache_plan(subject: Subject, cache: str | None, pause_seconds: float) -> CachePlan | None:
    """Return the cache to simulate for a subject's model; None for none."""
    return None if cache is None else CachePlan.of(model(subject.config.model), cache, pause_seconds=pause_seconds)


def _messages_of(messages: Sequence[Message | Mapping[str, Any]]) -> list[Message]:
    """Return messages as the engine's; plain texts are taken at once, all else is read by the importers."""
    read_messages: list[Message] = []
    for message in messages:
        if isinstance(message, Message):
            read_messages.append(message)
        elif message.keys() == {"role", "content"} and _is_plain(message):
            read_messages.append(Message(message["role"], (TextPart(message["content"]),)))
        else:
            imported = import_bytes(json.dumps({"messages": [message]}).encode(), name="message")
            read_messages.extend(imported.conversations[0].messages if imported.conversations else ())
    return read_messages


def _is_plain(message: Mapping[str, Any]) -> bool:
    return isinstance(message["content"], str) and message["role"] in ("system", "developer", "user", "assistant")


def _form_of(body: Mapping[str, Any], imported: Imported) -> ProviderName:
    """Return the provider whose request a body is, by its shape, and by its model where two shapes are the same."""
    if imported.kind != "conversation" or imported.format not in PROVIDERS:
        what = f"the body was read as {imported.format}, which is no request of a provider"
        raise FormatError(what, where="body", mend=f"Name its form with provider=: {', '.join(PROVIDERS)}.")
    row = MODELS.get(str(body.get("model", "")).lower())
    if row is not None and PROVIDERS[row.provider].plain_as == imported.format:
        plain = PROVIDERS[row.provider].capabilities.roles - {"tool"}  # how calls and results stand tells forms apart
        if all(message.role in plain for message in imported.conversations[0].messages):
            return row.provider
    return PROVIDERS[imported.format].name


def _request_config(body: Mapping[str, Any], config: Config, talk: ImportedConversation) -> BudgetConfig:
    """Return the configuration a body is packed under: what it leaves open is the body's."""
    if isinstance(config, BudgetConfig):
        return config
    written = dict(config or {})
    if "model" not in written:
        named = str(body.get("model") or talk.model or "")
        if not named:
            raise InputError("no model is named", where="model", mend="Name one in the configuration: {'model': …}.")
        written["model"] = model(named).name
    limit = next((body[key] for key in _REPLY_LIMITS if isinstance(body.get(key), int)), None)
    if limit is None and isinstance(generation := body.get("generationConfig"), Mapping):
        limit = generation.get("maxOutputTokens")
    if isinstance(limit, int) and limit > 0:
        written.setdefault("outputReserve", limit)
    return load_config(written)


def _packed_body(body: Mapping[str, Any], request: Mapping[str, Any], form: ProviderName) -> dict[str, Any]:
    """Return the body with what packing writes in the place of what it held, in the body's own order of keys."""
    written = {key: request[key] for key in PROVIDERS[form].request_keys if key in request}
    left_out = {key for key in PROVIDERS[form].request_keys if key not in written}
    if "tools" not in written:
        left_out.update(_WITH_TOOLS)
    packed = {key: written.get(key, value) for key, value in body.items() if key not in left_out}
    return packed | {key: value for key, value in written.items() if key not in packed}
