"""Provider profiles: what each can express, and what an image costs by the published formulas."""

import pytest

from budgeteer.engine.chat import (
    AudioPart,
    FilePart,
    ImagePart,
    OpaquePart,
    Part,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from budgeteer.engine.profiles import can_express, image_tokens

IMAGE = ImagePart({"type": "image"}, 1024, 1024)


@pytest.mark.parametrize(
    ("part", "openai", "anthropic"),
    [
        (TextPart("x"), True, True),
        (TextPart(" \n"), True, False),
        (IMAGE, True, True),
        (FilePart({"type": "file"}), True, False),
        (FilePart({"type": "document"}), False, True),
        (AudioPart({"type": "input_audio"}), True, False),
        (ReasoningPart("t"), False, False),
        (ReasoningPart("t", signature="s"), False, True),
        (ReasoningPart("", encrypted="e"), False, True),
        (OpaquePart("server_tool_use", {}, "anthropic"), False, True),
        (OpaquePart("refusal", {}, "openai"), True, False),
        (ToolCallPart("a", "b", "{}"), True, True),
        (ToolResultPart("a", ()), True, True),
    ],
)
def test_each_part_is_expressible_where_the_provider_takes_it(part: Part, openai: bool, anthropic: bool) -> None:
    assert can_express(part, "openai-chat") is openai
    assert can_express(part, "anthropic") is anthropic


def test_openai_takes_only_text_in_a_result() -> None:
    assert not can_express(IMAGE, "openai-chat", in_result=True)
    assert can_express(IMAGE, "anthropic", in_result=True)


@pytest.mark.parametrize(
    ("width", "height", "detail", "openai", "anthropic"),
    [
        # OpenAI's vision guide gives these two: 1024 x 1024 is 765 tokens, 2048 x 4096 is 1105.
        (1024, 1024, "high", 765, 1399),
        (2048, 4096, "high", 1105, 1640),
        (4096, 8192, "low", 85, 1640),
        # Anthropic's vision guide: 200 x 200 is about 54, 1000 x 1000 about 1334 tokens.
        (200, 200, "auto", 255, 54),
        (1000, 1000, "auto", 765, 1334),
        (None, None, "auto", None, None),
    ],
)
def test_image_tokens_follow_the_published_formulas(
    width: int | None, height: int | None, detail: str, openai: int | None, anthropic: int | None
) -> None:
    image = ImagePart({}, width, height, detail)
    assert image_tokens(image, "openai-chat") == openai
    assert image_tokens(image, "anthropic") == anthropic
