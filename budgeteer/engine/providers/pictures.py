"""What a picture costs, from its size in pixels, by each provider's published formula. Never from its base64.

All of them are estimates: providers scale pictures before they count them, and newer models count in their own way.
"""

from __future__ import annotations

from budgeteer.engine.content.conversation import ImagePart
from budgeteer.engine.providers.registry import PROVIDERS


def image_tokens(image: ImagePart, provider: str) -> int | None:
    """The provider's published estimate in tokens; None where it needs a size that is not known."""
    return PROVIDERS[provider].image_tokens(image)
