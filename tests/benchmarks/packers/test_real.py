"""Real conversations in the plain form: one system text, every call answered at once, nothing empty."""

from __future__ import annotations

from benchmarks.inputs.workloads import Call, Said
from benchmarks.packers import real
from tests.engine.packs import assistant, result, system, user


def test_a_conversation_in_order_stays_as_it_is():
    found = real.plain(
        [system("S"), user("U"), assistant("A", "x", "y"), result("x", "1"), result("y", "2"), user("V")]
    )
    calls = (Call("call_1_0", "run", '{"n": 1}'), Call("call_1_1", "run", '{"n": 1}'))
    assert found == (
        Said("system", "S"),
        Said("user", "U"),
        Said("assistant", "A", calls),
        Said("tool", "1", answers="call_1_0"),
        Said("tool", "2", answers="call_1_1"),
        Said("user", "V"),
    )


def test_halves_of_pairs_empty_messages_and_later_system_texts_are_put_in_order():
    messages = [
        user("U"),
        result("lost"),
        assistant("", "open"),
        user(" "),
        system("S"),
        assistant("A", "open"),
        user("V"),
    ]
    assert real.plain(messages) == (Said("system", "S"), Said("user", "U"), Said("assistant", "A"), Said("user", "V"))
