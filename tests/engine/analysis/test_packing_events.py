"""The events of a packing: what happened in figures and names of rules, and no text."""

from __future__ import annotations

import json

from budgeteer.engine.analysis.packing_events import events_of
from budgeteer.engine.content.library import FeatureSpec
from budgeteer.engine.packing.pruning.automatic import RULES
from tests.engine.packs import assistant, bundle_of, packed, system, user

SECRET = "the harbour master's daughter"
TALK = [system(), *(message for n in range(20) for message in (user(f"{SECRET} {n}"), assistant(SECRET)))]
SPECS = (FeatureSpec("moor.md", "Moor", "", f"How to moor. {SECRET}"), FeatureSpec("dredge.md", "Dredge", "", SECRET))


def test_a_packing_that_leaves_nothing_out_is_one_event() -> None:
    packing = packed(bundle_of(*TALK))
    (event,) = events_of(packing)
    assert event.name == "packed"
    assert event.fields["sent_tokens"] == event.fields["asked_tokens"] == packing.total.tokens
    assert event.fields["fates"] == {"kept": 41, "truncated": 0, "summarised": 0, "dropped": 0, "added": 0}


def test_what_history_leaves_out_is_counted_by_rule() -> None:
    packing = packed(bundle_of(*TALK), {"history": {"strategy": "newestFirst", "maxTokens": 60}})
    truncated, done = events_of(packing)
    dropped = sum(decision.fate == "dropped" for decision in packing.ledger)
    assert dropped > 0
    assert (truncated.name, truncated.fields["section"], truncated.fields["strategy"]) == (
        "truncated",
        "history",
        "newestFirst",
    )
    assert truncated.fields["dropped"] == done.fields["fates"]["dropped"] == dropped
    assert sum(truncated.fields["rules"].values()) == len(packing.bundle.history)
    assert truncated.fields["before_tokens"] > truncated.fields["after_tokens"]


def test_pruning_says_what_stands_for_what() -> None:
    ranges = [{"topic": SECRET, "ranges": [{"startId": "m001", "endId": "m010", "summary": SECRET}]}]
    packing = packed(bundle_of(*TALK), {"pruning": {"mode": "auto", "ranges": ranges}})
    event = events_of(packing)[0]
    assert (event.name, event.fields["mode"], event.fields["blocks"], event.fields["covered"]) == (
        "pruned",
        "auto",
        1,
        10,
    )
    assert 0 < event.fields["summary_tokens"] < event.fields["max_summary_tokens"]
    assert event.fields["rules"] == dict.fromkeys(RULES.values(), 0)
    assert SECRET not in json.dumps([one.fields for one in events_of(packing)])


def test_a_search_says_how_much_it_found() -> None:
    packing = packed(bundle_of(*TALK, features=SPECS), {"features": {"mode": "search", "keywords": ["moor"]}})
    searched = next(event for event in events_of(packing) if event.name == "searched")
    assert searched.fields["specs"] == 2
    assert (searched.fields["keywords"], searched.fields["matches"], searched.fields["whole"]) == (1, 1, 1)


def test_no_text_is_in_any_event() -> None:
    packing = packed(
        bundle_of(*TALK, features=SPECS),
        {
            "history": {"strategy": "summarizeOlder", "maxChars": 200},
            "features": {"mode": "search", "keywords": ["moor"]},
        },
    )
    told = json.dumps([(event.name, dict(event.fields)) for event in events_of(packing)])
    assert "harbour" not in told
    assert "moor" not in told
