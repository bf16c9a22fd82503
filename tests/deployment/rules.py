"""The list of what deployment files have to agree on; each rule is a function that yields a sentence a disagreement."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tests.deployment.reading import Deployment

type Rule = Callable[[Deployment], Iterator[str]]

RULES: dict[str, Rule] = {}


def rule(check: Rule) -> Rule:
    """Put the function among the rules, under its name."""
    RULES[check.__name__] = check
    return check
