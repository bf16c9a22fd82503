"""Tool definitions: the array they stand in, its limit, pins, and tools that history calls."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from budgeteer.engine.config.schema import SkillsBudgetConfig
from budgeteer.engine.content.library import ToolDefinition, compact_json
from budgeteer.engine.content.usage_order import Priority
from budgeteer.engine.counting.library_measures import measure_tools
from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.engine.models.registry import model
from budgeteer.engine.packing.sections.tools import ToolCosts, ToolFit, fit_tools
from budgeteer.engine.providers.openai_chat.tool_text import CLOSING, OPENING
from budgeteer.engine.providers.openai_chat.tools import chat_tool

COUNTER = counter_for("o200k_base")
GPT, CLAUDE, LLAMA = (model(name) for name in ("gpt-4o", "claude-sonnet-4-5", "llama-3.3-70b"))
TOOLS = [ToolDefinition(name, "d" * 20, {"type": "object"}, "mcp", {"name": name}) for name in ("one", "two", "three")]


def fit(standing: Priority | None = None, **changes: Any) -> ToolFit:
    config = SkillsBudgetConfig.model_validate({"enabled": True, **changes})
    return fit_tools(
        TOOLS,
        measure_tools(TOOLS, counter=COUNTER),
        config,
        costs=ToolCosts("openai-chat", COUNTER, GPT),
        standing=standing or Priority(),
    )


def array_chars(*rows: int) -> int:
    return len(compact_json([chat_tool(TOOLS[row]) for row in rows]))


def test_the_limit_is_on_the_characters_of_the_whole_array() -> None:
    assert fit(limits={"maxToolDefinitionChars": array_chars(0, 1)}).order == (0, 1)
    assert fit(limits={"maxToolDefinitionChars": array_chars(0, 1) - 1}).order == (0,)
    assert fit().asked.chars == array_chars(0, 1, 2)


def test_pinned_and_called_tools_go_first_and_beat_the_limit() -> None:
    standing = Priority(pins=frozenset({"tool:three"}), called=frozenset({"two"}))
    found = fit(standing, limits={"maxToolDefinitionChars": 10})
    assert found.order == (1, 2)
    assert found.needed_chars[0] == array_chars(1, 2, 0)


def test_a_limit_below_the_smallest_definition_keeps_none() -> None:
    assert fit(limits={"maxToolDefinitionChars": array_chars(0) - 1}, fit="fill").order == ()


def test_alphabetical_order_is_the_order_sent() -> None:
    assert fit(optimization={"prioritization": "alphabetical"}).order == (0, 2, 1)


def test_while_the_budget_is_off_every_definition_is_sent_as_given() -> None:
    found = fit(Priority(), enabled=False, limits={"maxToolDefinitionChars": 1})
    assert found.order == (0, 1, 2)


def test_joins_are_one_token_a_bracket_or_comma_and_the_providers_preamble() -> None:
    assert ToolCosts("openai-chat", COUNTER, LLAMA).joins(3).tokens == 4
    assert ToolCosts("anthropic", COUNTER, LLAMA).joins(3).tokens == 350
    assert ToolCosts("openai-chat", counter_for("chars/4"), GPT).joins(3).tokens == 0
    assert ToolCosts("openai-chat", COUNTER, LLAMA).joins(0).chars == 0


def test_what_claude_reads_costs_the_preamble_of_its_model_however_many_definitions_there_are() -> None:
    costs = ToolCosts("anthropic", COUNTER, CLAUDE)
    assert costs.joins(1).tokens == costs.joins(9).tokens == 496
    assert replace(costs, is_forced=True).joins(2).tokens == 588
    assert (costs.joins(0).tokens, costs.kind) == (0, "estimated")


def test_what_openais_models_read_costs_the_same_however_many_definitions_there_are() -> None:
    costs = ToolCosts("openai-chat", COUNTER, GPT)
    assert costs.joins(1).tokens == costs.joins(9).tokens == 9 + COUNTER.count(OPENING + CLOSING)
    after_system = replace(costs, line_end=1)
    assert after_system.joins(1).tokens == costs.joins(1).tokens - 3
    assert (costs.kind, replace(costs, provider="openai-responses").kind) == ("exact", "estimated")


def test_a_token_limit_is_on_the_whole_array_and_not_one_less() -> None:
    whole = fit()
    for count in range(1, len(TOOLS) + 1):
        size = int(whole.tokens[:count].sum()) + ToolCosts("openai-chat", COUNTER, GPT).joins(count).tokens
        assert limited(size).order == tuple(range(count))
        assert limited(size - 1).order == tuple(range(count - 1))
        assert limited(size - 1).needed_tokens[count - 1] == size


def limited(tokens: int, tools: Sequence[ToolDefinition] = TOOLS, *pins: str, **changes: Any) -> ToolFit:
    return fit_tools(
        tools,
        measure_tools(tools, counter=COUNTER),
        SkillsBudgetConfig.model_validate({"enabled": True, **changes}),
        costs=ToolCosts("openai-chat", COUNTER, GPT, tokens),
        standing=Priority(pins=frozenset(pins)),
    )


def test_fill_charges_only_what_it_takes_and_prefix_ends_at_the_first_that_does_not_fit() -> None:
    long = ToolDefinition("long", "d" * 500, {"type": "object"}, "mcp", {"name": "long"})
    tools = [TOOLS[0], long, TOOLS[1]]
    size = len(compact_json([chat_tool(tools[row]) for row in (0, 2)]))
    for mode, allowed, order in (("fill", size, (0, 2)), ("fill", size - 1, (0,)), ("prefix", size, (0,))):
        found = limited(10_000, tools, fit=mode, limits={"maxToolDefinitionChars": allowed})
        assert found.order == order
        assert found.needed_chars[1] == len(compact_json([chat_tool(tools[row]) for row in (0, 1)]))


def test_what_runs_at_another_provider_takes_no_room_and_no_pin_sends_it() -> None:
    hosted = ToolDefinition("web_search", "", None, "openai", {"type": "web_search"})
    found = limited(
        10_000,
        [hosted, *TOOLS],
        "tool:web_search",
        limits={"maxToolDefinitionChars": array_chars(0, 1, 2)},
    )
    assert found.order == (1, 2, 3)
    assert found.refused.tolist() == [True, False, False, False]


def test_tools_left_out_by_name_go_whether_or_not_there_is_a_budget() -> None:
    standing = Priority(leave_out=frozenset({"one", "three", "unknown"}))
    for enabled in (False, True):
        assert fit(standing, enabled=enabled).order == (1,)
    held = replace(standing, pins=frozenset({"tool:one"}), called=frozenset({"three"}))
    found = fit(held, enabled=False)
    assert found.order == (0, 1, 2)
    assert not found.left_out.any()
