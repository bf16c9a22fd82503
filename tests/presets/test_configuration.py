from __future__ import annotations

import pytest

from budgeteer.engine.errors import ConfigError
from budgeteer.presets.configuration import (
    full_config,
    read_object,
    smallest_delta,
)
from budgeteer.presets.seeds import SEEDS
from tests.engine.packing.test_verdict import at
from tests.engine.packs import assistant, user


@pytest.mark.parametrize("seed", SEEDS, ids=lambda seed: seed.slug)
def test_every_shipped_preset_is_its_own_smallest_delta(seed):
    assert smallest_delta(seed.config) == seed.config


def test_a_delta_that_repeats_defaults_shrinks():
    assert smallest_delta({"model": "gpt-4o", "history": {"strategy": "newestFirst", "maxTokens": 80_000}}) == {
        "history": {"strategy": "newestFirst"}
    }


def test_full_and_smallest_are_inverse():
    delta = {"skillsBudget": {"enabled": True, "limits": {"maxSkillsPromptChars": 36_000}}}
    assert smallest_delta(full_config(delta)) == delta


def test_nothing_typed_is_an_empty_configuration():
    assert read_object("  \n") == {}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"model": "gpt-4o",}', ("line 1, column", "not JSON")),
        ("[1]", ("a configuration is a JSON object",)),
        ('{"model": "a", "model": "b"}', ("'model'", "twice")),
        ("[" * 200_000, ("nested too deeply",)),
    ],
)
def test_text_that_is_no_configuration_is_refused_with_place_and_mend(text, words):
    with pytest.raises(ConfigError) as caught:
        read_object(text)
    assert all(word in caught.value.sentence for word in words)


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"skillsBudget": {"limts": {}}}, ("skillsBudget.limts", "Did you mean skillsBudget.limits?")),
        ({"model": "gpt-4oo"}, ("gpt-4oo", "gpt-4o")),
        ({"history": {"maxTokens": -1}}, ("history.maxTokens",)),
        ({"pruning": {"mode": "sometimes"}}, ("pruning.mode", "auto")),
    ],
)
def test_a_configuration_that_cannot_be_used_names_path_and_nearest(config, words):
    with pytest.raises(ConfigError) as caught:
        smallest_delta(config)
    assert all(word in caught.value.sentence for word in words)


@pytest.mark.parametrize("text", ['{"outputReserve": ' + "9" * 5000 + "}", "[" * 100_000])
def test_what_cannot_be_read_is_a_sentence(text):
    with pytest.raises(ConfigError):
        read_object(text)


def test_the_plain_preset_says_of_all_it_leaves_out_that_the_window_does_not_hold_it():
    (plain,) = [seed for seed in SEEDS if seed.slug == "plain"]
    assert "only what the window cannot hold is left out" in plain.description
    said = [line for at in range(12) for line in (user(f"Task {at}. " * 30), assistant("Done. " * 30))]
    packing = at(900, *said, **plain.config)
    assert packing.verdict.counts["dropped"] > 0
    assert packing.verdict.sentence.endswith("left out by the input limit")
    gone = [one for one in packing.ledger if one.fate == "dropped"]
    assert all(one.sentence.startswith("Over 897 tokens") for one in gone)


def test_what_a_summary_stands_for_is_summarised_and_not_dropped():
    said = [line for at in range(12) for line in (user(f"Task {at}. " * 30), assistant("Done. " * 30))]
    packing = at(900, *said, history={"strategy": "summarizeOlder", "maxChars": 800, "keepUserTurns": 1})
    assert packing.verdict.counts == {"kept": 2, "truncated": 0, "summarised": 22, "dropped": 0, "added": 1}
    assert packing.verdict.sentence == "Fits, with 22 items summarised"
