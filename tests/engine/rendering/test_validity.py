"""Provider rules on requests that break them: each rule is caught by its name, and said in a sentence."""

from typing import Any

import pytest

from budgeteer.engine.providers.registry import PROVIDERS
from budgeteer.engine.rendering.validity import check_every_provider, check_packing, check_request
from tests.engine.packs import assistant, bundle_of, packed, result, user

USER = {"role": "user", "content": "Hi"}
CALL = {"type": "function_call", "call_id": "a", "name": "run", "arguments": "{}"}
FREE = {"type": "custom_tool_call", "call_id": "b", "name": "patch", "input": "*** Begin"}
FREED = {"type": "custom_tool_call_output", "call_id": "b", "output": ""}
OUTPUT = {"type": "function_call_output", "call_id": "a", "output": ""}
THOUGHT = {"type": "reasoning", "summary": [], "encrypted_content": "e"}
SAID = {"role": "assistant", "content": "Yes"}


def broken(request: dict[str, Any], provider: str) -> set[str]:
    checks = check_request(request, provider)
    assert all(check.sentence.startswith(PROVIDERS[provider].title) for check in checks)
    return {check.rule for check in checks if not check.ok}


@pytest.mark.parametrize(
    ("items", "rules"),
    [
        ([USER, CALL, OUTPUT, SAID], set()),
        ([USER, THOUGHT, CALL, OUTPUT, THOUGHT, SAID], set()),
        ([USER, THOUGHT, THOUGHT, SAID], set()),
        ([], {"not empty"}),
        ([USER, CALL], {"calls are answered"}),
        ([USER, FREE, CALL, FREED, OUTPUT], set()),
        ([USER, FREE], {"calls are answered"}),
        ([USER, THOUGHT, FREED], {"outputs follow calls", "reasoning keeps its item"}),
        ([FREE, {**FREED, "type": "function_call_output"}], {"outputs follow calls", "calls are answered"}),
        ([FREE, FREED, {**CALL, "call_id": "b"}, {**OUTPUT, "call_id": "b"}], {"call ids"}),
        ([OUTPUT, CALL], {"outputs follow calls", "calls are answered"}),
        ([CALL, OUTPUT, OUTPUT], {"outputs follow calls"}),
        ([SAID, THOUGHT], {"reasoning keeps its item"}),
        ([THOUGHT, USER], {"reasoning keeps its item"}),
        ([CALL, THOUGHT, OUTPUT], {"reasoning keeps its item"}),
        ([CALL, OUTPUT, CALL, OUTPUT], {"call ids"}),
        ([{**CALL, "call_id": "x" * 65}, {**OUTPUT, "call_id": "x" * 65}], {"call ids"}),
        ([{**CALL, "call_id": ""}, {**OUTPUT, "call_id": ""}], {"call ids"}),
    ],
)
def test_a_responses_request_that_breaks_a_rule_is_caught(items: list[dict[str, Any]], rules: set[str]) -> None:
    assert broken({"input": items}, "openai-responses") == rules


def turn(role: str, *parts: dict[str, Any]) -> dict[str, Any]:
    return {"role": role, "parts": list(parts)}


def called(name: str) -> dict[str, Any]:
    return {"functionCall": {"id": name, "name": name, "args": {}}}


def answered(name: str) -> dict[str, Any]:
    return {"functionResponse": {"id": name, "name": name, "response": {}}}


@pytest.mark.parametrize(
    ("turns", "rules"),
    [
        ([turn("user", {"text": "a"}), turn("model", called("f")), turn("user", answered("f"))], set()),
        ([], {"not empty"}),
        ([turn("model", {"text": "a"})], {"first content"}),
        ([turn("user", {"text": "a"}), turn("system", {"text": "b"})], {"roles"}),
        ([turn("user", {"text": "a"}), turn("user", {"text": "b"})], {"roles alternate"}),
        ([turn("user", {"text": "a"}), turn("model", called("f"))], {"calls are answered"}),
        ([turn("user", answered("f"))], {"calls are answered"}),
        (
            [
                turn("user", {"text": "a"}),
                turn("model", called("f"), called("g")),
                turn("user", answered("g"), answered("f")),
            ],
            {"calls are answered"},
        ),
        ([turn("user")], {"no empty part"}),
        ([turn("user", {"text": ""})], {"no empty part"}),
        ([turn("user", {"text": "a"}), turn("model", {"text": "", "thoughtSignature": "s"})], set()),
        ([turn("user", {"text": "a"}), turn("model", {"thoughtSignature": "s"})], {"signatures"}),
        ([turn("user", {"text": "a", "thoughtSignature": "s"})], {"signatures"}),
    ],
)
def test_a_gemini_request_that_breaks_a_rule_is_caught(turns: list[dict[str, Any]], rules: set[str]) -> None:
    assert broken({"contents": turns}, "gemini") == rules


@pytest.mark.parametrize(
    ("blocks", "rules"),
    [
        ([{"type": "thinking"}, {"type": "text", "text": "a"}], set()),
        ([{"type": "text", "text": "a"}, {"type": "thinking"}], {"thinking leads on"}),
        ([{"type": "tool_use", "id": "a b", "name": "f"}], {"calls are answered", "call ids"}),
        (
            [{"type": "tool_use", "id": "a", "name": "f"}, {"type": "tool_use", "id": "a", "name": "f"}],
            {"calls are answered", "call ids"},
        ),
    ],
)
def test_an_anthropic_turn_that_breaks_a_rule_is_caught(blocks: list[dict[str, Any]], rules: set[str]) -> None:
    said = [{"role": "user", "content": [{"type": "text", "text": "Hi"}]}, {"role": "assistant", "content": blocks}]
    assert broken({"messages": said}, "anthropic") == rules


@pytest.mark.parametrize("provider", list(PROVIDERS))
@pytest.mark.parametrize(("name", "rules"), [("f", set()), ("", {"calls have names"}), (" ", {"calls have names"})])
def test_a_call_without_a_name_is_caught_in_every_form(provider: str, name: str, rules: set[str]) -> None:
    call = {"id": "a", "type": "function", "function": {"name": name, "arguments": "{}"}}
    use = {"type": "tool_use", "id": "a", "name": name, "input": {}}
    requests: dict[str, dict[str, Any]] = {
        "openai-chat": {
            "messages": [{"role": "assistant", "tool_calls": [call]}, {"role": "tool", "tool_call_id": "a"}]
        },
        "openai-responses": {"input": [{**CALL, "name": name}, OUTPUT]},
        "anthropic": {
            "messages": [
                {"role": "user", "content": [{"type": "text", "text": "Hi"}]},
                {"role": "assistant", "content": [use]},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a"}]},
            ]
        },
        "gemini": {
            "contents": [turn("user", {"text": "a"}), turn("model", called(name)), turn("user", answered(name))]
        },
    }
    assert broken(requests[provider], provider) == rules


@pytest.mark.parametrize(
    ("provider", "request_"),
    [
        ("openai-chat", {"messages": []}),
        ("openai-responses", {"instructions": "Be brief.", "input": []}),
        ("anthropic", {"system": "Be brief.", "messages": []}),
        ("gemini", {"contents": []}),
    ],
)
def test_a_request_without_a_message_is_caught_in_every_form(provider: str, request_: dict[str, Any]) -> None:
    assert broken(request_, provider) == {"not empty"}


def test_every_provider_is_checked_its_own_first() -> None:
    bundle = bundle_of(assistant("Welcome"), user(), assistant("", "a b", "c"), result("c"), result("a b"), user())
    for provider in PROVIDERS:
        packing = packed(bundle, provider=provider)
        checks = check_every_provider(packing)
        assert checks[: len(check_packing(packing))] == check_packing(packing)
        assert {check.provider for check in checks} == set(PROVIDERS)
        assert all(check.ok for check in checks)
