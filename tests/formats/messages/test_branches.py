"""Branches of a tree: where they end, and what is offered of them."""

from __future__ import annotations

import time
from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from budgeteer.engine.content.conversation import Conversation, Message, OpaquePart, TextPart, ToolCallPart
from budgeteer.formats.messages import branches as trees
from budgeteer.formats.messages.branches import other_leaves, path_to, with_branches
from budgeteer.formats.messages.imported import Imported, counts_of
from budgeteer.formats.messages.numbering import Notes

TREE = {"a": None, "b": "a", "c": "b", "d": "b", "e": "d", "f": "a", "g": None}


def said(*ids: str) -> tuple[Message, ...]:
    return tuple(Message("user", (TextPart(f"say {each}"),), id=each) for each in ids)


def chat(*ids: str, name: str = "s") -> Conversation:
    return Conversation(name, "A title", said(*ids))


def test_the_other_leaves_are_told_in_the_order_given() -> None:
    assert other_leaves(TREE.get, list(reversed(TREE)), {"a", "b", "c"}) == ["g", "f", "e"]
    assert other_leaves(TREE.get, ["a", "b", "c"], {"a", "b", "c"}) == []
    assert other_leaves(TREE.get, ["a", "d"], {"a", "b", "c"}) == ["d"]


def test_a_path_leads_from_the_root_and_a_circle_ends() -> None:
    assert path_to(TREE.get, "e") == ["a", "b", "d", "e"]
    assert path_to({"a": "b", "b": "a"}.get, "a") == ["b", "a"]
    assert other_leaves({"a": "b", "b": "a", "c": None}.get, ["a", "b", "c"], {"c"}) == []


@given(st.lists(st.integers(min_value=0), min_size=1, max_size=40))
def test_every_node_is_on_the_main_path_or_on_the_path_to_a_leaf(choices: list[int]) -> None:
    parents = {at: None if at == 0 else choice % at for at, choice in enumerate(choices)}
    main = path_to(parents.get, len(choices) - 1)
    leaves = other_leaves(parents.get, list(parents), set(main))
    reached = {node for leaf in leaves for node in path_to(parents.get, leaf)} | set(main)
    assert reached == set(parents)
    assert all(leaf not in parents.values() for leaf in leaves)


def test_a_branch_says_where_it_leaves_and_shares_the_messages() -> None:
    notes = Notes()
    main, other = with_branches(chat("a", "b", "c"), iter([chat("a", "b", "d")]), notes, total=1)
    assert (main.id, main.branches, main.branch_of) == ("s", 1, "")
    assert (other.id, other.branches, other.branch_of) == ("s~2", 0, "s")
    assert other.title == "A title, branch after message 2: say d"
    assert other.messages[0] is main.messages[0]
    assert other.metadata["forksAfter"] == 2
    assert "Messages that these branches share with the main one, counted once: 2" in notes.sentences()
    (_, root) = with_branches(chat("a"), [chat("g")], Notes(), total=1)
    assert root.title == "A title, branch from its start: say g"


def test_parts_nobody_knows_are_counted_in_the_other_branches_too() -> None:
    def odd(each: str) -> Message:
        return Message("assistant", (OpaquePart("glyph", {"type": "glyph"}, "x"),), id=each)

    notes = Notes()
    main = Conversation("s", "", (*said("a"), odd("b")))
    others = [Conversation("s", "", (*said("a"), odd("c"), *said(end))) for end in ("d", "e")]
    with_branches(main, others, notes, total=2)
    assert notes.unknown == {"glyph": 1}


def test_counts_hold_what_branches_share_once() -> None:
    calling = Message("assistant", (ToolCallPart("t", "look", "{}"),), id="x")
    main = Conversation("s", "A title", (*said("a"), calling, *said("b")))
    others = [Conversation("s", "", (*said("a"), calling, *said("c", "d"))), Conversation("s", "", said("a", "b", "e"))]
    found = with_branches(main, others, Notes(), total=2)
    stranger = Conversation("t", "Another", said("a"))
    counts = counts_of(Imported("f", "", "conversation", conversations=(*found, stranger)))
    assert (counts["conversations"], counts["messages"], counts["toolCalls"]) == (4, 7, 1)


def test_a_branch_that_the_model_would_see_alike_is_not_offered() -> None:
    notes = Notes()
    (only,) = with_branches(chat("a", "b"), [chat("a")], notes, total=1)
    assert only.branches == 1
    assert notes.sentences() == ("Other branches in the file: 1",)


def test_no_more_branches_are_built_than_are_offered() -> None:
    built: list[int] = []

    def others() -> Iterator[Conversation]:
        for number in range(1_000):
            built.append(number)
            yield chat("a", f"x{number}")

    found = with_branches(chat("a", "b"), others(), Notes(), total=1_000)
    assert len(found) == trees.MOST_BRANCHES + 1
    assert len(built) == trees.MOST_BRANCHES
    assert found[0].branches == 1_000


def test_a_comb_of_many_thousand_branches_is_told_quickly() -> None:
    size = 100_000
    parents = {at: at - 2 if at % 2 == 0 else at - 1 for at in range(2, size)} | {0: None, 1: 0}
    start = time.process_time()
    main = path_to(parents.get, size - 2)
    leaves = other_leaves(parents.get, range(size), set(main))
    assert len(leaves) == size // 2
    assert time.process_time() - start < 5
