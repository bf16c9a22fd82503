"""Every rule of every provider is broken by a request of its own, and what a row promises is kept for any row."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any, Final

import pytest

from budgeteer.engine.providers.call_ids import CallIds
from budgeteer.engine.providers.names import ProviderName
from budgeteer.engine.providers.registry import PROVIDERS
from budgeteer.engine.rendering.validity import check_request
from tests.engine.packs import assistant, result

USER: Final = {"role": "user", "content": "Hi"}
CALL: Final = {"id": "a", "type": "function", "function": {"name": "run", "arguments": "{}"}}
NAMELESS: Final = {**CALL, "function": {"name": "", "arguments": "{}"}}
ITEM: Final = {"type": "function_call", "call_id": "a", "name": "run", "arguments": "{}"}
OUTPUT: Final = {"type": "function_call_output", "call_id": "a", "output": ""}
USE: Final = {"type": "tool_use", "id": "a", "name": "run", "input": {}}
USED: Final = {"type": "tool_result", "tool_use_id": "a"}
SAID: Final = {"type": "text", "text": "Hi"}
ASKED: Final = {"role": "user", "parts": [{"text": "Hi"}]}


def turns(*contents: list[dict[str, Any]]) -> dict[str, Any]:
    roles = ("user", "assistant")
    return {"messages": [{"role": roles[at % 2], "content": blocks} for at, blocks in enumerate(contents)]}


def model(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"role": "model", "parts": list(parts)}


#: For each provider, by the name of the rule, a request that breaks it.
BROKEN: Final[Mapping[ProviderName, Mapping[str, dict[str, Any]]]] = {
    "openai-chat": {
        "not empty": {"messages": []},
        "results follow calls": {"messages": [USER, {"role": "tool", "tool_call_id": "a", "content": ""}]},
        "calls are answered": {"messages": [USER, {"role": "assistant", "tool_calls": [CALL]}]},
        "calls have names": {"messages": [USER, {"role": "assistant", "tool_calls": [NAMELESS]}]},
        "tool names": {"messages": [USER], "tools": [{"type": "function", "function": {"name": "browser.search"}}]},
    },
    "openai-responses": {
        "not empty": {"input": []},
        "calls have names": {"input": [USER, {**ITEM, "name": ""}, OUTPUT]},
        "tool names": {"input": [USER, {**ITEM, "name": "browser.search"}, OUTPUT]},
        "outputs follow calls": {"input": [USER, OUTPUT]},
        "calls are answered": {"input": [USER, ITEM]},
        "reasoning keeps its item": {"input": [USER, {"type": "reasoning", "summary": []}]},
        "call ids": {"input": [USER, ITEM, OUTPUT, ITEM, OUTPUT]},
    },
    "anthropic": {
        "not empty": {"messages": []},
        "first message": {"messages": [{"role": "assistant", "content": [SAID]}]},
        "roles alternate": {"messages": [{"role": "user", "content": [SAID]}] * 2},
        "calls are answered": turns([SAID], [USE]),
        "results before text": turns([SAID], [USE], [SAID, USED]),
        "no empty text": turns([{"type": "text", "text": ""}]),
        "last text": turns([SAID], [{"type": "text", "text": "Hi \n"}]),
        "thinking leads on": turns([SAID], [SAID, {"type": "thinking"}]),
        "call ids": turns([SAID], [{**USE, "id": "a b"}], [{**USED, "tool_use_id": "a b"}]),
        "tools differ": {**turns([SAID]), "tools": [{"name": "run", "input_schema": {}}] * 2},
        "calls have names": turns([SAID], [{**USE, "name": ""}], [USED]),
        "tool names": turns([SAID], [{**USE, "name": "browser.search"}], [USED]),
    },
    "gemini": {
        "not empty": {"contents": []},
        "first content": {"contents": [model({"text": "Hi"})]},
        "roles": {"contents": [ASKED, {"role": "system", "parts": [{"text": "Hi"}]}]},
        "roles alternate": {"contents": [ASKED, ASKED]},
        "calls are answered": {"contents": [ASKED, model({"functionCall": {"name": "run", "args": {}}})]},
        "calls have names": {"contents": [ASKED, model({"functionCall": {"name": "", "args": {}}})]},
        "tool names": {"contents": [ASKED], "tools": [{"functionDeclarations": [{"name": "7 days"}]}]},
        "tools differ": {"contents": [ASKED], "tools": [{"functionDeclarations": [{"name": "run"}] * 2}]},
        "no empty part": {"contents": [{"role": "user", "parts": [{"text": ""}]}]},
        "signatures": {"contents": [ASKED, model({"thoughtSignature": "s"})]},
    },
}


def test_every_rule_has_a_request_that_breaks_it() -> None:
    asked = {(name, rule) for name, requests in BROKEN.items() for rule in requests}
    assert asked == {(name, rule.name) for name, row in PROVIDERS.items() for rule in row.rules}


@pytest.mark.parametrize(("name", "rule"), [(name, rule) for name, requests in BROKEN.items() for rule in requests])
def test_a_broken_rule_is_named(name: ProviderName, rule: str) -> None:
    failed = {check.rule for check in check_request(BROKEN[name][rule], name) if not check.ok}
    assert rule in failed


@pytest.mark.parametrize("name", list(PROVIDERS))
def test_an_id_that_is_made_is_one_that_the_provider_takes(name: ProviderName) -> None:
    pattern = PROVIDERS[name].capabilities.call_id
    messages = [assistant("", "same"), result("same")] * 12
    ids, sent = CallIds(pattern, messages), []
    for message in islice(messages, 0, None, 2):
        ids.of_calls(message)
        sent.append(ids["same"])
    assert len(set(sent)) == len(sent)
    assert pattern is None or all(pattern.match(one) for one in sent)


@pytest.mark.parametrize("name", list(PROVIDERS))
def test_the_tools_of_a_request_are_among_the_keys_that_packing_replaces(name: ProviderName) -> None:
    assert "tools" in PROVIDERS[name].request_keys
