"""Tool definitions as OpenAI's models read them: every published count, to the token, and sums that add up."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgeteer.engine.config.schema import load_config
from budgeteer.engine.content.conversation import Conversation, Message, Role, TextPart
from budgeteer.engine.content.library import ToolDefinition
from budgeteer.engine.counting.library_measures import measure_tools
from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.engine.inputs.bundle import Inputs, build_bundle
from budgeteer.engine.packing.allocation import tokenizer_of
from budgeteer.engine.packing.pack import pack
from budgeteer.engine.packing.result import Packing
from budgeteer.engine.providers.openai_chat.tool_text import CLOSING, MAX_DEPTH, OPENING, is_published, typescript_text

type Schema = dict[str, Any]
STRING: Schema = {"type": "string"}


def described(text: str, kind: str = "string", **more: Any) -> Schema:
    return {"type": kind, "description": text, **more}


def takes(required: Sequence[str] = (), **properties: Schema) -> Schema:
    return {"type": "object", "properties": properties, **({"required": list(required)} if required else {})}


def function(name: str, text: str = "", parameters: Schema | None = None) -> Schema:
    inner = {"name": name, "description": text, "parameters": parameters}
    return {"type": "function", "function": {key: value for key, value in inner.items() if value not in ("", None)}}


def packed(model: str, said: Sequence[tuple[Role, str]], tools: Sequence[Schema], **changes: Any) -> Packing:
    messages = tuple(Message(role, (TextPart(text),), id=f"m{at}") for at, (role, text) in enumerate(said))
    config = load_config({"model": model, **changes})
    counter = counter_for(tokenizer_of(config))
    inputs = Inputs(conversation=Conversation("c", "", messages, tools=tuple(tools)))
    return pack(build_bundle(inputs, counter=counter), config, counter=counter)


WEATHER = function(
    "get_current_weather",
    "Get the current weather in a given location",
    takes(
        ["location"],
        location=described("The city and state, e.g. San Francisco, CA"),
        unit=described("The unit of temperature to return", enum=["celsius", "fahrenheit"]),
    ),
)
ASKED: list[tuple[Role, str]] = [
    ("system", "You are a helpful assistant that can answer to questions about the weather."),
    ("user", "What's the weather like in San Francisco?"),
]
BOT: list[tuple[Role, str]] = [("system", "You are a bot.")]
HELLO: list[tuple[Role, str]] = [("user", "hello")]
SEARCH = ("search_sources", "Retrieve sources from the Azure AI Search index")
DATA = ("data_demonstration", "This is the main function description")
INNER_ENUM = {"type": "string", "enum": ["Happy", "Sad"]}
INNER_TEXT = described("Description in a second object is lost")


def holds(**properties: Schema) -> Schema:
    return described("The object data type as a property", "object", properties=properties)


#: Model, messages, definitions, and the tokens that the API reported. A `tool_choice` of "none", with which some were
#: made, adds one token that is taken off here. The sources are named in the module.
PUBLISHED: list[tuple[str, list[tuple[Role, str]], list[Schema], int]] = [
    ("gpt-4", ASKED, [WEATHER], 105),
    ("gpt-4o", ASKED, [WEATHER], 101),
    (
        "gpt-3.5-turbo",
        BOT,
        [
            function(
                *SEARCH,
                takes(
                    ["search_query"],
                    search_query=described(
                        "Query string to retrieve documents from azure search eg: 'Health care plan'"
                    ),
                ),
            )
        ],
        66,
    ),
    ("gpt-3.5-turbo", BOT, [function(*SEARCH)], 42),
    ("gpt-3.5-turbo", BOT, [function(*SEARCH, takes(search_query=STRING))], 49),
    ("gpt-3.5-turbo", BOT, [function(*SEARCH, takes(["search_query"], search_query=STRING))], 49),
    ("gpt-3.5-turbo", BOT, [function(*DATA, takes(integer_enum={"type": "integer", "enum": [-1, 1]}))], 53),
    (
        "gpt-3.5-turbo",
        BOT,
        [
            function(
                "summarize_order",
                "Summarize the customer order request",
                takes(
                    ["product_name", "quantity", "unit"],
                    product_name=described("Product name ordered by customer"),
                    quantity=described("Quantity ordered by customer", "integer"),
                    unit=described("unit of measurement of the customer order", enum=["meals", "days"]),
                ),
            )
        ],
        85,
    ),
    ("gpt-3.5-turbo", BOT, [function(*DATA, takes(["object_1"], object_1=holds(string1=STRING)))], 64),
    ("gpt-3.5-turbo", BOT, [function(*DATA, takes(["object_1"], object_1=holds(string_2a=INNER_ENUM)))], 72),
    (
        "gpt-3.5-turbo",
        BOT,
        [function(*DATA, takes(["object_1"], object_1=holds(string_2a=INNER_ENUM, string_2b=INNER_TEXT)))],
        88,
    ),
    (
        "gpt-3.5-turbo",
        BOT,
        [
            function(
                *DATA,
                takes(
                    ["object_1"],
                    object_1=holds(string_2a=INNER_ENUM, string_2b=INNER_TEXT),
                    string_1=described("Not required gets a question mark"),
                ),
            )
        ],
        102,
    ),
    (
        "gpt-3.5-turbo",
        BOT,
        [
            function(
                "get_coordinates",
                "Get the latitude and longitude of multiple mailing addresses",
                takes(["addresses"], addresses=described("The mailing addresses to be located", "array", items=STRING)),
            )
        ],
        58,
    ),
    (
        "gpt-3.5-turbo",
        BOT,
        [
            function(
                "get_null",
                "Get the null value",
                takes(["null_value"], null_value=described("The null value to be returned", "null")),
            )
        ],
        54,
    ),
    (
        "gpt-3.5-turbo",
        BOT,
        [
            function(
                "get_no_type",
                "Get the no type value",
                takes(["no_type_value"], no_type_value={"description": "The no type value to be returned"}),
            )
        ],
        58,
    ),
    (
        "gpt-3.5-turbo",
        HELLO,
        [
            function(
                WEATHER["function"]["name"],
                WEATHER["function"]["description"],
                takes(
                    ["location"],
                    location=described("The city and state, e.g. San Francisco, CA"),
                    unit={"type": "string", "enum": ["celsius", "fahrenheit"]},
                ),
            ),
            function("bing_bong", "Do a bing bong", takes(foo=STRING, bar=described("A number", "number"))),
        ],
        108,
    ),
    (
        "gpt-3.5-turbo",
        [
            ("system", "I want you to act as useful assistant."),
            (
                "user",
                "Tell me a joke about programmers and at the same time find out what is the weather in Prague",
            ),
        ],
        [
            function(
                "generate_theme_joke",
                "Generate a joke based on a given theme",
                takes(["theme"], theme=described("The theme for the joke, e.g. 'animals', 'space', 'sports', etc.")),
            ),
            function(
                "get_weather",
                "Get the current weather in a given location in Celsius degrees",
                takes(
                    ["location"],
                    unit={"enum": ["celsius", "fahrenheit"], "type": "string", "default": "celsius"},
                    location=described("The city and state, e.g. San Francisco, CA"),
                ),
            ),
        ],
        159,
    ),
    ("gpt-3.5-turbo", HELLO, [function("foo", "", takes())], 31),
    ("gpt-3.5-turbo", HELLO, [function("foo", "Do a foo", takes())], 36),
    (
        "gpt-3.5-turbo",
        [("system", "Hello"), ("user", "Hi there")],
        [function("do_stuff", "", takes())],
        35,
    ),
    (
        "gpt-3.5-turbo",
        [("system", "Hello:"), ("user", "Hi there")],
        [function("do_stuff", "", takes())],
        35,
    ),
    (
        "gpt-3.5-turbo",
        [("system", "Hello:"), ("system", "Hello"), ("user", "Hi there")],
        [function("do_stuff", "", takes()), function("do_other_stuff", "", takes())],
        49,
    ),
]


@pytest.mark.parametrize(("model", "said", "tools", "tokens"), PUBLISHED)
def test_every_published_count_is_exact_and_says_so(
    model: str, said: list[tuple[Role, str]], tools: list[Schema], tokens: int
) -> None:
    packing = packed(model, said, tools)
    assert packing.total.tokens == tokens
    assert packing.kind == "exact"
    assert {one.kind for one in packing.ledger if one.section == "tools"} == {"exact"}


@pytest.mark.parametrize(
    "schema",
    [
        takes(at={"type": "string", "format": "date"}),
        takes(at=STRING, to=STRING),
        takes(at={"anyOf": [STRING, {"type": "null"}]}),
        takes(at={"type": ["string", "null"]}),
        takes(at={"type": "object", "properties": {}}),
        {**takes(at=STRING), "additionalProperties": False},
        takes(at=described("How many", "integer", default=3)),
    ],
)
def test_a_definition_that_no_published_count_covers_makes_the_total_an_estimate(schema: Schema) -> None:
    packing = packed("gpt-4o", ASKED, [WEATHER, function("other", "Do it", schema)])
    assert packing.kind == "estimated"
    assert [one.kind for one in packing.ledger if one.section == "tools"] == ["exact", "estimated"]


@pytest.mark.parametrize(("model", "kind"), [("gpt-4.1", "estimated"), ("o3", "estimated"), ("gpt-4o-mini", "exact")])
def test_a_model_without_published_counts_is_read_the_same_and_estimated(model: str, kind: str) -> None:
    packing = packed(model, ASKED, [WEATHER])
    assert (packing.total.tokens, packing.kind) == (101, kind)
    assert packed(model, ASKED, []).kind == "exact"


def test_models_of_other_makers_keep_the_estimate_of_their_json() -> None:
    packing = packed("llama-3.3-70b", ASKED, [WEATHER])
    (decision,) = [one for one in packing.ledger if one.section == "tools"]
    sizes = measure_tools(packing.bundle.tools, counter=counter_for("llama3")).of("openai-chat")
    assert decision.after.tokens == sizes.tokens[0] != sizes.read_tokens[0]


def test_dropping_definitions_takes_exactly_what_they_cost() -> None:
    tools = [WEATHER, function("other", "Do it", takes(at=STRING)), function("last", "", takes())]
    for left in range(len(tools) + 1):
        whole = packed("gpt-4", ASKED, tools[:left])
        limits = {"maxToolDefinitionChars": max(whole.chosen.tools.asked.chars, 1)}
        kept = packed("gpt-4", ASKED, tools, skillsBudget={"enabled": True, "limits": limits})
        assert kept.total == whole.total


def tool(name: str, text: str, parameters: Mapping[str, Any]) -> ToolDefinition:
    return ToolDefinition(name, text, parameters, "openai", {})


AWKWARD = st.text("a '\"/\\\n\r\t.:;{}ſé1中🙂", max_size=12)
SCHEMAS = st.recursive(
    st.fixed_dictionaries(
        {"type": st.sampled_from(["string", "integer", "boolean", "null", "weird"])},
        optional={"description": AWKWARD, "enum": st.lists(AWKWARD, max_size=3), "default": AWKWARD},
    ),
    lambda inner: (
        st.fixed_dictionaries({"type": st.just("array"), "items": inner}, optional={"description": AWKWARD})
        | st.fixed_dictionaries({"type": st.just("object"), "properties": st.dictionaries(AWKWARD, inner, max_size=3)})
    ),
    max_leaves=5,
)
TOOLS = st.lists(
    st.builds(
        tool,
        st.from_regex(r"[a-zA-Z0-9_-]{1,12}", fullmatch=True),
        AWKWARD,
        st.fixed_dictionaries({"properties": st.dictionaries(AWKWARD, SCHEMAS, max_size=3)}),
    ),
    min_size=1,
    max_size=5,
)


@given(TOOLS, st.sampled_from(["o200k_base", "cl100k_base"]))
def test_what_definitions_add_sums_up_to_the_whole_text(tools: list[ToolDefinition], name: str) -> None:
    counter = counter_for(name)
    whole = counter.count(OPENING + "".join(typescript_text(one) or "" for one in tools) + CLOSING)
    alone = measure_tools(tools, counter=counter).of("openai-chat").read_tokens
    assert whole == counter.count(OPENING + CLOSING) + alone.sum()


def test_a_schema_of_any_depth_and_any_kind_is_read() -> None:
    deep: Any = STRING
    for _ in range(10 * MAX_DEPTH):
        deep = {"type": "object", "properties": {"in": deep}}
    for odd in (deep, {"properties": 3}, {"properties": {"a": True, "b": {"type": 3, "required": 1}}}, {}):
        text = typescript_text(tool("odd", "", odd))
        assert text is not None
        assert text.endswith(") => any;\n\n")
    assert not is_published(tool("odd", "", deep))
    assert typescript_text(ToolDefinition("web_search", "", None, "openai", {"type": "web_search"})) is None
