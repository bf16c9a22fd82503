"""Items grouped by section, tool, file, turn or origin, with sums: what belongs together, the largest first."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from budgeteer.engine.analysis.cost_and_usage import money_of
from budgeteer.engine.packing.ledger import CATEGORIES
from budgeteer.engine.packing.result import Packing
from budgeteer.presentation.labels import count_of
from budgeteer.presentation.sent_words import SENT_WORDS
from budgeteer.workbench.item_content.whereabouts import (
    CATEGORY,
    FILE,
    KINDS,
    NEIGHBOURS,
    ORIGIN,
    REST,
    TOOL,
    TURN,
    Whereabouts,
    turn_name,
)
from budgeteer.workbench.panels.section_table import section_table
from budgeteer.workbench.state import ItemGroup, ViewState

MOST_GROUPS = 100

_KINDS = {ItemGroup.TOOL: TOOL, ItemGroup.FILE: FILE, ItemGroup.TURN: TURN, ItemGroup.ORIGIN: ORIGIN}
_NOUNS = {TOOL: "call", FILE: "file"}
_TITLES_OF_MESSAGES = {ItemGroup.TOOL: "By tool", ItemGroup.FILE: "By file", ItemGroup.TURN: "By turn"}


@dataclass(frozen=True, slots=True)
class GroupChoice:
    """One way to group, as a link."""

    key: str
    title: str
    url: str
    is_on: bool


@dataclass(frozen=True, slots=True)
class GroupRow:
    """One group: its name, what it holds, its sums, and where a click shows its items.

    `money` is what a request pays for what is sent of it, "" without a list price and where nothing is.
    """

    letter: str
    name: str
    note: str
    tokens: str
    sent: str
    money: str
    width: str
    url: str


@dataclass(frozen=True, slots=True)
class GroupTable:
    """The groups with their sums. `sentence` says how many there are, `sent_title` what their tokens that fit are."""

    rows: tuple[GroupRow, ...]
    total: str
    total_sent: str
    total_money: str
    sentence: str
    sent_title: str


def group_choices(where: Whereabouts, state: ViewState) -> tuple[GroupChoice, ...]:
    """The ways to group the items, the chosen one among them; () where nothing groups them."""
    chosen, noun = ItemGroup(state.group), where.origins.noun
    titles = {ItemGroup.NONE: "Items"}
    if chosen is ItemGroup.SECTION or sum(section.demand.items > 0 for section in where.packing.sections) > 1:
        titles[ItemGroup.SECTION] = "By section"
    if where.packing.ledger.has_messages or chosen in _TITLES_OF_MESSAGES:
        titles |= _TITLES_OF_MESSAGES
    if noun or chosen is ItemGroup.ORIGIN:
        titles[ItemGroup.ORIGIN] = f"By {noun or 'folder'}"
    return tuple(
        GroupChoice(key.value or "none", title, state.query(group=key.value, page=1), key is chosen)
        for key, title in titles.items()
        if len(titles) > 1
    )


def _sections(packing: Packing, state: ViewState) -> GroupTable:
    """The sections as groups, with the figures that they have beside the list on a wide screen."""
    table = section_table(packing)
    most = max((line.requested_tokens for line in table.lines), default=0) or 1
    return GroupTable(
        rows=tuple(
            GroupRow(
                letter=line.letter,
                name=line.title,
                note=f"{line.items}, limit {line.limit}" if line.limit else line.items,
                tokens=line.requested,
                sent=line.sent,
                money=line.money,
                width=_width(line.requested_tokens / most),
                url=state.query(group="", filter=line.name, page=1),
            )
            for line in table.lines
        ),
        total=table.total.requested,
        total_sent=table.total.sent,
        total_money=table.total.money,
        sentence=count_of(len(table.lines), "section"),
        sent_title=table.sent_title,
    )


def _width(share: float) -> str:
    """The width of a bar, which is seen however small its share is."""
    return f"{max(0.8, share * 100):.2f}%"


def group_table(where: Whereabouts, state: ViewState) -> GroupTable | None:
    """The groups that the state asks for, None where it asks for the items themselves."""
    group = ItemGroup(state.group)
    if group is ItemGroup.SECTION:
        return _sections(where.packing, state)
    kind = _KINDS.get(group)
    if kind is None:
        return None
    ledger = where.packing.ledger
    keys = where.keys(kind)
    members: dict[str, list[int]] = {}
    for at, key in enumerate(keys):
        members.setdefault(key, []).append(at)
    sizes = np.maximum(ledger.before_tokens, ledger.after_tokens)
    sums = {key: int(sizes[mine].sum()) for key, mine in members.items()}
    sent = {key: int(ledger.after_tokens[mine].sum()) for key, mine in members.items()}
    ordered = sorted(members, key=lambda key: -sums[key]) if kind != TURN else list(members)
    most = max(sums.values(), default=0) or 1
    return GroupTable(
        rows=tuple(
            GroupRow(
                letter=_letter_of(key, kind),
                name=_name(key, kind),
                note=_note(where, members[key], key),
                tokens=f"{sums[key]:,}",
                sent=f"{sent[key]:,}",
                money=money_of(where.packing, sent[key]),
                width=_width(sums[key] / most),
                url=state.query(group="", filter=key, page=1),
            )
            for key in ordered[:MOST_GROUPS]
        ),
        total=f"{int(sizes.sum()):,}",
        total_sent=f"{int(ledger.after_tokens.sum()):,}",
        total_money=money_of(where.packing, int(ledger.after_tokens.sum())),
        sent_title=SENT_WORDS[where.packing.verdict.level].title,
        sentence=count_of(len(members), "group")
        + (f", the largest {MOST_GROUPS} shown" if len(members) > MOST_GROUPS else ""),
    )


def filter_title(key: str) -> str:
    """How a filter by a group is named, "" where it is none."""
    return next((_name(key, kind) for kind in KINDS if key.startswith(kind)), "")


def _name(key: str, kind: str) -> str:
    if kind == NEIGHBOURS:
        return "Part of the map"
    if key.startswith(CATEGORY):
        return CATEGORIES.get(key.removeprefix(CATEGORY), key)
    if letter := _letter_of_rest(key):
        return (
            CATEGORIES[letter]
            if kind not in _NOUNS or letter != "X"
            else f"{CATEGORIES[letter]} without a {_NOUNS[kind]}"
        )
    value = key.removeprefix(kind)
    if kind == ORIGIN:
        return value.partition(":")[2]
    return turn_name(int(value)).capitalize() if kind == TURN and value.isdecimal() else value


def _letter_of(key: str, kind: str) -> str:
    """The category of a group's items."""
    if kind == ORIGIN and not _letter_of_rest(key):
        return key.removeprefix(ORIGIN)[:1]
    return _letter_of_rest(key) or ("H" if kind == TURN else "X")


def _letter_of_rest(key: str) -> str:
    """The category of what has no group of its kind, "" for a group."""
    letter = key.partition(":")[2].removeprefix(REST)
    return letter if letter in CATEGORIES and f":{REST}" in key else ""


def _note(where: Whereabouts, mine: list[int], key: str) -> str:
    """How many items, and how often one file among them: "74 calls; the same file 4 times"."""
    if _letter_of_rest(key) or key.startswith((TURN, ORIGIN)):
        return count_of(len(mine), "item")
    calls = count_of(len(mine), "call")
    often = Counter(file for file in map(where.file_of, mine) if file).most_common(1)
    if key.startswith(FILE) or not often or often[0][1] < 2:
        return calls
    file, times = often[0]
    return f"{calls}; {file.replace('\\', '/').rsplit('/', 1)[-1]} {times:,} times"
