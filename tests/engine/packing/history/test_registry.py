"""The registry of history strategies: what its rows promise to the form, the sweeps and the reports."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import pytest

from budgeteer.engine.analysis.sweep.axes import UNITS
from budgeteer.engine.config.options import Field, fields
from budgeteer.engine.config.overlay import set_path
from budgeteer.engine.config.schema import HistoryStrategy
from budgeteer.engine.packing.fixes import LIMIT_NAMES
from budgeteer.engine.packing.history.registry import SHARED_SETTINGS, STRATEGIES, StrategyRow, strategies_reading
from tests.engine.packs import assistant, bundle_of, fates, packed, result, system, user

ROWS = pytest.mark.parametrize("row", STRATEGIES.values(), ids=lambda row: row.name)
#: Settings that a row takes over easily from another, and whose strategy then has to read them.
COUNTS = {"history.maxMessages", "history.maxTurns"}
#: Limits that are watched only where they are set, which they are not by default.
UNSET = {"history.maxMessages", "history.summarizing.trigger"}
TALK = [message for n in range(6) for message in (user(f"Question {n} " * 40), assistant(f"Answer {n} " * 40))]
#: Two exchanges, and a task with six steps after it.
STEPS = [message for n in range(6) for message in (assistant("", f"b{n}"), result(f"b{n}", "brick " * 30))]
LONG = bundle_of(
    system("Be brief. " * 40),
    user("Look at the door. " * 4),
    *(message for n in range(5) for message in (assistant("", f"a{n}"), result(f"a{n}", "stone " * 30))),
    *(assistant("Seen."), user("And the wall."), assistant("Yes."), user("Mend the bell tower.")),
    *STEPS,
)
TASK_NUMBER = 16
#: Limits that let a strategy keep a part of it, and less than the last exchange where it may cut that.
TIGHT: dict[str, Any] = {
    "maxTokens": 250,
    "maxChars": 300,
    "keepUserTurns": 1,
    "maxHistoryMessages": 2,
    "summaryMaxChars": 200,
    "ends": {"between": "summary", "keepFirst": 2},
    "clearing": {"trigger": 100, "keep": 1},
    "priorities": {"message:m5": 3},
}
SETTINGS = [field for field in fields() if field.group == "history" and field.path != "history.strategy"]


def test_the_rows_stand_in_the_order_of_the_schema() -> None:
    assert tuple(STRATEGIES) == get_args(HistoryStrategy.__value__)


def test_every_setting_of_history_says_which_strategies_read_it() -> None:
    settings = {field.path for field in fields() if field.group == "history"} - {"history.strategy"}
    assert {path for path in settings if not strategies_reading(path)} == set()
    assert {path for row in STRATEGIES.values() for path in row.settings} == settings - SHARED_SETTINGS


@ROWS
def test_what_is_swept_is_a_number_that_the_strategy_reads(row: StrategyRow) -> None:
    assert set(row.swept) <= set(row.settings) & set(UNITS)


@ROWS
def test_the_limit_of_a_strategy_is_a_setting_of_its_own(row: StrategyRow) -> None:
    config = {"history": {"strategy": row.name, "maxTokens": 60, "maxChars": 400, "maxHistoryMessages": 1}}
    packing = packed(bundle_of(*TALK, user("Go")), config)
    warned = {warning.limit: warning for warning in packing.warnings if warning.limit.startswith("history.")}
    assert set(warned) == (set(row.settings) & set(LIMIT_NAMES)) - UNSET
    if row.limit is None:
        return
    [(name, warning)] = warned.items()
    assert name in row.swept
    assert warning.level == "exceeded"
    assert packing.verdict.limits or packing.chosen.history.summary
    [section] = [section for section in packing.sections if section.name == "history"]
    limits = {"tokens": section.limit_tokens, "characters": section.limit_chars, "messages": warning.allowed}
    assert limits[row.limit.unit] == warning.allowed


def values_of(setting: Field) -> list[Any]:
    """Values of one setting of history, so far apart that one that is read shows in what is packed."""
    match setting.kind:
        case "bool":
            return [True, False]
        case "choice":
            return list(setting.choices)
        case "int" | "percentOrInt":
            most = setting.maximum if setting.maximum is not None else 10**9
            return sorted({int(min(max(number, setting.minimum or 0), most)) for number in (0, 2, 60, 300, 100_000)})
        case "list":
            return [[], ["run"]]
        case "map":
            keys = "message:m3", "message:m9"
            return [{}, {keys[0]: keys[1]} if setting.path == "history.keepWith" else {keys[0]: 5}]
        case _:
            return ["Other words.", "."]


def read_settings(strategy: str) -> set[str]:
    """The settings of history of which another value packs TIGHT's conversation in another way."""
    found = set()
    for setting in SETTINGS:
        for limits in (TIGHT, {**TIGHT, "maxTokens": 100_000}):
            start = {"history": {"strategy": strategy, **limits}}
            packings = [packed(LONG, set_path(start, setting.path, value)) for value in values_of(setting)]
            answers = {tuple((one.id, one.fate, one.after) for one in packing.ledger) for packing in packings}
            if len(answers) > 1:
                found.add(setting.path)
    return found


@ROWS
def test_a_strategy_reads_what_its_row_lists_and_a_sweep_of_it_shows_something(row: StrategyRow) -> None:
    read = read_settings(row.name)
    assert read - SHARED_SETTINGS <= set(row.settings)
    assert set(row.settings) & COUNTS <= read
    assert set(row.swept) <= read


@ROWS
def test_a_row_says_what_becomes_of_the_task_and_of_what_follows_it(row: StrategyRow) -> None:
    packing = packed(LONG, {"history": {"strategy": row.name, **TIGHT}})
    assert packing.fits
    sent = fates(packing)
    after = [f"message:m{number}" for number in range(TASK_NUMBER + 1, TASK_NUMBER + 1 + len(STEPS))]
    is_cut = any(sent[key] in ("dropped", "summarised") for key in after)
    assert row.cuts_exchange == is_cut
    assert row.keeps_task == (sent[f"message:m{TASK_NUMBER}"] == "kept")
    if is_cut:
        assert row.keeps_task_apart == row.keeps_task


@ROWS
def test_a_row_says_whether_a_summary_stands_in_the_place_of_messages(row: StrategyRow) -> None:
    summary = packed(LONG, {"history": {"strategy": row.name, **TIGHT}}).chosen.history.summary
    assert row.writes_summary == (summary is not None and summary.kind == "summary")


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
