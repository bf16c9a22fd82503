"""The options of a simulated prompt cache, shared by the commands that replay."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from budgeteer.engine.analysis.cache.session_cache import CachePlan

_CACHE = click.option(
    "--cache",
    metavar="RULES",
    default="",
    help="The rules of the provider's prompt cache, by default the model's own; off simulates none.",
)
_PAUSE = click.option(
    "--pause",
    type=click.FloatRange(min=0),
    default=30.0,
    show_default=True,
    metavar="SECONDS",
    help="The time between two requests where the conversation has no times.",
)


def cache_options(command: Any) -> Any:
    """Give a command `--cache` and `--pause`."""
    return _CACHE(_PAUSE(command))


def cache_plan(model_name: str, cache: str, pause: float) -> CachePlan | None:
    """The plan that the options ask for; None where none is simulated.

    Raises:
        ConfigError: the model is not used with rules of this name.
    """
    from budgeteer.engine.analysis.cache.session_cache import CachePlan
    from budgeteer.engine.models.registry import model

    return None if cache == "off" else CachePlan.of(model(model_name), cache, pause_seconds=pause)
