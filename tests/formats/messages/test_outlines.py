"""Outlines as columns: what is put in comes out, in order, renamed and marked, and takes little memory."""

from __future__ import annotations

import io
import tracemalloc
from array import array
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgeteer.engine.content.conversation import (
    ROLES,
    ImagePart,
    Message,
    OpaquePart,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from budgeteer.engine.content.origin import Origin
from budgeteer.formats.messages.message_order import LEFT_OUT, in_slots
from budgeteer.formats.messages.message_spool import MessageSpool, SpooledMessages
from budgeteer.formats.messages.numbering import Notes, note_opaque, numbered
from budgeteer.formats.messages.outlines import OutlineList, says_nothing, with_parts

WORDS = st.text(alphabet='ab \n"\\ä\u2028', max_size=4)
IDS = st.sampled_from(["", "m1", "m2", "m3", "m02", "m2#2", "x", "x#2", "ä"])
CONTENT = st.one_of(
    st.builds(TextPart, WORDS),
    st.builds(ImagePart, st.just({"type": "image"}), st.none() | st.just(3)),
    st.builds(OpaquePart, st.just("own"), st.just({"a": 1}), st.just("openai")),
)
PARTS = st.one_of(
    CONTENT,
    st.builds(ToolCallPart, IDS, WORDS, WORDS),
    st.builds(ReasoningPart, WORDS, signature=WORDS, provider=st.sampled_from(["", "gemini"])),
)
RESULTS = st.builds(ToolResultPart, IDS, st.lists(CONTENT, max_size=2).map(tuple), st.booleans())
SAID = st.builds(
    Message,
    st.sampled_from([role for role in ROLES if role != "tool"]),
    st.lists(PARTS, max_size=3).map(tuple),
    IDS,
    WORDS,
    WORDS,
    st.integers(0, 9),
    st.booleans(),
    st.none() | st.just(Origin("openai", {"a": 1}, ("b",))),
    st.booleans(),
)
MESSAGES = st.lists(SAID | st.builds(Message, st.just("tool"), st.tuples(RESULTS), IDS, line=st.integers(0, 9)))


def spooled(messages: list[Message]) -> tuple[MessageSpool, OutlineList]:
    spool = MessageSpool(io.BytesIO())
    return spool, OutlineList(spool.keep, messages)


@given(MESSAGES)
def test_messages_come_back_whole(messages: list[Message]) -> None:
    spool, outlines = spooled(messages)
    found = list(SpooledMessages(spool, outlines))
    assert found == messages
    assert [one.origin for one in found] == [one.origin for one in messages]


@given(MESSAGES)
def test_what_the_columns_tell_is_what_the_messages_tell(messages: list[Message]) -> None:
    _, outlines = spooled(messages)
    places = range(len(messages))
    assert [outlines.role_of(at) for at in places] == [one.role for one in messages]
    assert [outlines.is_silent(at) for at in places] == [says_nothing(one.parts) for one in messages]
    assert list(outlines.lines) == [one.line for one in messages]
    assert list(outlines.of_role("user")) == [at for at in places if messages[at].role == "user"]
    for at, shown in enumerate(with_parts(outlines)):
        is_plain = not messages[at].parts or [type(part) for part in messages[at].parts] == [TextPart]
        assert (shown is None) == is_plain == outlines.is_plain(at)
    held, far = Notes(), Notes()
    note_opaque(messages, held)
    note_opaque(SpooledMessages(MessageSpool(io.BytesIO()), outlines), far)
    assert held.unknown == far.unknown


@given(MESSAGES, st.booleans())
def test_outlines_are_numbered_as_messages_are(messages: list[Message], is_request: bool) -> None:
    held, spool = Notes(), MessageSpool(io.BytesIO())
    expected = list(numbered(messages, held, is_request=is_request))
    for given_ in (iter(messages), OutlineList(spool.keep, messages)):
        far = Notes(aside=spool)
        assert list(numbered(given_, far, is_request=is_request)) == expected
        assert far.silent == held.silent
    ids = [one.id for one in expected]
    assert len(set(ids)) == len(ids)


@given(MESSAGES, st.data())
def test_outlines_are_put_in_order_as_messages_are(messages: list[Message], data: Any) -> None:
    slots: list[int] = []
    for at in range(len(messages)):
        own = [slot for slot in range(at) if slots[slot] == slot]
        slots.append(data.draw(st.sampled_from([at, LEFT_OUT, *own])))
    moved = {at for at, slot in enumerate(slots) if slot not in (at, LEFT_OUT)}
    spool, outlines = spooled(messages)
    expected = [
        replace(messages[at], moved=True) if at in moved else messages[at]
        for first in range(len(messages))
        for at, slot in enumerate(slots)
        if slot == first
    ]
    assert list(in_slots(messages, array("q", slots), moved=moved)) == expected
    assert list(SpooledMessages(spool, in_slots(outlines, array("q", slots), moved=moved))) == expected


def test_a_message_is_put_in_the_place_of_another() -> None:
    first, second = Message("user", (TextPart("a"),), "x"), Message("assistant", (TextPart("b"),), "long id", "name")
    spool, outlines = spooled([first, second])
    outlines[0] = outlines[1]
    outlines.name(1, "m2")
    found = list(SpooledMessages(spool, outlines))
    assert found == [second, replace(second, id="m2")]
    outlines.name(1, "an id that is longer than the one before")
    assert outlines.id_of(1) == "an id that is longer than the one before"
    with pytest.raises(IndexError):
        outlines[2]


def test_a_merged_message_is_read_from_every_place() -> None:
    spool = MessageSpool(io.BytesIO())
    one, two = (spool.put(Message("assistant", (TextPart(text),), text, line=at)) for at, text in enumerate("ab", 1))
    outlines = OutlineList(spool.keep, [one.followed_by(two)])
    assert list(SpooledMessages(spool, outlines)) == [Message("assistant", (TextPart("a"), TextPart("b")), "a", line=1)]
    assert [outline.id for outline in outlines.merged()] == ["a"]
    with pytest.raises(TypeError):
        one.followed_by(Message("user", ()))


def test_a_small_message_takes_less_than_a_hundred_bytes() -> None:
    spool = MessageSpool(io.BytesIO())
    notes = Notes(aside=spool)
    count = 20_000
    tracemalloc.start()
    try:
        found = numbered((Message("user", (TextPart("a"),), line=at) for at in range(1, count + 1)), notes)
        held = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(found) == count
    contents = count * len('[{"type":"text","text":"a"}]\n')
    assert held - 2 * contents < 100 * count
