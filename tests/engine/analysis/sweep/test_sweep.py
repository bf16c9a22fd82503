"""A sweep says at every value of a limit what packing anew says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from budgeteer.engine.analysis.sweep.axes import BUDGETS, UNITS, axis_of, full_path, input_budgets
from budgeteer.engine.analysis.sweep.packing_answer import PackingAnswer, fates_by_id
from budgeteer.engine.analysis.sweep.probe import Probed, Prober, Subject
from budgeteer.engine.analysis.sweep.sweep import knee_of, sweep, sweep_at
from budgeteer.engine.analysis.sweep.tracked_number import Watch
from budgeteer.engine.config.options import fields
from budgeteer.engine.config.overlay import set_path
from budgeteer.engine.config.schema import load_config
from budgeteer.engine.content.library import Chunk, Skill
from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.engine.errors import CompressRefused, ConfigError
from budgeteer.engine.inputs.bundle import Inputs, build_bundle
from budgeteer.engine.models.registry import model
from budgeteer.engine.packing.allocation import allowance
from budgeteer.engine.packing.history.summary import SummaryRequest
from budgeteer.engine.packing.ledger import ADDED, FATES
from budgeteer.engine.packing.pack import pack
from budgeteer.engine.packing.result import Packing
from tests.conformance.packing.test_packing import configurations, inputs
from tests.engine.packs import assistant, talk, user

NEWEST: dict[str, Any] = {"strategy": "newestFirst"}
slowly = settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])


def subject_of(given_inputs: Inputs, data: dict[str, Any], provider: str | None = None) -> Subject:
    tokenizer = data.get("tokenizer", "auto")
    if tokenizer == "auto":
        tokenizer = "cl100k_base" if data.get("model") == "gpt-4" else "o200k_base"
    counter = counter_for(tokenizer)
    return Subject(build_bundle(given_inputs, counter=counter), load_config(data), counter, provider=provider)


def anew(subject: Subject, data: dict[str, Any], path: str, value: float) -> Packing:
    """The packing under a configuration written out with the value; `inputBudget` by the window that leaves it."""
    if path == "inputBudget":
        most = model(load_config(data).model).output_reserve
        own = data.get("outputReserve")
        window = next(
            at
            for at in range(int(value), int(value) + (most if own is None else own) + 1)
            if at - (min(most, at // 4) if own is None else own) == int(value)
        )
        data = set_path(data, "contextWindow", window)
    else:
        data = set_path(data, path, value)
    return pack(subject.bundle, load_config(data), counter=subject.counter, provider=subject.provider)


def check_same(answer: PackingAnswer, items: Sequence[str], packing: Packing) -> None:
    ledger = packing.ledger
    assert answer.size == packing.total
    assert answer.fits == packing.fits
    ids = [one for part in ledger.parts for one in part.ids]
    fates = {one: FATES[fate] for one, fate in zip(ids, ledger.fate.tolist(), strict=True) if fate != ADDED}
    given = {one: fate for one, fate in fates_by_id(items, answer).items() if fate != "added"}
    assert given == fates
    assert {section.name: section.size for section in answer.sections} == {
        section.name: section.after.size for section in packing.sections
    }
    assert answer.kept == sum(fate not in ("dropped", "summarised") for fate in fates.values())


def values_between(low: float, high: float, path: str) -> st.SearchStrategy[float]:
    if UNITS[path] == "share":
        return st.floats(low, high, allow_nan=False)
    return st.integers(int(min(low, high)), int(max(low, high)))


#: Numbers that keep nothing out of a prompt by themselves: weights, when to warn, and when pruning works and reminds.
NO_LIMITS = {
    *("features.filenameWeight", "features.contentWeight", "skillsBudget.warnings.thresholdPercent"),
    *("pruning.minContextPercent", "pruning.maxContextPercent", "pruning.nudgeFrequency", "pruning.turnProtection"),
    *("pruning.iterationNudgeThreshold", "pruning.purgeErrorsAfterTurns", "pruning.maxNesting"),
    "pruning.maxSummaryPercent",
}


def test_every_number_can_be_swept_or_is_no_limit() -> None:
    numbers = {field.path for field in fields() if field.kind in {"int", "percentOrInt", "number"}}
    assert numbers - set(UNITS) == NO_LIMITS


def test_a_sweep_begins_at_a_value_that_its_setting_takes() -> None:
    subject = subject_of(Inputs(conversation=talk(user(), assistant(), user())), {})
    for field in fields():
        if field.path in UNITS and field.path not in BUDGETS and not field.path.startswith("shares."):
            axis = axis_of(field.path, subject.bundle, subject.config, counter=subject.counter, available_tokens=100)
            assert axis.low >= (field.minimum or 0), field.path


#: Wide enough for whatever is generated, narrow enough that most values are near a breakpoint.
WIDEST = {"tokens": 6_000, "characters": 8_000, "bytes": 420_000, "items": 60}


@pytest.mark.slow
@slowly
@given(st.data(), inputs(), configurations(), st.sampled_from([path for path in UNITS if path != "history.topicChars"]))
def test_every_step_is_what_packing_anew_says_there_and_right_before_the_next(
    drawn: st.DataObject, given_inputs: Inputs, data: dict[str, Any], path: str
) -> None:
    provider = drawn.draw(st.sampled_from([None, "openai-chat", "anthropic"]))
    subject = subject_of(given_inputs, data, provider)
    if path.startswith("shares.") and not data["shares"]["enabled"]:
        with pytest.raises(ConfigError, match="shares are off"):
            sweep(subject, path)
        return
    most = WIDEST.get(UNITS[path])
    swept = sweep(subject, path, between=(None, most))
    items = swept.items()
    for before, after in zip(swept.steps, swept.steps[1:], strict=False):
        assert before.answer != after.answer
    checked = (
        swept.steps
        if len(swept.steps) <= 12
        else drawn.draw(st.lists(st.sampled_from(swept.steps), min_size=6, max_size=12))
    )
    for step in checked:
        check_same(step.answer, items, anew(subject, data, path, step.at))
    for value in drawn.draw(st.lists(values_between(swept.first, swept.last, path), min_size=4, max_size=8)):
        answer = swept.steps[swept.step_at(value)].answer
        check_same(answer, items, anew(subject, data, path, value))
        assert sweep_at(subject, path, [value]) == [answer]
    if UNITS[path] != "share":
        falling = -1 if swept.first > swept.last else 1
        for step in checked[1:]:
            before = swept.steps[swept.step_at(step.at - falling)]
            if step is not swept.steps[0]:
                check_same(before.answer, items, anew(subject, data, path, step.at - falling))


@settings(slowly, max_examples=20)  # a percent of the budget for skills makes a step of nearly every value
@given(st.data(), inputs(), configurations(strategy="newestFirst"), st.sampled_from([None, "openai-chat", "anthropic"]))
def test_answers_by_sums_are_what_packing_anew_says(
    drawn: st.DataObject, given_inputs: Inputs, data: dict[str, Any], provider: str | None
) -> None:
    """Where things are taken in rows: no chunks, no shares, skills as a prefix within a part of the budget."""
    data = {**data, "shares": {"enabled": False}, "system": {"placement": "dedicated"}}
    budget = data["skillsBudget"]
    limits = {**budget["limits"], "maxToolDefinitionChars": 1_000_000, "maxSkillsPromptTokens": "30%"}
    data["skillsBudget"] = {**budget, "fit": "prefix", "fallback": "none", "limits": limits}
    subject = subject_of(replace(given_inputs, chunks=()), data, provider)
    path = drawn.draw(st.sampled_from(["inputBudget", "contextWindow", "maxSkillsPromptChars", "history.maxTokens"]))
    values = drawn.draw(st.lists(st.integers(1 + data["outputReserve"], 1_500), min_size=1, max_size=30))
    swept = sweep(subject, path, between=(1, 1_500))
    items = swept.items()
    answers = sweep_at(subject, path, values)
    for value, answer in list(zip(values, answers, strict=True))[:8]:
        check_same(answer, items, anew(subject, data, full_path(path), value))
    assert [swept.steps[swept.step_at(value)].answer for value in values] == answers


@st.composite
def short_talks(draw: st.DrawFn) -> Inputs:
    """A few messages, some of an assistant's before the first of the user's, now and then an earlier notice."""
    said = [
        user(f"Question {number}. " + "why " * draw(st.integers(0, 12))) for number in range(draw(st.integers(1, 7)))
    ]
    for number in range(draw(st.integers(0, 7))):
        said.insert(draw(st.integers(0, len(said))), assistant("because " * (1 + number)))
    if draw(st.integers(0, 9)) == 0:
        said.insert(draw(st.integers(0, len(said))), user("[3 earlier messages removed to save context]"))
    return Inputs(conversation=talk(*said))


@settings(slowly, max_examples=30)
@given(st.data(), short_talks(), st.sampled_from([None, "openai-chat", "anthropic"]))
def test_answers_with_a_notice_are_those_of_a_packing_at_each_value(
    drawn: st.DataObject, told: Inputs, provider: str | None
) -> None:
    history = {
        "strategy": drawn.draw(st.sampled_from(["keepEnds", "keepEnds", "newestFirst"])),
        "maxTokens": drawn.draw(st.integers(5, 300)),
        "ends": {
            "keepFirst": drawn.draw(st.integers(0, 3)),
            "between": drawn.draw(st.sampled_from(["notice", "nothing"])),
        },
        "notice": drawn.draw(st.booleans()),
        "startOn": drawn.draw(st.sampled_from(["any", "any", "user"])),
    }
    pins = drawn.draw(st.sampled_from([[], [], ["message:m1"], ["message:m2"]]))
    data = {"history": history, "contextWindow": drawn.draw(st.integers(60, 500)), "outputReserve": 5, "pins": pins}
    subject = subject_of(told, data, provider)
    path = drawn.draw(st.sampled_from(["inputBudget", "contextWindow", "history.maxTokens"]))
    by_sums = sweep(subject, path, between=(6, 450))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("budgeteer.engine.analysis.sweep.sweep.prefixes_of", lambda _: None)
        one_by_one = sweep(subject, path, between=(6, 450))
    assert [(step.at, step.answer) for step in by_sums.steps] == [(step.at, step.answer) for step in one_by_one.steps]


@pytest.mark.parametrize(
    "history",
    [{"strategy": "keepEnds"}, {"strategy": "keepEnds", "ends": {"between": "nothing"}}, {**NEWEST, "notice": True}],
)
@pytest.mark.parametrize("path", ["history.maxTokens", "inputBudget"])
def test_messages_kept_in_a_row_take_a_few_packings_however_many_they_are(
    history: dict[str, Any], path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    subject = subject_of(rows_of(60), {"history": history})
    made: list[int] = []
    probe = Prober.probe

    def counted(prober: Prober, position: int, watch: Watch | None = None) -> Probed:
        made.append(position)
        return probe(prober, position, watch)

    monkeypatch.setattr(Prober, "probe", counted)
    assert len(sweep(subject, path).steps) > 100
    assert len(made) < 20


def rows_of(count: int) -> Inputs:
    """A conversation of so many questions and answers."""
    said = [part for number in range(count) for part in (user(f"Question {number}. " + "why " * 20), assistant())]
    return Inputs(conversation=talk(*said))


def test_the_value_in_force_and_the_knee_are_named() -> None:
    history = {"strategy": "newestFirst", "maxTokens": 120}
    swept = sweep(subject_of(rows_of(8), {"history": history}), "maxTokens")
    assert (swept.path, swept.unit, swept.current) == ("history.maxTokens", "tokens", 120)
    assert swept.current_step is not None
    there = swept.steps[swept.current_step]
    assert there.at <= 120 < swept.steps[swept.current_step + 1].at
    assert swept.to_json()["steps"][0] == swept.steps[0].to_json()
    marked = swept.breakpoints_to_json()
    assert [at for at, step in enumerate(marked) if step["current"]] == [swept.current_step]


@pytest.mark.parametrize(
    ("curve", "knee"),
    [
        ([(0, 0), (10, 90), (100, 100)], 1),
        ([(0, 0), (50, 50), (100, 100)], None),
        ([(0, 0), (50, 54), (100, 100)], None),
        ([(0, 0), (50, 55), (100, 100)], 1),
        ([(0, 0), (10, 50), (20, 85), (100, 100)], 2),
        ([(0, 0), (90, 10), (100, 100)], None),
        ([(0, 0), (100, 100)], None),
        ([(0, 7), (50, 9), (100, 7)], None),
        ([], None),
    ],
)
def test_the_knee_is_where_the_curve_rises_most_above_its_chord(curve: list[tuple[int, int]], knee: int | None) -> None:
    assert knee_of(curve) == knee


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("history.maxTokens", "history.maxTokens"),
        ("maxSkillsPromptChars", "skillsBudget.limits.maxSkillsPromptChars"),
        ("inputBudget", "inputBudget"),
        ("topK", "features.topK"),
        ("shares.history", "shares.history"),
    ],
)
def test_a_limit_is_known_by_its_path_or_its_last_step(name: str, path: str) -> None:
    assert full_path(name) == path


@pytest.mark.parametrize(
    ("name", "nearest"),
    [("maxTokns", "maxTokens?"), ("inputbudget", "inputBudget?"), ("history", "shares.history?"), ("zzz", "Known: ")],
)
def test_an_unknown_limit_is_refused_with_the_nearest(name: str, nearest: str) -> None:
    with pytest.raises(ConfigError) as error:
        full_path(name)
    assert nearest in error.value.mend


def test_a_value_outside_of_what_may_be_swept_is_refused() -> None:
    with pytest.raises(ConfigError, match="outside of what may be swept"):
        sweep_at(subject_of(rows_of(1), {}), "contextWindow", [200_000])


def test_a_bundle_measured_otherwise_is_refused() -> None:
    subject = replace(subject_of(rows_of(1), {}), counter=counter_for("chars/4"))
    with pytest.raises(ValueError, match="measured with o200k_base"):
        sweep(subject, "inputBudget")


def test_another_summariser_is_asked_for_every_limit_it_may_differ_at() -> None:
    history = {"strategy": "summarizeOlder", "maxChars": 1_000, "summaryMaxChars": 40, "keepUserTurns": 2}
    asked: list[int] = []

    def summarise(request: SummaryRequest) -> str:
        asked.append(request.max_chars)
        return "a" * (request.max_chars // 10)

    subject = replace(subject_of(rows_of(20), {"history": history}), summarise=summarise)
    swept = sweep(subject, "summaryMaxChars", between=(0, 100))
    sizes = {step.at: step.answer.size.chars for step in swept.steps}
    least = min(sizes.values())
    assert {at: chars - least for at, chars in sizes.items() if at >= 10} == {at: at // 10 for at in range(10, 101, 10)}
    assert set(asked) == set(range(101))


def test_where_a_compress_range_is_refused_there_is_no_step() -> None:
    said = "word " * 60
    pruning = {
        "mode": "auto",
        "maxSummaryPercent": 10,
        "ranges": [{"topic": "t", "ranges": [{"startId": "m001", "endId": "m002", "summary": said}]}],
    }
    data = {"pruning": pruning, "history": {"strategy": "newestFirst"}}
    subject = subject_of(rows_of(6), data)
    swept = sweep(subject, "inputBudget", between=(1, 5_000))
    first = int(swept.steps[0].at)
    assert 500 < first < 1_500
    with pytest.raises(CompressRefused):
        anew(subject, data, "inputBudget", first - 1)
    for step in swept.steps:
        packing = anew(subject, data, "inputBudget", step.at)
        assert (packing.total, packing.fits) == (step.answer.size, step.answer.fits)
    with pytest.raises(CompressRefused):
        sweep(subject, "inputBudget", between=(1, first - 1))


#: A conversation with skills and chunks beside it.
LIBRARY: dict[str, Any] = {
    "skills": tuple(Skill(name, f"Does {name} well.", f"{name}/SKILL.md") for name in ("ant", "bee", "cat", "dog")),
    "chunks": tuple(Chunk(f"Passage {number}. " + "what " * 30, f"p{number}") for number in range(3)),
}
SKILLS: dict[str, Any] = {"enabled": True, "policies": {"cat": "pinned"}}
SHARES = {"shares": {"enabled": True, "context": 0.3, "history": 0.4, "system": 0.3}, "contextWindow": 1_500}
SUMMARY = {"strategy": "summarizeOlder", "maxChars": 600, "summaryMaxChars": 300, "keepUserTurns": 1}


@pytest.mark.parametrize(
    ("data", "path", "between", "beside"),
    [
        ({"history": {**NEWEST, "maxTokens": "30%"}}, "inputBudget", (1, 600), ()),
        ({"history": {**NEWEST, "maxTokens": "30%"}}, "history.maxTokens", (0, 400), ()),
        ({"history": NEWEST, "contextWindow": 600}, "outputReserve", (1, 599), ()),
        ({"history": NEWEST, "retrieval": {"searchTopK": 3}}, "inputBudget", (1, 900), ("chunks",)),
        ({"history": NEWEST, "skillsBudget": SKILLS}, "maxSkillsPromptChars", (0, 700), ("skills",)),
        (
            {"history": NEWEST, "skillsBudget": {**SKILLS, "notice": True}},
            "maxSkillsPromptChars",
            (0, 700),
            ("skills",),
        ),
        (
            {"history": NEWEST, "skillsBudget": {**SKILLS, "limits": {"maxSkillsPromptTokens": "20% of the window"}}},
            "inputBudget",
            (1, 1_200),
            ("skills",),
        ),
        (
            {"history": NEWEST, "skillsBudget": {**SKILLS, "limits": {"maxSkillsPromptTokens": "20%"}}},
            "inputBudget",
            (1, 1_200),
            ("skills",),
        ),
        ({"history": NEWEST, "skillsBudget": {**SKILLS, "fit": "fill"}}, "maxSkillsPromptChars", (0, 700), ("skills",)),
        ({"history": SUMMARY}, "summaryMaxChars", (100, 480), ()),
        ({"history": SUMMARY, "pruning": {"mode": "auto"}}, "inputBudget", (600, 1_000), ()),
        ({"history": NEWEST, **SHARES}, "shares.history", (0, 1), ("chunks",)),
        ({"history": {"strategy": "full"}, **SHARES}, "shares.context", (0, 1), ("chunks",)),
        ({"history": NEWEST, "skillsBudget": SKILLS, **SHARES}, "shares.system", (0, 1), ("skills",)),
    ],
)
def test_each_kind_of_limit_has_its_steps_where_packing_anew_has_them(
    data: dict[str, Any], path: str, between: tuple[float, float], beside: Sequence[str]
) -> None:
    told = replace(rows_of(6), **{name: LIBRARY[name] for name in beside})
    subject = subject_of(told, data)
    path = full_path(path)
    swept = sweep(subject, path, between=between)
    items = swept.items()
    assert len(swept.steps) > 1
    falling = -1 if swept.first > swept.last else 1
    for number, step in enumerate(swept.steps[:12]):
        check_same(step.answer, items, anew(subject, data, path, step.at))
        if number and UNITS[path] != "share":
            before = swept.steps[number - 1].answer
            assert before != step.answer
            check_same(before, items, anew(subject, data, path, step.at - falling))
    for one in np.linspace(*between, 12).tolist():
        value = one if UNITS[path] == "share" else int(one)
        if min(swept.first, swept.last) <= value <= max(swept.first, swept.last):
            check_same(swept.steps[swept.step_at(value)].answer, items, anew(subject, data, path, value))


def test_a_window_grows_the_budget_no_further_than_the_most_input_that_a_model_takes() -> None:
    skills = tuple(Skill(f"skill-{number}", "Does this well.", f"s{number}/SKILL.md") for number in range(40))
    limits = {"maxSkillsPromptTokens": "0.3%"}
    data = {"model": "gpt-5", "history": NEWEST, "skillsBudget": {"enabled": True, "limits": limits}}
    subject = subject_of(replace(rows_of(2), skills=skills), data)
    windows = [100_000, 200_000, 290_000, 400_000]
    answers = sweep_at(subject, "contextWindow", windows)
    items = sweep(subject, "contextWindow", between=(399_000, 400_000)).items()
    for window, answer in zip(windows, answers, strict=True):
        check_same(answer, items, anew(subject, data, "contextWindow", window))
    kept = [answer.kept for answer in answers]
    assert kept[0] < kept[1] < kept[2] == kept[3] < 44


def test_a_percent_in_force_is_named_by_the_tokens_that_it_comes_to() -> None:
    data = {"contextWindow": 1_100, "outputReserve": 100, "history": {**NEWEST, "maxTokens": "30%"}}
    assert sweep(subject_of(rows_of(8), data), "history.maxTokens").current == 300


def test_an_interval_beyond_all_that_may_be_swept_is_refused_with_what_may_be() -> None:
    with pytest.raises(ConfigError, match="nothing of this limit lies in the interval") as error:
        sweep(subject_of(rows_of(1), {}), "contextWindow", between=(200_000, 300_000))
    assert error.value.mend == "It may be swept from 1 to 128,000."


def test_word_of_progress_comes_with_each_packing_and_grows_to_all_there_is() -> None:
    heard: list[tuple[int, int]] = []
    subject = subject_of(rows_of(5), {"history": {"strategy": "recentExchange", "maxHistoryMessages": 5}})
    swept = sweep(subject, "inputBudget", between=(1, 1_000), progress=lambda done, of: heard.append((done, of)))
    assert [done for done, _ in heard] == sorted(done for done, _ in heard)
    assert {of for _, of in heard} == {len(swept.items())}
    assert heard[-1][0] == swept.steps[-1].answer.kept


def test_a_share_is_no_limit_while_the_shares_are_off() -> None:
    with pytest.raises(ConfigError, match="the shares are off") as error:
        sweep(subject_of(rows_of(1), {}), "shares.history")
    assert (error.value.where, error.value.mend[:27]) == ("shares.history", "Set shares.enabled to true,")


def test_a_summary_that_has_said_everything_is_the_same_under_any_wider_limit() -> None:
    said = [part for number in range(4) for part in (user(f"Question {number}?"), assistant("word " * 120))]
    history = {"strategy": "summarizeOlder", "maxChars": 2_200, "summaryMaxChars": 300, "keepUserTurns": 1}
    data = {"history": history}
    subject = subject_of(Inputs(conversation=talk(*said)), data)
    swept = sweep(subject, "summaryMaxChars", between=(0, 1_500))
    last = swept.steps[-1]
    assert 130 < last.at < 300
    for value in (int(last.at), 700, 1_500):
        check_same(last.answer, swept.items(), anew(subject, data, swept.path, value))
    check_same(swept.steps[-2].answer, swept.items(), anew(subject, data, swept.path, last.at - 1))


@pytest.mark.parametrize("model", ["gpt-5", "gpt-4o"])
@pytest.mark.parametrize("path", ["contextWindow", "outputReserve", "inputBudget"])
def test_budgets_at_many_positions_are_the_allowance_at_each(model: str, path: str) -> None:
    subject = subject_of(rows_of(1), {"model": model})
    axis = Prober.of(subject, path).axis
    positions = np.linspace(axis.low, axis.high, 40).astype(np.int64)
    allowed = allowance(subject.config, subject.counter)
    found = input_budgets(path, subject.config, allowed, positions)
    alone = [allowance(axis.config(int(at)), subject.counter).input_budget for at in positions]
    assert found.tolist() == alone
