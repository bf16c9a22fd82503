"""What a picture costs at Google."""

from __future__ import annotations

import math

from budgeteer.engine.content.conversation import ImagePart


def gemini_image_tokens(image: ImagePart) -> int | None:
    """258 when both sides are at most 384; else 258 a tile, a tile being floor(short side / 1.5) wide and high.

    Source: https://ai.google.dev/gemini-api/docs/image-understanding, "Token calculation"; checked 2026-11-22. Its
    example: 960 x 540 has a crop unit of 360 and 3 x 2 = 6 tiles.
    """
    if not image.width or not image.height:
        return None
    if max(image.width, image.height) <= 384:
        return 258
    unit = max(int(min(image.width, image.height) / 1.5), 1)
    return 258 * math.ceil(image.width / unit) * math.ceil(image.height / unit)
