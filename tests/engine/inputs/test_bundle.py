"""What goes into one prompt: whose system text, whose tools, which query, and tool definitions in any form."""

from typing import Any

import pytest

from budgeteer.engine.content.conversation import Conversation
from budgeteer.engine.content.library import ToolDefinition
from budgeteer.engine.counting.library_measures import measure_tools
from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.engine.inputs.bundle import BundleSlice, Inputs, build_bundle, tool_from_raw
from tests.engine.packs import assistant, bundle_of, packed, result, system, talk, user

COUNTER = counter_for("o200k_base")
SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}}
OWN: dict[str, Any] = {"type": "function", "function": {"name": "own", "description": "Mine.", "parameters": SCHEMA}}
GIVEN = ToolDefinition("given", "", SCHEMA, "mcp", {"name": "given", "inputSchema": SCHEMA})


def bundle_with_tools(tools: tuple[ToolDefinition, ...] | None, **more: Any) -> Any:
    conversation = talk(user(), assistant(), user("Go"), tools=(OWN,), **more)
    return build_bundle(Inputs(conversation=conversation, tools=tools), counter=COUNTER)


@pytest.mark.parametrize(
    ("raw", "name", "description", "parameters", "form"),
    [
        (OWN, "own", "Mine.", SCHEMA, "openai"),
        (
            {"function": {"name": "bare", "description": None}},
            "bare",
            "",
            {"type": "object", "properties": {}},
            "openai",
        ),
        ({"name": "a", "description": "d", "input_schema": SCHEMA}, "a", "d", SCHEMA, "anthropic"),
        ({"name": "b", "inputSchema": SCHEMA}, "b", "", SCHEMA, "mcp"),
        ({"type": "function", "name": "c", "parameters": SCHEMA}, "c", "", SCHEMA, "responses"),
        ({"name": "d", "parametersJsonSchema": SCHEMA}, "d", "", SCHEMA, "gemini"),
        ({"name": "e", "parameters": SCHEMA}, "e", "", SCHEMA, "mcp"),
        ({"name": "g"}, "g", "", {"type": "object", "properties": {}}, "mcp"),
        ({"name": "f", "parameters": {"type": "OBJECT"}}, "f", "", {"type": "object"}, "gemini"),
        ({"type": "web_search_20250305", "name": "web_search"}, "web_search", "", None, "anthropic"),
        ({"type": "web_search"}, "web_search", "", None, "anthropic"),
    ],
)
def test_a_definition_is_read_from_any_form(
    raw: dict[str, Any], name: str, description: str, parameters: object, form: str
) -> None:
    assert tool_from_raw(raw) == ToolDefinition(name, description, parameters, form, raw)  # type: ignore[arg-type]


def test_the_conversations_own_tools_are_taken_unless_others_are_given() -> None:
    own, given, none = bundle_with_tools(None), bundle_with_tools((GIVEN,)), bundle_with_tools(())
    assert [tool.name for tool in own.tools] == ["own"]
    assert own.notes == ("The conversation's own tool definitions are used.",)
    assert [tool.name for tool in given.tools] == ["given"]
    assert given.notes == ("The tool definitions given are used instead of the conversation's own.",)
    assert (none.tools, none.notes) == ((), given.notes)
    assert bundle_of(user(), tools=(GIVEN,)).notes == ()


def test_tools_that_were_measured_are_not_measured_again_and_others_are() -> None:
    given = (tool_from_raw(OWN), tool_from_raw({"name": "b", "inputSchema": SCHEMA}))
    measures = measure_tools(given, counter=COUNTER)
    held = build_bundle(Inputs(tools=given, tool_measures=measures), counter=COUNTER)
    assert held.tool_measures is measures
    fewer = build_bundle(Inputs(tools=given[:1], tool_measures=measures), counter=COUNTER)
    assert fewer.tool_measures.of("openai-chat").tokens.tolist() == measures.of("openai-chat").tokens[:1].tolist()


def test_the_system_text_given_replaces_the_conversations_own_and_says_so() -> None:
    own = bundle_of(system("Be brief."), system("Be kind."), user())
    assert [(text.id, text.name, text.text) for text in own.system] == [
        ("system:m1", "System text 1", "Be brief."),
        ("system:m2", "System text 2", "Be kind."),
    ]
    assert own.notes == ("The conversation's own system text is used.",)
    given = bundle_of(system("Be brief."), user(), system="Be bold.")
    assert [text.text for text in given.system] == ["Be bold."]
    assert given.notes == ("The system text given is used instead of the conversation's own.",)


def test_the_query_is_what_was_typed_or_the_last_message_of_the_user() -> None:
    last = bundle_of(user("Hi"), assistant(), user("Go"))
    assert (last.query, [one.id for one in last.history]) == (
        talk(user("Hi"), assistant(), user("Go")).messages[2],
        ["m1", "m2"],
    )
    typed = bundle_of(user("Hi"), assistant(), user("Go"), query="Now.")
    assert [one.id for one in typed.history] == ["m1", "m2", "m3"]
    assert typed.query is not None
    assert typed.query.id == "query"
    for nobodys in (bundle_of(user("Hi"), assistant("Yes", "a"), result("a")), bundle_of(system())):
        assert nobodys.query is None


def test_what_the_file_holds_of_its_last_request_is_what_stood_before_the_last_reply() -> None:
    reported = packed(bundle_with_tools(None, reported_input_tokens=500))
    replaced = packed(bundle_with_tools((GIVEN,), reported_input_tokens=500))
    before = sum(one.before.tokens for one in reported.ledger if one.id == "message:m1")
    before += int(reported.bundle.tool_measures.of("openai-chat").tokens.sum())
    role = COUNTER.count("user")
    assert reported.bundle.file_input_tokens == before + role
    assert reported.not_in_file_tokens == 500 - before - role
    assert replaced.not_in_file_tokens == reported.not_in_file_tokens
    assert packed(bundle_with_tools(None)).not_in_file_tokens is None
    unanswered = Conversation("c", "c", talk(user("Hi"), user("Ho")).messages, reported_input_tokens=1)
    assert packed(build_bundle(Inputs(conversation=unanswered), counter=COUNTER)).not_in_file_tokens == 0


def test_a_stretch_of_messages_is_read_by_place_from_either_end_and_by_slice() -> None:
    messages = talk(user("a"), user("b"), user("c"), user("d")).messages
    stretch = BundleSlice(messages, 1, 3)
    assert [len(stretch), stretch[0], stretch[-1]] == [2, messages[1], messages[2]]
    assert list(stretch) == list(stretch[:]) == list(messages[1:3])
    assert stretch[::-1] == [messages[2], messages[1]]
    assert len(BundleSlice(messages, 3, 1)) == 0
    for outside in (2, -3):
        with pytest.raises(IndexError):
            stretch[outside]
