"""Calls written as JSON text, and results that say whose they are by name or not at all."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from budgeteer.formats.reading.open_calls import WaitingCalls, arguments_text, written_calls


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ('{"name": "run", "arguments": {"n": 1}}', [("run", {"n": 1})]),
        ('[{"name": "run", "parameters": "x"}, {"name": "look", "args": null}]', [("run", "x"), ("look", None)]),
        ('{"name": "run", "arguments": 1, "args": 2}', [("run", 1)]),
        ('{"name": "run"}', None),
        ('{"name": 7, "arguments": {}}', None),
        ('[{"name": "run", "arguments": {}}, {"name": "look"}]', None),
        ("[1]", None),
        ("[]", None),
        ("run(1)", None),
    ],
)
def test_a_text_is_a_call_where_all_of_it_names_tools_with_their_arguments(
    text: str, calls: list[tuple[str, Any]] | None
) -> None:
    assert written_calls(text) == calls


@pytest.mark.parametrize(("given", "text"), [(None, ""), ("{ }", "{ }"), ({"n": [1, "é"]}, '{"n":[1,"é"]}'), (0, "0")])
def test_arguments_are_the_text_that_the_model_wrote(given: Any, text: str) -> None:
    assert arguments_text(given) == text


@pytest.mark.parametrize("seed", range(30))
def test_the_oldest_call_of_a_name_is_the_one_a_search_finds(seed: int) -> None:
    chance, waiting, obvious = Random(seed), WaitingCalls(), dict[str, str]()
    for _ in range(200):
        given, name = f"c{chance.randrange(12)}", f"n{chance.randrange(4)}"
        match chance.randrange(20):
            case 0:
                waiting.clear()
                obvious.clear()
            case number if number < 10:
                waiting[given] = obvious[given] = name
            case _:
                assert waiting.pop(given, None) == obvious.pop(given, None)
        assert (dict(waiting), len(waiting), given in waiting) == (obvious, len(obvious), given in obvious)
        assert waiting.oldest() == next(iter(obvious), "")
        assert waiting.oldest_of(name) == next((call for call, called in obvious.items() if called == name), "")
