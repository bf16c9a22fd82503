"""Tool definitions behind a search tool, and those that are never called."""

from __future__ import annotations

import json

import pytest

from budgeteer.engine.analysis.deferred_tools import SEARCH_TOOLS, DeferredTools, deferred_tools
from budgeteer.engine.config.schema import load_config
from budgeteer.engine.content.conversation import Message, TextPart, ToolCallPart
from budgeteer.engine.content.library import ToolDefinition
from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.engine.errors import InputError
from budgeteer.engine.inputs.bundle import Bundle
from budgeteer.engine.providers.registry import PROVIDERS
from tests.engine.packs import bundle_of, packed, result, user

COUNTER = counter_for("o200k_base")


def tool(name: str, words: int = 30) -> ToolDefinition:
    schema = {"type": "object", "properties": {"path": {"type": "string"}}}
    said = f"{name}: " + "stone " * words
    return ToolDefinition(
        name,
        said,
        schema,
        "openai",
        {"type": "function", "function": {"name": name, "description": said, "parameters": schema}},
    )


def calling(name: str, call: str) -> Message:
    return Message("assistant", (ToolCallPart(call, name, "{}"),))


TOOLS = [tool("read"), tool("write"), tool("fetch", 200), tool("draw", 100)]
RUN = [
    user("Go."),
    calling("read", "c1"),
    result("c1"),
    calling("read", "c2"),
    result("c2"),
    calling("write", "c3"),
    result("c3"),
    Message("assistant", (TextPart("Done."),)),
]


def study(bundle: Bundle, provider: str = "openai-chat") -> DeferredTools:
    return deferred_tools(bundle, load_config({}), counter=COUNTER, provider=provider)


@pytest.mark.parametrize("provider", list(PROVIDERS))
def test_definitions_are_what_a_packing_sends_and_leaving_out_saves_what_a_packing_saves(provider: str) -> None:
    bundle = bundle_of(*RUN, tools=TOOLS)
    found = study(bundle, provider)
    whole = packed(bundle, provider=provider).ledger.total("tools").tokens
    assert found.definitions == whole
    assert found.unused == ("fetch", "draw")
    data = found.to_json()
    left = packed(bundle, {"tools": {"leaveOut": data["unused"]["set"]["tools.leaveOut"]}}, provider=provider)
    assert left.ledger.total("tools").tokens == whole - found.unused_tokens
    assert DeferredTools.from_json(json.loads(json.dumps(data))) == found


def test_a_tool_is_loaded_from_the_request_on_whose_reply_calls_it() -> None:
    found = study(bundle_of(*RUN, tools=TOOLS))
    assert [(one.name, one.calls, one.first_request) for one in found.tools] == [
        ("read", 2, 1),
        ("write", 1, 3),
        ("fetch", 0, 0),
        ("draw", 0, 0),
    ]
    assert found.requests == 4
    assert found.sent[0] == found.sent[1] < found.sent[2] == found.sent[3]
    assert found.search_tool < found.sent[0]
    # The last request holds what a packing of the search tool and both called tools takes, and two searches.
    both = packed(bundle_of(*RUN, tools=[SEARCH_TOOLS, *TOOLS[:2]])).ledger.total("tools").tokens
    assert found.sent[-1] == both + found.searches
    assert found.saved_tokens == 4 * found.definitions - sum(found.sent)
    searches = packed(
        bundle_of(
            user("Go."),
            Message("assistant", (ToolCallPart("search", "search_tools", '{"query":"read"}'),)),
            result("search", '{"loaded":["read"]}'),
            Message("assistant", (ToolCallPart("search", "search_tools", '{"query":"write"}'),)),
            result("search", '{"loaded":["write"]}'),
        )
    )
    alone = packed(bundle_of(user("Go.")))
    assert found.searches == searches.total.tokens - alone.total.tokens


def test_a_search_tool_may_cost_more_than_it_saves() -> None:
    found = study(bundle_of(*RUN, tools=TOOLS[:2]))
    assert found.saved_tokens < 0
    assert found.to_json()["unused"] == {"names": [], "tokens": 0, "set": {}}


def test_tools_without_a_conversation_are_one_request_that_calls_none() -> None:
    found = study(bundle_of(tools=TOOLS))
    assert found.requests == 1
    assert found.sent == (found.search_tool,)
    assert len(found.unused) == 4


def test_without_definitions_it_is_an_error() -> None:
    with pytest.raises(InputError, match="no tool definitions"):
        study(bundle_of(*RUN))
