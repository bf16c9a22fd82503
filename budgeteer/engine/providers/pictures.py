"""What a picture costs, from its size in pixels, by each provider's published formula. Never from its base64.

All of them are estimates: providers scale pictures before they count them, and newer models count in their own way.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Final

from budgeteer.engine.content.conversation import ImagePart


def image_tokens(image: ImagePart, profile: str) -> int | None:
    """The provider's published estimate in tokens; None where it needs a size that is not known."""
    if profile in _LOW_DETAIL and image.detail == "low":
        return _LOW_DETAIL[profile]
    if not image.width or not image.height:
        return None
    return _FORMULAS[profile](image.width, image.height)


def _openai(width: int, height: int) -> int:
    """Fit in 2048 x 2048, then the short side to 768; 85 and 170 per tile of 512 pixels.

    Source: https://developers.openai.com/api/docs/guides/images-vision, "Calculating costs", the row of GPT-4o and
    GPT-4.1; checked 2026-11-21. Small models have a rate of their own for each tile or patch.
    """
    scale = min(1.0, 2048 / max(width, height))
    wide, high = width * scale, height * scale
    scale = min(1.0, 768 / min(wide, high))
    return 85 + 170 * math.ceil(wide * scale / 512) * math.ceil(high * scale / 512)


def _anthropic(width: int, height: int) -> int:
    """Fit in 1568 pixels on the long side, then width x height / 750.

    Source: https://platform.claude.com/docs/en/build-with-claude/vision, "Calculate image costs"; checked 2026-11-21.
    """
    scale = min(1.0, 1568 / max(width, height))
    return math.ceil(width * scale * height * scale / 750)


def _gemini(width: int, height: int) -> int:
    """258 when both sides are at most 384; else 258 a tile, a tile being floor(short side / 1.5) wide and high.

    Source: https://ai.google.dev/gemini-api/docs/image-understanding, "Token calculation"; checked 2026-11-22. Its
    example: 960 x 540 has a crop unit of 360 and 3 x 2 = 6 tiles.
    """
    if max(width, height) <= 384:
        return 258
    unit = max(int(min(width, height) / 1.5), 1)
    return 258 * math.ceil(width / unit) * math.ceil(height / unit)


_FORMULAS: Final[Mapping[str, Callable[[int, int], int]]] = {
    "openai-chat": _openai,
    "openai-responses": _openai,
    "anthropic": _anthropic,
    "gemini": _gemini,
}

#: At low detail OpenAI charges the same for every size; source as in _openai.
_LOW_DETAIL: Final = {"openai-chat": 85, "openai-responses": 85}
