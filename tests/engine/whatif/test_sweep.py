"""A sweep says at every value of a limit what packing anew says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from budgeteer.engine.bundle import Inputs, build_bundle
from budgeteer.engine.config import load_config
from budgeteer.engine.errors import ConfigError
from budgeteer.engine.ledger import SECTIONS, Size
from budgeteer.engine.overlay import set_path
from budgeteer.engine.packing import pack
from budgeteer.engine.result import Packing
from budgeteer.engine.tokens import counter_for
from budgeteer.engine.whatif.answers import Answer, fates_by_id
from budgeteer.engine.whatif.axes import UNITS
from budgeteer.engine.whatif.probing import Subject
from budgeteer.engine.whatif.sweep import sweep, sweep_at
from tests.conformance.test_packing import configurations, inputs

slowly = settings(
    deadline=None,
    max_examples=int(__import__("os").environ.get("N", "60")),
    phases=[__import__("hypothesis").Phase.generate],
    suppress_health_check=[HealthCheck.too_slow],
)
LIMITS = "skillsBudget.limits."


def subject_of(given_inputs: Inputs, data: dict[str, Any], profile: str | None = None) -> Subject:
    tokenizer = data.get("tokenizer", "auto")
    if tokenizer == "auto":
        tokenizer = "cl100k_base" if data.get("model") == "gpt-4" else "o200k_base"
    counter = counter_for(tokenizer)
    return Subject(build_bundle(given_inputs, counter=counter), load_config(data), counter, profile=profile)


def anew(subject: Subject, data: dict[str, Any], path: str, value: float) -> Packing:
    """The packing under a configuration written out with the value; `inputBudget` by the window that leaves it."""
    if path == "inputBudget":
        reserve = pack(subject.bundle, load_config(data), counter=subject.counter).output_reserve
        data = set_path(set_path(data, "outputReserve", reserve), "contextWindow", int(value) + reserve)
    else:
        data = set_path(data, path, value)
    return pack(subject.bundle, load_config(data), counter=subject.counter, profile=subject.profile)


def check_same(answer: Answer, items: Sequence[str], packing: Packing) -> None:
    ledger = packing.ledger
    assert answer.size == packing.total
    assert answer.fits == packing.fits
    assert fates_by_id(items, answer) == {one.id: one.fate for one in ledger if one.fate != "added"}
    totals = {name: ledger.total(name) for name in SECTIONS}
    assert {section.name: section.size for section in answer.sections} == {
        name: size for name, size in totals.items() if any(one.section == name for one in ledger) or size != Size()
    }
    gone = ("dropped", "summarised", "added")
    assert answer.kept == sum(one.fate not in gone for one in ledger)


def values_between(low: float, high: float, path: str) -> st.SearchStrategy[float]:
    if UNITS[path] == "share":
        return st.floats(low, high, allow_nan=False)
    return st.integers(int(min(low, high)), int(max(low, high)))


#: Wide enough for whatever is generated, narrow enough that most values are near a breakpoint.
WIDEST = {"tokens": 6_000, "characters": 8_000, "bytes": 420_000, "items": 60}


@slowly
@given(st.data(), inputs(), configurations(), st.sampled_from([path for path in UNITS if path != "history.topicChars"]))
def test_every_step_is_what_packing_anew_says_there_and_right_before_the_next(
    drawn: st.DataObject, given_inputs: Inputs, data: dict[str, Any], path: str
) -> None:
    profile = drawn.draw(st.sampled_from([None, "openai-chat", "anthropic"]))
    subject = subject_of(given_inputs, data, profile)
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
