"""What a picture costs at Anthropic."""

from __future__ import annotations

import math

from budgeteer.engine.content.conversation import ImagePart


def anthropic_image_tokens(image: ImagePart) -> int | None:
    """Fit in 1568 pixels on the long side, then width x height / 750.

    Source: https://platform.claude.com/docs/en/build-with-claude/vision, "Calculate image costs"; checked 2026-11-21.
    """
    if not image.width or not image.height:
        return None
    scale = min(1.0, 1568 / max(image.width, image.height))
    return math.ceil(image.width * scale * image.height * scale / 750)
