"""Output of `budgeteer replay` for a terminal."""

from __future__ import annotations

from budgeteer.cli.output.tables import shortened, table
from budgeteer.engine.analysis.replay.replay import Replay, Turn

NAME_WIDTH = 60
_LEVELS = {"fits": "", "approaching": "close", "exceeded": "above limit", "cannotFit": "cannot fit"}


def replay_table(found: Replay, *, every: bool) -> str:
    """The requests at which something happens (or all), and the largest items of the first above the limit."""
    turns = found.turns
    shown = [turn for turn in turns if every or turn.events or turn is turns[-1]]
    lines = [_head(found), ""]
    if shown:
        reported = any(turn.reported_tokens is not None for turn in shown)
        header = ("request", "messages", "asked for", "sent", *(["reported"] if reported else []), "", "what happens")
        lines.append(table(header, [_row(turn, reported=reported) for turn in shown]))
    if len(shown) < len(turns):
        lines.append(f"{len(shown):,} of {len(turns):,} requests are shown; --all shows every one.")
    if found.first_over is not None:
        lines += ["", *_causes(turns[found.first_over])]
    return "\n".join(lines)


def _head(found: Replay) -> str:
    above = sum(turn.is_above_limit for turn in found.turns)
    count = len(found.turns)
    went = "no demand is above that"
    if above:
        went = f"the demand of {above:,} is above that, first of request {_first(found)}"
    head = f"{count:,} requests; {found.limit_tokens:,} tokens may be sent: {went}."
    if found.not_in_file_tokens:
        more = f"{found.not_in_file_tokens:,} tokens that are not in this file"
        head += f"\nThe requests that the source reported also held {more}: see reported."
    return head


def _first(found: Replay) -> int:
    return found.turns[found.first_over or 0].number


def _row(turn: Turn, *, reported: bool) -> tuple[object, ...]:
    sizes = (turn.number, turn.messages, turn.before_tokens, turn.after_tokens)
    said = (turn.reported_tokens,) if reported else ()
    return (*sizes, *said, _LEVELS[turn.level], " ".join(event.sentence for event in turn.events))


def _causes(turn: Turn) -> list[str]:
    rows = [
        (cause.tokens, f"{cause.percent:.1f} %", cause.section, shortened(cause.name, NAME_WIDTH), cause.id)
        for cause in turn.causes
    ]
    return [f"Largest items of request {turn.number}:", table(("tokens", "share", "section", "name", "item"), rows)]
