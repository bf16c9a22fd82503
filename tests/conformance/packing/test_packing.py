"""Properties of every packing, over generated material, limits and strategies."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from budgeteer.engine.config.options import fields
from budgeteer.engine.config.schema import load_config
from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.engine.inputs.bundle import Inputs, build_bundle, tool_from_raw
from budgeteer.engine.models.registry import MODELS
from budgeteer.engine.packing.allocation import tokenizer_of
from budgeteer.engine.packing.history.registry import STRATEGIES as HISTORY_STRATEGIES
from budgeteer.engine.packing.pack import pack
from budgeteer.engine.packing.result import Packing
from budgeteer.engine.providers.registry import PROVIDERS
from budgeteer.engine.rendering import render_request
from tests.conformance import generated
from tests.conformance.invariants import check_everything
from tests.examples import examples

pytestmark = pytest.mark.conformance
STRATEGIES = tuple(HISTORY_STRATEGIES)
#: Ids of messages, as generated conversations have them.
NAMED = st.integers(1, 12).map(lambda number: f"message:m{number}")
#: Every provider, and the one that the model names.
FORMS = (None, *PROVIDERS)
slowly = settings(deadline=None, max_examples=examples(80), suppress_health_check=[HealthCheck.too_slow])


@st.composite
def inputs(draw: st.DrawFn, *, valid: bool = True) -> Inputs:
    """A conversation with any of the libraries and texts beside it."""
    return Inputs(
        conversation=draw(generated.conversations(valid=valid)),
        skills=draw(st.just(()) | generated.skills()),
        tools=draw(st.none() | generated.tools()),
        features=draw(st.just(()) | generated.features()),
        chunks=draw(st.just(()) | generated.chunks()),
        system=draw(st.none() | generated.TEXTS),
        specs=draw(st.just(()) | generated.TEXTS.map(lambda text: (("spec.md", text),))),
        workspace_context=draw(st.none() | generated.TEXTS),
        query=draw(st.none() | generated.WORDS),
    )


#: The model with the largest window of those that a tokenizer counts for, so that every counter has its turn.
A_MODEL_OF_EACH_TOKENIZER = [
    max((row for row in MODELS.values() if row.tokenizer == tokenizer), key=lambda row: row.context_window).name
    for tokenizer in sorted({row.tokenizer for row in MODELS.values()})
]


@st.composite
def configurations(draw: st.DrawFn, *, strategy: str | None = None) -> dict[str, Any]:
    """A configuration with limits small enough to bite."""
    return {
        "model": draw(st.sampled_from(A_MODEL_OF_EACH_TOKENIZER)),
        "contextWindow": draw(st.integers(60, 6_000)),
        "outputReserve": draw(st.integers(0, 50)),
        "tokenizer": draw(st.sampled_from(["auto", "auto", "chars/4"])),
        "skillsBudget": {
            "enabled": draw(st.booleans()),
            "fit": draw(st.sampled_from(["prefix", "fill"])),
            "fallback": draw(st.sampled_from(["none", "nameOnly", "cutDescriptions"])),
            "notice": draw(st.booleans()),
            "limits": {
                "maxSkillsInPrompt": draw(st.integers(0, 45)),
                "maxSkillsPromptChars": draw(st.integers(0, 5_000)),
                "maxToolDefinitionChars": draw(st.integers(0, 2_000)),
                "maxSkillsPromptTokens": draw(st.none() | st.integers(0, 1_000) | st.just("30%")),
            },
            "optimization": {
                "compactPaths": draw(st.booleans()),
                "aliasRoots": draw(st.booleans()),
                "minifyDescriptions": draw(st.booleans()),
                "prioritization": draw(st.sampled_from([None, "alphabetical", "recent", "frequent"])),
            },
        },
        "history": {
            "strategy": strategy or draw(st.sampled_from(STRATEGIES)),
            "maxTokens": draw(st.integers(0, 600)),
            "maxChars": draw(st.integers(0, 2_000)),
            "summaryMaxChars": draw(st.integers(0, 800)),
            "keepUserTurns": draw(st.integers(1, 4)),
            "topicChars": draw(st.integers(1, 100)),
            "maxHistoryMessages": draw(st.integers(0, 5)),
            "topicAnchor": draw(st.booleans()),
            "namePrevious": draw(st.booleans()),
            "fallbackMessages": draw(st.integers(0, 12)),
            "uncountedFallbackMessages": draw(st.integers(0, 12)),
            "summarizing": {
                "trigger": draw(st.none() | st.integers(0, 600) | st.just("20%")),
                "target": draw(st.none() | st.integers(0, 600) | st.just("15%")),
                "keepMessages": draw(st.none() | st.integers(1, 6)),
                "keepPercent": draw(st.none() | st.integers(0, 100)),
                "userMessageTokens": draw(st.sampled_from([0, 0, 40])),
            },
            "ends": {
                "keepFirst": draw(st.integers(0, 4)),
                "removePercent": draw(st.sampled_from([0, 0, 25, 50])),
                "between": draw(st.sampled_from(["notice", "summary", "nothing"])),
            },
            "startOn": draw(st.sampled_from(["any", "any", "user", "assistant", "user,assistant"])),
            "endOn": draw(st.sampled_from(["any", "any", "user", "assistant", "tool", "assistant,tool"])),
            "maxMessages": draw(st.none() | st.integers(1, 12)),
            "maxTurns": draw(st.none() | st.integers(1, 4)),
            "countSystem": draw(st.sampled_from([False, False, True])),
            "priorities": draw(st.dictionaries(NAMED, st.integers(-2, 2), max_size=3)),
            "keepWith": draw(st.dictionaries(NAMED, NAMED, max_size=2)),
            "notice": draw(st.sampled_from([False, False, True])),
            "clearing": {
                "trigger": draw(st.integers(0, 300) | st.just("10%")),
                "keep": draw(st.integers(0, 3)),
                "clearAtLeast": draw(st.sampled_from([0, 0, 20])),
                "clearToolInputs": draw(st.booleans()),
                "headChars": draw(st.sampled_from([0, 0, 5])),
                "tailChars": draw(st.sampled_from([0, 0, 5])),
            },
        },
        "retry": {"enabled": draw(st.booleans())},
        "tools": {"leaveOut": draw(st.sampled_from([[], [], ["run", "read", "tool"]]))},
        "system": {"placement": draw(st.sampled_from(["dedicated", "dedicated", "user", "prepended"]))},
        "shares": draw(st.just({"enabled": False}) | shares()),
        "features": {
            "mode": draw(st.sampled_from(["all", "search", "tool"])),
            "keywords": draw(st.none() | st.lists(generated.PIECES | st.sampled_from(["md", "a", "e"]), max_size=3)),
            "topK": draw(st.integers(1, 4)),
        },
        "retrieval": {"searchTopK": draw(st.integers(1, 8)), "fit": draw(st.sampled_from(["prefix", "fill"]))},
    }


#: The settings that `configurations` leaves as they are: drawn with what they are about (pruning_material, shares), or
#: held by tests of their own.
NOT_DRAWN = {
    *(field.path for field in fields() if field.group in ("pruning", "shares", "texts")),
    *("safetyMarginPercent", "calibrations", "system.marker", "pins"),
    *(
        "skillsBudget.limits.maxSkillFileBytes",
        "skillsBudget.format",
        "skillsBudget.installRoot",
        "skillsBudget.installRoots",
    ),
    *("skillsBudget.policies", "skillsBudget.warnings.enabled", "skillsBudget.warnings.thresholdPercent"),
    *("features.filenameWeight", "features.contentWeight", "features.excludedFolders"),
    *("history.clearing.excludeTools", "history.clearing.alwaysClearTools", "history.clearing.placeholder"),
    "history.clearing.stop",
    "history.summarizing.instructions",
}


def is_in(data: Any, path: str) -> bool:
    """Whether a nested configuration says something about a path."""
    first, _, rest = path.partition(".")
    return isinstance(data, dict) and first in data and (not rest or is_in(data[first], rest))


@settings(max_examples=5, deadline=None)
@given(configurations())
def test_every_setting_is_drawn_or_named_as_one_that_is_not(data: dict[str, Any]) -> None:
    paths = {field.path for field in fields()}
    assert paths >= NOT_DRAWN
    assert {path for path in paths - NOT_DRAWN if not is_in(data, path)} == set()


@st.composite
def shares(draw: st.DrawFn) -> dict[str, Any]:
    """Shares that add up to the whole or less."""
    first, second = draw(st.integers(0, 100)), draw(st.integers(0, 100))
    context, history = first, min(second, 100 - first)
    system = draw(st.integers(0, 100 - context - history))
    parts = {"context": context / 100, "history": history / 100, "system": system / 100}
    return {"enabled": True, "redistribute": draw(st.booleans()), **parts}


def calibrated(data: dict[str, Any], *, factor: float, charge: int) -> dict[str, Any]:
    """The same with a calibration of what counts for it."""
    data = {**data, "tokenizer": "auto"}
    entry = {
        "model": data["model"],
        "tokenizer": tokenizer_of(load_config(data)),
        "perToken": factor,
        "perMessage": charge,
        "perCall": 4 * charge,
        "perParameter": charge,
        "error": {"median": 0.0, "p95": 0.0, "p99Under": 0.0},
        "requests": 30,
        "made": "2026-11-23",
    }
    return {**data, "calibrations": [entry]}


def packed(given_inputs: Inputs, data: dict[str, Any], provider: str | None = None) -> Packing:
    config = load_config(data)
    tokenizer = tokenizer_of(config)
    data_window = min(data["contextWindow"], 6_000)
    assert data_window > data["outputReserve"]
    counter = counter_for(tokenizer)
    return pack(build_bundle(given_inputs, counter=counter), config, counter=counter, provider=provider)


@slowly
@given(inputs(), configurations(), st.sampled_from(FORMS))
def test_a_packing_of_valid_input_breaks_nothing(
    given_inputs: Inputs, data: dict[str, Any], provider: str | None
) -> None:
    check_everything(packed(given_inputs, data, provider))


@slowly
@given(
    inputs(), configurations(), st.sampled_from(FORMS), st.sampled_from([1.0, 1.0, 0.5, 1.37, 4.0]), st.integers(0, 9)
)
def test_a_calibrated_packing_breaks_nothing(
    given_inputs: Inputs, data: dict[str, Any], provider: str | None, factor: float, charge: int
) -> None:
    packing = packed(given_inputs, calibrated(data, factor=factor, charge=charge), provider)
    assert packing.allowance.kind == "calibrated"
    check_everything(packing)


@slowly
@given(inputs(valid=False), configurations(), st.sampled_from(FORMS))
def test_a_packing_of_broken_input_says_what_it_leaves_out(
    given_inputs: Inputs, data: dict[str, Any], provider: str | None
) -> None:
    packing = packed(given_inputs, data, provider)
    check_everything(packing)
    for one in packing.ledger:
        if one.section == "history" and one.fate == "dropped":
            assert one.rule


@slowly
@given(inputs(), configurations())
def test_packing_the_same_twice_gives_the_same(given_inputs: Inputs, data: dict[str, Any]) -> None:
    first, second = packed(given_inputs, data, "openai-chat"), packed(given_inputs, data, "openai-chat")
    assert render_request(first) == render_request(second)
    assert [one.sentence for one in first.ledger] == [one.sentence for one in second.ledger]


@slowly
@given(inputs(), configurations(strategy="newestFirst"), st.integers(0, 400))
def test_a_larger_history_limit_never_keeps_fewer_messages(
    given_inputs: Inputs, data: dict[str, Any], more: int
) -> None:
    data["history"]["notice"] = False  # it takes the place of a message as soon as it fits
    larger = {**data, "history": {**data["history"], "maxTokens": data["history"]["maxTokens"] + more}}
    data["skillsBudget"]["enabled"] = larger["skillsBudget"]["enabled"] = False
    kept = [
        {one.id for one in packing.ledger if one.section == "history" and one.fate != "dropped"}
        for packing in (packed(given_inputs, data, "openai-chat"), packed(given_inputs, larger, "openai-chat"))
    ]
    assert kept[0] <= kept[1]


@slowly
@given(generated.conversations(), configurations(), generated.tools())
def test_a_tool_that_kept_history_calls_stays(conversation: Any, data: dict[str, Any], tools: Any) -> None:
    called = {
        call["function"]["name"]
        for call in calls_in(render_request(packed(Inputs(conversation=conversation), data, "openai-chat")))
    }
    raws = [
        {"type": "function", "function": {"name": name, "parameters": {"type": "object"}}} for name in sorted(called)
    ]
    library = (*tools, *(tool_from_raw(raw) for raw in raws))
    request = render_request(packed(Inputs(conversation=conversation, tools=library), data, "openai-chat"))
    sent = {tool["function"]["name"] for tool in request.get("tools", [])}
    assert {call["function"]["name"] for call in calls_in(request)} & {tool.name for tool in library} <= sent


def calls_in(request: dict[str, Any]) -> list[dict[str, Any]]:
    return [call for message in request["messages"] for call in message.get("tool_calls", [])]
