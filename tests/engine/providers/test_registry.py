"""The registry of providers: what each can express, where its numbers come from, what an image costs by its formula."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from budgeteer.engine.config.schema import load_config
from budgeteer.engine.content.conversation import (
    AudioPart,
    FilePart,
    ImagePart,
    OpaquePart,
    Part,
    ReasoningPart,
    Role,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from budgeteer.engine.content.library import TOOL_FORMS
from budgeteer.engine.models.registry import MODELS
from budgeteer.engine.packing.allocation import provider_of
from budgeteer.engine.providers.base import (
    FORCED,
    NO_PREAMBLE,
    NOT_CHARGED,
    STAND_IN,
    Charge,
    Provider,
    ProviderOverhead,
)
from budgeteer.engine.providers.capabilities import can_express
from budgeteer.engine.providers.names import PROVIDER_NAMES
from budgeteer.engine.providers.openai_chat.provider import OPENAI_CHAT
from budgeteer.engine.providers.pictures import image_tokens
from budgeteer.engine.providers.registry import PROVIDERS
from budgeteer.engine.providers.tool_forms import TOOL_RENDERINGS

PNG = {"type": "base64", "media_type": "image/png", "data": "AAAA"}
IMAGE = ImagePart({"type": "image", "source": PNG}, 1024, 1024)
BMP = ImagePart({"type": "image_url", "image_url": {"url": "data:image/bmp;base64,AAAA"}})
ADDRESS = ImagePart({"type": "image_url", "image_url": {"url": "https://example.org/a.png"}})
UPLOAD = ImagePart({"type": "input_image", "file_id": "file-1"})
SOUND = AudioPart({"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}})
PDF = FilePart({"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "AAAA"}})
CHAT_FILE = FilePart({"type": "file", "file": {"file_id": "f"}})

ALL = set(PROVIDERS)
OPENAI = {"openai-chat", "openai-responses"}


@pytest.mark.parametrize(
    ("part", "role", "takers"),
    [
        (TextPart("x"), "user", ALL),
        (TextPart(" \n"), "user", ALL - {"anthropic"}),
        (TextPart(""), "user", {"openai-chat"}),
        (IMAGE, "user", ALL),
        (IMAGE, "assistant", {"gemini"}),
        (IMAGE, "tool", ALL - {"openai-chat"}),
        (IMAGE, "system", {"gemini"}),
        (BMP, "user", ALL - {"anthropic"}),
        (ADDRESS, "user", ALL),
        (ADDRESS, "tool", {"openai-responses", "anthropic"}),
        (UPLOAD, "user", {"openai-responses"}),
        (CHAT_FILE, "user", OPENAI),
        (CHAT_FILE, "tool", {"openai-responses"}),
        (PDF, "user", ALL - {"openai-chat"}),
        (FilePart({"type": "document"}), "user", {"anthropic"}),
        (SOUND, "user", {"openai-chat", "gemini"}),
        (SOUND, "tool", {"gemini"}),
        (ReasoningPart("t"), "assistant", set()),
        (ReasoningPart("t", signature="s"), "assistant", {"anthropic"}),
        (ReasoningPart("", encrypted="e"), "assistant", {"anthropic"}),
        (ReasoningPart("", encrypted="e", provider="openai-responses"), "assistant", {"openai-responses"}),
        (ReasoningPart("t", provider="openai-responses", id="rs"), "assistant", set()),
        (ReasoningPart("t", signature="s", provider="gemini"), "assistant", {"gemini"}),
        (ReasoningPart("t", signature="s"), "user", set()),
        (OpaquePart("server_tool_use", {}, "anthropic"), "assistant", {"anthropic"}),
        (OpaquePart("refusal", {}, "openai"), "assistant", {"openai-chat"}),
        (OpaquePart("refusal", {}, "openai"), "user", set()),
        (OpaquePart("tool_call", {}, "openai"), "assistant", set()),
        (OpaquePart("web_search_call", {}, "openai-responses"), "assistant", {"openai-responses"}),
        (OpaquePart("web_search_call", {}, "openai-responses"), "tool", set()),
        (OpaquePart("executableCode", {}, "gemini"), "assistant", {"gemini"}),
        (ToolCallPart("a", "b", "{}"), "assistant", ALL),
        (ToolCallPart("a", "b", "{}"), "user", set()),
        (ToolResultPart("a", ()), "tool", ALL),
        (ToolResultPart("a", ()), "user", set()),
    ],
)
def test_each_part_is_expressible_where_the_provider_takes_it(part: Part, role: Role, takers: set[str]) -> None:
    assert {provider for provider in PROVIDERS if can_express(part, provider, role)} == takers


def charges(overhead: ProviderOverhead) -> list[Charge]:
    """Every charge of a provider, those of single models among them."""
    single = [getattr(overhead, field.name) for field in fields(overhead) if field.name != "tools_of"]
    return [one for one in single if one is not None] + [one for pair in overhead.tools_of.values() for one in pair]


def test_every_number_has_its_source_and_what_is_not_published_says_so() -> None:
    for provider in PROVIDERS.values():
        for charge in charges(provider.overhead):
            if charge.published:
                assert re.search(r"https://\S+.*checked 20\d\d-\d\d-\d\d", charge.source)
            else:
                assert charge.source.startswith("not published")


def test_every_name_has_its_row_and_every_form_of_definitions_is_some_providers() -> None:
    assert tuple(PROVIDERS) == PROVIDER_NAMES
    assert [provider.name for provider in PROVIDERS.values()] == list(PROVIDERS)
    assert {*TOOL_RENDERINGS, "mcp"} == set(TOOL_FORMS)


#: The texts that say whose number a charge is, where the provider publishes none.
SOURCES_OF_NOTHING = {NOT_CHARGED, NO_PREAMBLE, FORCED.source}


@pytest.mark.parametrize("provider", PROVIDERS.values(), ids=list(PROVIDERS))
def test_a_number_is_the_one_that_its_source_names(provider: Provider) -> None:
    message = provider.overhead.message
    assert message.tokens > 0 or message.source.startswith("not published; measured")
    for field in fields(provider.overhead):
        if field.name == "tools_of":
            continue
        charge, model = getattr(provider.overhead, field.name), getattr(OPENAI_CHAT.overhead, field.name)
        if charge is not None and charge.source == STAND_IN:
            assert charge.tokens == model.tokens
        if charge is not None and charge.source in SOURCES_OF_NOTHING:
            assert charge.tokens == 0


def test_every_provider_has_examples_of_its_own() -> None:
    elsewhere = {"anthropic"}  # tests/engine/rendering/test_every_form.py
    folders = {path.parent.name for path in Path(__file__).parent.glob("*/test_*.py")}
    assert {name.replace("-", "_") for name in PROVIDERS} == folders | elsewhere


def test_every_form_is_offered_for_some_model_or_only_by_name() -> None:
    by_name_only = {"openai-responses"}  # a second form of the models whose own is chat
    assert {row.provider for row in MODELS.values()} == set(PROVIDERS) - by_name_only


def test_no_two_providers_share_a_family_or_a_prefix_of_stored_columns() -> None:
    for name in ("family", "column_prefix", "title"):
        assert len({getattr(provider, name) for provider in PROVIDERS.values()}) == len(PROVIDERS)


#: The columns of the table of pictures, and whose formula each is.
FORMULAS = {"openai-chat": 0, "openai-responses": 0, "anthropic": 1, "gemini": 2}


@pytest.mark.parametrize(
    ("image", "tokens"),
    [
        # OpenAI's vision guide gives these two: 1024 x 1024 is 765 tokens, 2048 x 4096 is 1105.
        (ImagePart({}, 1024, 1024, "high"), (765, 1399, 4 * 258)),
        (ImagePart({}, 2048, 4096, "high"), (1105, 1640, 2 * 4 * 258)),
        (ImagePart({}, 4096, 8192, "low"), (85, 1640, 2 * 4 * 258)),
        # Anthropic's vision guide: 200 x 200 is about 54, 1000 x 1000 about 1334 tokens.
        (ImagePart({}, 200, 200, "auto"), (255, 54, 258)),
        (ImagePart({}, 1000, 1000, "auto"), (765, 1334, 4 * 258)),
        # Google's guide: 960 x 540 has six tiles; up to 384 pixels there is one.
        (ImagePart({}, 960, 540, "auto"), (85 + 170 * 4, 692, 6 * 258)),
        (ImagePart({}, 384, 384, "auto"), (255, 197, 258)),
        (ImagePart({}, 385, 384, "auto"), (255, 198, 4 * 258)),
        (ImagePart({}, 2000, 1, "auto"), (85 + 170 * 4, 2, 2000 * 258)),
        (ImagePart({}, None, None, "auto"), (None, None, None)),
        (ImagePart({}, None, None, "low"), (85, None, None)),
    ],
)
def test_image_tokens_follow_the_published_formulas(image: ImagePart, tokens: tuple[int | None, ...]) -> None:
    assert set(FORMULAS) == set(PROVIDERS)
    for provider, column in FORMULAS.items():
        assert image_tokens(image, provider) == tokens[column]


def test_every_model_is_packed_in_a_form_that_is_rendered_and_geminis_in_their_own() -> None:
    for row in MODELS.values():
        assert row.provider in PROVIDERS
        assert provider_of(load_config({"model": row.name})) == row.provider
        if row.maker == "Google":
            # Gemma's weights are open: whoever hosts them takes OpenAI's chat.
            assert row.provider == ("openai-chat" if row.name.startswith("gemma") else "gemini")
