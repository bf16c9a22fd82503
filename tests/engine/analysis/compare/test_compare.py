"""Two configurations on the same sources: what moved, and that what is said to have moved it did."""

from __future__ import annotations

import json
from itertools import combinations
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from budgeteer.engine.analysis.compare.compare import Comparison, compare
from budgeteer.engine.config.schema import BudgetConfig, dump_config, load_config
from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.engine.errors import ConfigError
from budgeteer.engine.inputs.bundle import Bundle, Inputs, build_bundle
from budgeteer.engine.packing.allocation import tokenizer_of
from budgeteer.engine.packing.pack import pack
from budgeteer.engine.packing.result import Packing
from tests.conformance.packing.test_packing import configurations, inputs
from tests.engine.packs import assistant, system, talk, user
from tests.examples import examples

slowly = settings(deadline=None, max_examples=examples(60), suppress_health_check=[HealthCheck.too_slow])


def bundles(given_inputs: Inputs) -> Any:
    def bundle_of(config: BudgetConfig) -> Bundle:
        return build_bundle(given_inputs, counter=counter_for(tokenizer_of(config)))

    return bundle_of


def compared(given_inputs: Inputs, a: dict[str, Any], b: dict[str, Any]) -> Comparison:
    return compare(bundles(given_inputs), load_config(a), load_config(b))


def leaves(data: Any, prefix: str = "") -> dict[str, Any]:
    """A configuration as path -> value; a policy is a leaf of its own."""
    if not isinstance(data, dict):
        return {prefix: data}
    return {
        path: value
        for key, inner in data.items()
        for path, value in leaves(inner, f"{prefix}.{key}".lstrip(".")).items()
    }


def with_leaves(data: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    changed: dict[str, Any] = json.loads(json.dumps(data))
    for path, value in changes.items():
        *steps, last = path.split(".")
        part = changed
        for step in steps:
            part = part[step]
        part[last] = value
    return changed


def packed_anew(given_inputs: Inputs, data: dict[str, Any]) -> Packing | None:
    try:
        config = load_config(data)
        counter = counter_for(tokenizer_of(config))
        return pack(build_bundle(given_inputs, counter=counter), config, counter=counter)
    except ConfigError:
        return None


def fate_and_chars(packing: Packing | None, one: str) -> tuple[str, int] | None:
    found = [] if packing is None else [entry for entry in packing.ledger if entry.id == one]
    return (found[0].fate, found[0].after.chars) if found else None


def arrives(packing: Packing | None, one: str, start: Any, end: Any) -> bool:
    if packing is None:
        return False
    there = fate_and_chars(packing, one)
    if there and start and end and start[0] != end[0]:
        return bool(there[0] == end[0])
    return bool(there == end)


@pytest.mark.slow
@slowly
@given(st.data(), inputs(), configurations(), configurations())
def test_what_is_said_to_move_an_item_moves_it_and_nothing_less_does(
    drawn: st.DataObject, given_inputs: Inputs, first: dict[str, Any], second: dict[str, Any]
) -> None:
    first, second = (dump_config(load_config(data)) for data in (first, second))
    own = leaves(first)
    unlike = {path: value for path, value in leaves(second).items() if path in own and own[path] != value}
    chosen = drawn.draw(st.lists(st.sampled_from(sorted(unlike)), max_size=4, unique=True)) if unlike else []
    changes = {path: unlike[path] for path in chosen}
    target = with_leaves(first, changes)
    if packed_anew(given_inputs, first) is None or packed_anew(given_inputs, target) is None:
        return
    found = compared(given_inputs, first, target)
    assert {one.path: one.b for one in found.differences} == changes
    packings = {
        some: packed_anew(given_inputs, with_leaves(first, {path: changes[path] for path in some}))
        for count in range(len(chosen) + 1)
        for some in combinations(sorted(chosen), count)
    }
    a, b = packings[()], packings[tuple(sorted(chosen))]
    assert a is not None
    assert b is not None
    ids = {one.id for packing in (a, b) for one in packing.ledger}
    assert {one.id for one in found.moved} == {one for one in ids if fate_and_chars(a, one) != fate_and_chars(b, one)}
    for moved in found.moved:
        start, end = fate_and_chars(a, moved.id), fate_and_chars(b, moved.id)
        cause = moved.cause
        alone = {some[0] for some in packings if len(some) == 1 and arrives(packings[some], moved.id, start, end)}
        if cause.is_alone:
            assert {*cause.paths, *cause.others} == alone
            continue
        assert not alone
        assert arrives(packings[tuple(sorted(cause.paths))], moved.id, start, end)
        for path in cause.paths:
            less = tuple(sorted(set(cause.paths) - {path}))
            assert not arrives(packings[less], moved.id, start, end)
    check_sums(found)


def check_sums(found: Comparison) -> None:
    data = found.to_json()
    for axis in ("tokens", "chars"):
        assert sum(section["delta"][axis] for section in data["sections"]) == data["delta"][axis]
        for side in ("a", "b"):
            assert sum(section[side][axis] for section in data["sections"]) == data[side]["total"][axis]


def a_talk() -> Inputs:
    said = [user(f"Question {number}: " + "why " * 30) for number in range(6)]
    return Inputs(conversation=talk(system(), *(part for one in said for part in (one, assistant()))))


def test_one_difference_is_named_with_its_rule() -> None:
    newest = {"strategy": "newestFirst", "maxTokens": 5_000}
    found = compared(a_talk(), {"history": newest}, {"history": {**newest, "maxTokens": 100}})
    assert [one.path for one in found.differences] == ["history.maxTokens"]
    assert len(found.moved) > 0
    for moved in found.moved:
        assert moved.a is not None
        assert moved.b is not None
        assert (moved.a.fate, moved.b.fate) == ("kept", "dropped")
        assert moved.cause.paths == ("history.maxTokens",)
        assert moved.cause.rule == "newestFirst"
        assert "newest 100 tokens" in moved.cause.sentence
    assert found.delta.tokens < 0
    assert found.to_json()["delta"]["uncached"] < 0


def test_a_combination_is_said_to_be_one() -> None:
    before = {"history": {"strategy": "full", "maxTokens": 5_000}, "features": {"topK": 3}}
    after = {"history": {"strategy": "newestFirst", "maxTokens": 100}, "features": {"topK": 4}}
    found = compared(a_talk(), before, after)
    assert len(found.differences) == 3
    assert {moved.cause.paths for moved in found.moved} == {("history.strategy", "history.maxTokens")}
    assert not any(moved.cause.is_alone for moved in found.moved)


def test_what_either_of_two_does_alone_names_both() -> None:
    found = compared(
        a_talk(),
        {"history": {"strategy": "newestFirst"}},
        {"history": {"strategy": "newestFirst", "maxTokens": 60}, "contextWindow": 120, "outputReserve": 20},
    )
    oldest = found.moved[0].cause
    assert oldest.is_alone
    assert {"history.maxTokens"} | {"contextWindow"} <= {*oldest.paths, *oldest.others}


def test_another_model_counts_anew_and_moves_nothing_that_fits() -> None:
    found = compared(a_talk(), {"model": "gpt-4o"}, {"model": "gpt-4"})
    assert found.moved == ()
    assert (found.a.tokenizer, found.b.tokenizer) == ("o200k_base", "cl100k_base")
    assert [one.path for one in found.differences] == ["model"]


def test_the_same_configuration_twice_differs_in_nothing() -> None:
    found = compared(a_talk(), {}, {})
    assert found.differences == ()
    assert found.moved == ()
    assert found.delta.tokens == 0


def test_a_value_that_cannot_be_used_without_another_one_is_no_cause_by_itself() -> None:
    """The reserve alone is more than the first window: it goes with the second one only."""
    before = {"contextWindow": 1_000, "outputReserve": 100, "history": {"strategy": "newestFirst"}}
    after = {**before, "contextWindow": 1_500, "outputReserve": 1_300}
    found = compared(a_talk(), before, after)
    assert {one.path for one in found.differences} == {"contextWindow", "outputReserve"}
    assert len(found.moved) > 0
    assert {moved.cause.paths for moved in found.moved} == {("contextWindow", "outputReserve")}
    assert {moved.cause.others for moved in found.moved} == {()}


def test_what_is_on_one_side_only_has_nothing_on_the_other() -> None:
    found = compared(a_talk(), {}, {"pruning": {"mode": "auto"}})
    added = {moved.id: moved for moved in found.moved}
    assert set(added) == {"system:pruning", "tool:compress"}
    for moved in added.values():
        assert moved.a is None
        assert moved.b is not None
        assert moved.to_json()["a"] is None
        assert moved.cause.paths == ("pruning.mode",)
    check_sums(found)


def test_word_of_progress_comes_with_each_item_that_moved() -> None:
    heard: list[tuple[int, int]] = []
    a, b = ({"history": {"strategy": "newestFirst", "maxTokens": most}} for most in (5_000, 100))
    found = compare(
        bundles(a_talk()), load_config(a), load_config(b), progress=lambda done, of: heard.append((done, of))
    )
    assert heard == [(number, len(found.moved)) for number in range(1, len(found.moved) + 1)]
    assert heard
