"""The registry of history strategies: what its rows promise to the form, the sweeps and the reports."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from budgeteer.engine.analysis.sweep.axes import UNITS
from budgeteer.engine.config.options import fields
from budgeteer.engine.config.schema import HistoryStrategy
from budgeteer.engine.packing.fixes import LIMIT_NAMES
from budgeteer.engine.packing.history.registry import SHARED_SETTINGS, STRATEGIES, StrategyRow, strategies_reading
from tests.engine.packs import assistant, bundle_of, packed, user

ROWS = pytest.mark.parametrize("row", STRATEGIES.values(), ids=lambda row: row.name)
TALK = [message for n in range(6) for message in (user(f"Question {n} " * 40), assistant(f"Answer {n} " * 40))]


def test_the_rows_stand_in_the_order_of_the_schema() -> None:
    assert tuple(STRATEGIES) == get_args(HistoryStrategy.__value__)


def test_every_setting_of_history_says_which_strategies_read_it() -> None:
    settings = {field.path for field in fields() if field.group == "history"} - {"history.strategy"}
    assert {path for path in settings if not strategies_reading(path)} == set()
    assert {path for row in STRATEGIES.values() for path in row.settings} == settings - SHARED_SETTINGS


@ROWS
def test_what_is_swept_is_a_number_that_the_strategy_reads(row: StrategyRow) -> None:
    assert set(row.swept) <= set(row.settings) & set(UNITS)


def test_every_number_of_history_can_be_swept() -> None:
    numbers = {field.path for field in fields() if field.group == "history" and field.kind in {"int", "percentOrInt"}}
    assert numbers <= set(UNITS)


@ROWS
def test_the_limit_of_a_strategy_is_a_setting_of_its_own(row: StrategyRow) -> None:
    config = {"history": {"strategy": row.name, "maxTokens": 60, "maxChars": 400, "maxHistoryMessages": 1}}
    packing = packed(bundle_of(*TALK, user("Go")), config)
    warned = {warning.limit: warning for warning in packing.warnings if warning.limit.startswith("history.")}
    if row.limit is None:
        assert not warned
        return
    [(name, warning)] = warned.items()
    assert name in row.settings
    assert name in LIMIT_NAMES
    assert warning.level == "exceeded"
    assert packing.verdict.limits or packing.chosen.history.summary
    [section] = [section for section in packing.sections if section.name == "history"]
    limits = {"tokens": section.limit_tokens, "characters": section.limit_chars, "messages": warning.allowed}
    assert limits[row.limit.unit] == warning.allowed


@ROWS
def test_where_a_limit_in_tokens_leaves_nothing_to_send_the_error_says_how_many_it_takes(row: StrategyRow) -> None:
    if row.limit is None or row.limit.unit != "tokens":
        return
    packing = packed(bundle_of(assistant("Good day.")), {"history": {"strategy": row.name, "maxTokens": 1}})
    assert packing.error
    assert (packing.error.cause, packing.error.needed_tokens > 1) == ("size", True)


@ROWS
def test_what_a_strategy_takes_is_said_in_a_clause(row: StrategyRow) -> None:
    assert bool(row.takes) == (row.name != "full")


@ROWS
def test_every_strategy_has_examples_of_its_own(row: StrategyRow) -> None:
    examples = "\n".join(page.read_text() for page in Path(__file__).parent.glob("test_*.py"))
    assert f'"{row.name}"' in examples
