"""Deltas: laid over a base, set path by path, found between two configurations."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgeteer.engine.config.overlay import delta_between, get_path, merge, set_path, unset_path
from budgeteer.engine.config.schema import BudgetConfig, dump_config
from budgeteer.engine.errors import ConfigError

BASE = dump_config(BudgetConfig())

leaf = st.one_of(
    st.none(), st.booleans(), st.integers(-5, 5), st.text(max_size=3), st.lists(st.integers(0, 3), max_size=2)
)
trees = st.recursive(leaf, lambda inner: st.dictionaries(st.sampled_from("abc"), inner, max_size=3), max_leaves=8)
objects = st.dictionaries(st.sampled_from("abcd"), trees, max_size=4)


def test_objects_merge_and_everything_else_replaces() -> None:
    merged = merge({"a": {"b": 1, "c": 2}, "l": [1, 2]}, {"a": {"b": 3}, "l": [9]})
    assert merged == {"a": {"b": 3, "c": 2}, "l": [9]}


def test_a_path_is_set_without_touching_the_original() -> None:
    delta = set_path({}, "skillsBudget.limits.maxSkillsInPrompt", 3)
    assert delta == {"skillsBudget": {"limits": {"maxSkillsInPrompt": 3}}}
    assert get_path(merge(BASE, delta), "skillsBudget.limits.maxSkillsInPrompt") == 3


def test_policies_take_any_skill_name_even_with_dots() -> None:
    delta = set_path({}, "skillsBudget.policies.node.js", "pinned")
    assert delta == {"skillsBudget": {"policies": {"node.js": "pinned"}}}
    assert unset_path(delta, "skillsBudget.policies.node.js") == {}


@pytest.mark.parametrize(
    ("path", "mend"),
    [
        ("skillsBudget.limit.x", "Did you mean skillsBudget.limits?"),
        ("history.maxToken", "Did you mean history.maxTokens?"),
        ("strategy", "It belongs at history.strategy."),
    ],
)
def test_an_unknown_path_names_the_nearest(path: str, mend: str) -> None:
    with pytest.raises(ConfigError) as caught:
        set_path({}, path, 1)
    assert caught.value.mend == mend


def test_unsetting_leaves_no_empty_object_behind() -> None:
    delta = {"history": {"strategy": "full"}, "model": "o3"}
    assert unset_path(delta, "history.strategy") == {"model": "o3"}
    assert unset_path(delta, "history.maxTokens") == delta
    assert unset_path(delta, "model.name") == delta
    assert get_path(delta, "model.name") is None


def test_true_and_one_are_different_values() -> None:
    assert delta_between({"a": 1}, {"a": True}) == {"a": True}


@given(base=objects, delta=objects)
def test_the_smallest_delta_leads_from_base_to_changed(base: dict[str, object], delta: dict[str, object]) -> None:
    changed = merge(base, delta)
    found = delta_between(base, changed)
    assert merge(base, found) == changed
    assert delta_between(changed, changed) == {}
