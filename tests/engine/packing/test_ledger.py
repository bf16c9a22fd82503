"""The ledger as columns: names told apart, a decision found by its id, sums by section and by category."""

import pytest

from budgeteer.engine.content.library import Chunk, ToolDefinition
from budgeteer.engine.errors import InputError
from budgeteer.engine.packing.ledger import SECTIONS, Ledger, Size, by_category, unique
from tests.engine.packs import assistant, bundle_of, packed, result, system, user

TOOLS = tuple(ToolDefinition(name, "d", {"type": "object"}, "mcp", {"name": name}) for name in ("run", "run"))
CHUNKS = (Chunk("passage " * 30, "p"),)


@pytest.mark.parametrize(
    ("names", "told_apart"),
    [
        ([], []),
        (["a", "b"], ["a", "b"]),
        (["a", "a", "a"], ["a", "a#2", "a#3"]),
        (["a", "a", "a#2"], ["a", "a#3", "a#2"]),
        (["a#2", "a", "a", "a#2"], ["a#2", "a", "a#3", "a#2#2"]),
    ],
)
def test_names_that_were_there_before_get_a_number_that_is_free(names: list[str], told_apart: list[str]) -> None:
    assert unique(names) == told_apart


def test_a_decision_is_found_by_its_id_wherever_it_stands() -> None:
    ledger = packed(bundle_of(system(), user(), assistant(), user("Go"), tools=TOOLS, chunks=CHUNKS)).ledger
    ids = [one.id for one in ledger]
    assert ids == ["system:m1", "tool:run", "tool:run#2", "chunk:p", "message:m2", "message:m3", "message:m4"]
    assert [ledger.find(known) for known in ids] == list(range(len(ids)))
    assert [ledger.decision(index).id for index in range(len(ids))] == ids
    assert ledger.find("message:m9") is None


def test_every_decision_says_which_message_of_the_history_it_is_about() -> None:
    packing = packed(bundle_of(system(), user(), assistant(), user("Go"), tools=TOOLS))
    about = packing.ledger.messages().tolist()
    assert about == [-1, -1, -1, 0, 1, -1]
    told = [packing.bundle.history[row].id for row in about if row >= 0]
    assert told == [one.id.removeprefix("message:") for one in packing.ledger if one.section == "history"]


def test_an_empty_packing_has_an_empty_ledger() -> None:
    ledger = Ledger([], [], kind="exact")
    assert (len(ledger), list(ledger), ledger.total(), ledger.find("x")) == (0, [], Size(), None)
    assert ledger.messages().tolist() == []


def test_sums_by_section_and_by_category_are_the_whole() -> None:
    talk = [system(), user("word " * 40), assistant("Yes", "a"), result("a"), assistant(), user("Go")]
    bundle = bundle_of(*talk, tools=TOOLS, chunks=CHUNKS)
    packing = packed(bundle, {"history": {"strategy": "newestFirst", "maxTokens": 60}})
    ledger = packing.ledger
    assert sum((ledger.total(name) for name in SECTIONS), Size()) == ledger.total()
    asked = {section.name: section.demand.size.tokens for section in packing.sections}
    totals = {total.letter: total for total in by_category(ledger, asked=asked)}
    assert "".join(totals) == "STRUAXO"
    assert sum(total.sent_tokens for total in totals.values()) == packing.total.tokens
    assert sum(total.sent_tokens + total.not_sent_tokens for total in totals.values()) == packing.demand.tokens
    assert totals["T"].sent_tokens == ledger.total("tools").tokens
    assert totals["R"].sent_tokens == ledger.total("retrieval").tokens
    assert totals["U"].counts == {"kept": 1, "truncated": 0, "summarised": 0, "dropped": 1, "added": 0}
    results = {one.id: one.after.tokens for one in ledger if one.category == "X"}
    assert totals["X"].sent_tokens == sum(results.values())
    around = [one.size.tokens for one in ledger.overhead if one.is_around_messages]
    assert totals["O"].sent_tokens == sum(around) > 4 * len(results)
    sent_messages = sum(one.after.tokens > 0 for one in ledger if one.section == "history")
    left_out = sum(one.section == "history" for one in ledger) - sent_messages
    assert totals["O"].not_sent_tokens == 4 * left_out > 0


def test_columns_say_of_every_item_what_its_decision_says() -> None:
    talk = [system(), user("word " * 40), assistant("Yes", "a"), result("a"), assistant(), user("Go")]
    config = {"history": {"strategy": "newestFirst", "maxTokens": 60}, "pins": ["message:m2"]}
    ledger = packed(bundle_of(*talk, tools=TOOLS, chunks=CHUNKS), config).ledger
    decisions = list(ledger)
    assert list(zip(ledger.before_tokens.tolist(), ledger.before_chars.tolist(), strict=True)) == [
        (one.before.tokens, one.before.chars) for one in decisions
    ]
    assert list(zip(ledger.after_tokens.tolist(), ledger.after_chars.tolist(), strict=True)) == [
        (one.after.tokens, one.after.chars) for one in decisions
    ]
    assert [one.id for one in decisions if one.pinned] == ["message:m2"]
    assert ledger.pinned.tolist() == [one.pinned for one in decisions]


def test_what_is_written_in_the_place_of_items_is_not_counted_among_what_went() -> None:
    talk = [
        user("I want a list. " * 9),
        assistant("- We chose lists. " * 9),
        user("Go on"),
        assistant("Yes"),
        user("Go"),
    ]
    history = {"strategy": "summarizeOlder", "maxChars": 300, "keepUserTurns": 1, "summaryMaxChars": 290}
    packing = packed(bundle_of(*talk), {"history": history})
    assert packing.chosen.history.summary is not None
    totals = packing.categories
    went = int((packing.ledger.before_tokens - packing.ledger.after_tokens).clip(0).sum())
    not_sent = sum(total.not_sent_tokens for total in totals)
    assert not_sent == packing.demand.tokens - packing.total.tokens < went
    assert all(total.not_sent_tokens >= 0 for total in totals)
    assert sum(total.sent_tokens for total in totals) == packing.total.tokens


def test_an_error_is_one_sentence_and_its_three_parts() -> None:
    error = InputError("it is cut", where="a.json, line 3", mend="Save it again.")
    assert error.to_json() == {
        "what": "it is cut",
        "where": "a.json, line 3",
        "mend": "Save it again.",
        "sentence": "a.json, line 3: it is cut. Save it again.",
    }
    assert str(InputError("it is cut")) == "it is cut"
