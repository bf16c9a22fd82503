"""How messages and parts stood in the request they were read from, for the readers of providers' requests."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import Any, Final

from budgeteer.engine.content.origin import Origin
from budgeteer.engine.content.request_settings import RequestSettings
from budgeteer.engine.providers.registry import PROVIDERS

#: Keys of a response, or of a log of one: what stands beside them are no settings of a request.
_ANSWERED: Final = frozenset({"choices", "output", "candidates", "stop_reason", "usage", "usageMetadata"})


def origin_of(
    provider: str, raw: Mapping[str, Any], known: Collection[str], *, said: Collection[str] = (), wanted: str = ""
) -> Origin:
    """The origin of an object: the fields a request may have (`known`) but for those that were read (`said`).

    `wanted` are the keys, with blanks between them, that a writer adds by itself: those that are missing are noted.
    """
    fields = {key: raw[key] for key in raw if key in known and key not in said}
    if not fields:
        return _shared(provider, (), tuple([key for key in wanted.split() if key not in raw]))
    absent = tuple([key for key in wanted.split() if key not in raw]) if wanted else ()
    try:
        return _shared(provider, tuple(fields.items()), absent)
    except TypeError:
        return Origin(provider, fields, absent)


def settings_of(raw: Mapping[str, Any] | None, provider: str) -> dict[str, Any]:
    """The settings of a request body as metadata of its conversation; nothing where it is no request."""
    row = PROVIDERS[provider]
    if raw is None or not _ANSWERED.isdisjoint(raw) or ("model" not in raw and provider != "gemini"):
        return {}
    return RequestSettings(provider, {key: raw[key] for key in raw if key in row.settings}).to_metadata()


@lru_cache(maxsize=256)
def _shared(provider: str, fields: tuple[tuple[str, Any], ...], absent: tuple[str, ...]) -> Origin:
    """One origin for all objects that stood alike, as most do: a type and nothing else."""
    return Origin(provider, dict(fields), absent)
