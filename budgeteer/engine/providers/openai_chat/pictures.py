"""What a picture costs at OpenAI."""

from __future__ import annotations

import math
from typing import Final

from budgeteer.engine.content.conversation import ImagePart

#: At low detail the same for every size; source as in openai_image_tokens.
_LOW_DETAIL: Final = 85


def openai_image_tokens(image: ImagePart) -> int | None:
    """Fit in 2048 x 2048, then the short side to 768; 85 and 170 per tile of 512 pixels.

    Source: https://developers.openai.com/api/docs/guides/images-vision, "Calculating costs", the row of GPT-4o and
    GPT-4.1; checked 2026-11-21. Small models have a rate of their own for each tile or patch.
    """
    if image.detail == "low":
        return _LOW_DETAIL
    if not image.width or not image.height:
        return None
    scale = min(1.0, 2048 / max(image.width, image.height))
    wide, high = image.width * scale, image.height * scale
    scale = min(1.0, 768 / min(wide, high))
    return 85 + 170 * math.ceil(wide * scale / 512) * math.ceil(high * scale / 512)
