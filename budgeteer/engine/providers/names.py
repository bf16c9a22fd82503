"""The names of the providers: light to import, for menus and help texts."""

from __future__ import annotations

from typing import Final, Literal, get_args

type ProviderName = Literal["openai-chat", "openai-responses", "anthropic", "gemini"]
"""As in `--request`, in the API's `provider=` and in `validity:<name>`. Each has a row in `registry.PROVIDERS`."""

PROVIDER_NAMES: Final[tuple[ProviderName, ...]] = get_args(ProviderName.__value__)
