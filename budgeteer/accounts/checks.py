"""System check: every view declares an access rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from django.apps import AppConfig
from django.core.checks import CheckMessage, Error
from django.urls import URLPattern, URLResolver, get_resolver

from budgeteer.access.rules import AccessRule, rule_of

NO_RULE = "accounts.E001"


@dataclass(frozen=True, slots=True)
class Route:
    """One view of the URL conf.

    Attributes:
        name: with its namespaces, as `reverse` takes it; "" for a pattern without a name.
        path: the pattern, from the root.
    """

    name: str
    path: str
    view: Callable[..., Any]
    rule: AccessRule | None


def every_route() -> Iterator[Route]:
    """Every view of the URL conf, in its order."""
    return _below(get_resolver(), "", ())


def check_every_view_has_a_rule(
    app_configs: Iterable[AppConfig] | None = None,  # noqa: ARG001 - how Django calls a check
    **_: Any,
) -> list[CheckMessage]:
    """One error for each view that would be refused to everybody."""
    return [
        Error(
            f"The view {_name_of(route.view)} at /{route.path} has no access rule and is refused to everybody",
            hint="Decorate it with @access(…) or @public of budgeteer.access.rules.",
            id=NO_RULE,
        )
        for route in every_route()
        if route.rule is None
    ]


def _below(resolver: URLResolver, path: str, namespaces: tuple[str, ...]) -> Iterator[Route]:
    for entry in resolver.url_patterns:
        here = path + str(entry.pattern)
        if isinstance(entry, URLResolver):
            inner = (*namespaces, entry.namespace) if entry.namespace else namespaces
            yield from _below(entry, here, inner)
        elif isinstance(entry, URLPattern):
            name = ":".join([*namespaces, entry.name]) if entry.name else ""
            yield Route(name, here, entry.callback, rule_of(entry.callback, namespaces))


def _name_of(view: Callable[..., Any]) -> str:
    return f"{view.__module__}.{getattr(view, '__qualname__', type(view).__name__)}"
