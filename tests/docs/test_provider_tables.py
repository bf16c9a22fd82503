"""The tables of docs/engine.md say of every provider what its row says: a number nobody chose has no place in them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from budgeteer.engine.content.conversation import ROLES, ImagePart
from budgeteer.engine.providers.base import Charge, Provider
from budgeteer.engine.providers.registry import PROVIDERS

ENGINE = (Path(__file__).parents[2] / "docs" / "engine.md").read_text(encoding="utf-8")
SQUARE = ImagePart({}, width=1_000, height=1_000)


def tables() -> dict[str, dict[str, str]]:
    """Of each row of the tables whose columns are the providers: title of a provider -> its cell."""
    titles = [provider.title for provider in PROVIDERS.values()]
    found: dict[str, dict[str, str]] = {}
    for table in re.findall(r"^\|.*?(?=\n\n)", ENGINE, re.DOTALL | re.MULTILINE):
        head, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
        if head[1:] == titles:
            found |= {row[0]: dict(zip(titles, row[1:], strict=True)) for row in rows}
    return found


def said(charge: Charge | None) -> str:
    return "–" if charge is None else f"{charge.tokens}, published" if charge.published else f"{charge.tokens}"


def by_model(charges: list[Charge], other: Charge) -> str:
    """The least and the most of a charge that is published by model, and what other models are charged."""
    if not charges:
        return said(other)
    sizes = [charge.tokens for charge in charges]
    return f"{min(sizes)} to {max(sizes)} by model, else {said(other)}"


def expected(provider: Provider) -> dict[str, str]:
    overhead, capabilities = provider.overhead, provider.capabilities
    pixels = provider.image_tokens(SQUARE)
    return {
        "tokens a message": said(overhead.message),
        "the system text": "that of a message" if overhead.system is None else said(overhead.system),
        "a speaker's name": said(overhead.speaker),
        "the reply": said(overhead.reply),
        "a call and its result": said(overhead.call),
        "the calls of a message": said(overhead.calling),
        "several calls at once": said(overhead.parallel),
        "a parameter of a call": said(overhead.parameter),
        "a call that failed": said(overhead.failed),
        "reasoning that goes back": said(overhead.reasoning),
        "tools": by_model([one for one, _ in overhead.tools_of.values()], overhead.tools),
        "tools where a call is asked for": by_model([one for _, one in overhead.tools_of.values()], overhead.forced),
        "a picture of 1,000 × 1,000 pixels": "unknown" if pixels is None else f"{pixels:,}",
        "roles of messages": ", ".join(f"`{role}`" for role in ROLES if role in capabilities.roles),
        "parts of its own": f"`{provider.family}`",
        "plain texts look like": "no other's" if provider.plain_as is None else PROVIDERS[provider.plain_as].title,
        "texts between messages of role `system`": "yes" if capabilities.system_messages else "no",
        "mark for a call that failed": "yes" if capabilities.marks_errors else "no",
        "names of speakers": "no" if overhead.speaker is None else "yes",
        "messages of one role in a row": "one" if capabilities.joins_neighbours else "apart",
        "first message must be the user's": "yes" if capabilities.first_is_user else "no",
    }


@pytest.mark.parametrize("provider", PROVIDERS.values(), ids=list(PROVIDERS))
def test_the_tables_say_what_the_row_says(provider: Provider) -> None:
    written = tables()
    for row, cell in expected(provider).items():
        assert written[row][provider.title] == cell, row
