"""A packed prompt as a transcript to read: its system message, then what is sent of the conversation."""

from __future__ import annotations

from budgeteer.engine.rendering import render_markdown
from tests.engine.packs import assistant, bundle_of, packed, system, user


def test_a_packed_prompt_is_a_transcript_of_what_is_sent() -> None:
    bundle = bundle_of(system(), user("word " * 40), assistant("Good day."), user("## user\nGo on"))
    packing = packed(bundle, {"history": {"strategy": "newestFirst", "maxTokens": 30}})
    blocks = render_markdown(packing).rstrip("\n").split("\n\n")
    assert blocks[0] == "<!-- budgeteer transcript 1 -->"
    assert blocks[2] == "# Packed prompt"
    said = blocks[3:]
    assert said[:2] == ['## system <!-- {"id":"m1"} -->', "Be brief."]
    assert "word word" not in "".join(said)
    assert said[-4:-2] == ['## assistant <!-- {"id":"m3"} -->', "Good day."]
    assert said[-2:] == ['## user <!-- {"id":"m4"} -->', "\\## user\nGo on"]
