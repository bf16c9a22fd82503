"""What a single fix would come to, said before it is applied: the workspace packed once more with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from budgeteer.engine.config import load_config
from budgeteer.engine.errors import BudgeteerError
from budgeteer.engine.ledger import FATES, KEPT, TRUNCATED
from budgeteer.engine.overlay import merge
from budgeteer.engine.packing import pack
from budgeteer.engine.result import Packing
from budgeteer.engine.tokens import counter_for
from budgeteer.workbench.configuring import Effective, apply_posted
from budgeteer.workbench.models import Workspace
from budgeteer.workbench.notes import Note, split_apply
from budgeteer.workbench.preview import Packed
from budgeteer.workbench.words import count_of
from budgeteer.workbench.written import stored_summaries

type TryOut = Callable[[str], str]


def trying_out(workspace: Workspace, current: Effective, packed: Packed) -> TryOut:
    """A function from "path=value" to what that change would come to, "" where it cannot be told without a job.

    Each is worked out once and kept with the packing.
    """
    packing = packed.packing
    counter = counter_for(packing.bundle.tokenizer)

    def try_out(apply: str) -> str:
        if apply not in packed.effects:
            packed.effects[apply] = effect(apply)
        return packed.effects[apply]

    def effect(apply: str) -> str:
        change = apply_posted(current, dict([split_apply(apply)]))
        if change.errors:
            return ""
        config = load_config(merge(current.base, change.delta))
        summarise = stored_summaries(workspace.owner_id)
        try:
            changed = pack(packing.bundle, config, counter=counter, summarise=summarise, profile=packing.profile)
        except BudgeteerError:
            return ""
        return effect_of(packing, changed)

    return try_out


def with_effects(notes: tuple[Note, ...], try_out: TryOut, *, most: int | None = None) -> tuple[Note, ...]:
    """The notes, each that has a button with what the button would come to; with `most` only the first ones."""
    tried = (replace(note, effect=try_out(note.apply)) if note.apply else note for note in notes[:most])
    return (*tried, *notes[len(notes[:most]) :])


def effect_of(now: Packing, then: Packing) -> str:
    """The difference that matters, as a clause: tokens saved or spent, items that come back or go, whether it fits."""
    parts = []
    tokens = then.total.tokens - now.total.tokens
    if tokens < 0:
        parts.append(f"saves {count_of(-tokens, 'token')}")
    elif tokens:
        parts.append(f"sends {count_of(tokens, 'more token')}")
    stay = _staying(then) - _staying(now)
    if stay > 0:
        parts.append(f"{count_of(stay, 'item')} come{'s' if stay == 1 else ''} back")
    elif stay:
        parts.append(f"{count_of(-stay, 'more item')} go{'es' if stay == -1 else ''}")
    if then.error is not None and now.error is None:
        parts.append("it would not fit any more")
    elif now.error is not None and then.error is None:
        parts.append("it fits then")
    return ", ".join(parts) if parts else "changes no item and no token"


def _staying(packing: Packing) -> int:
    counts = packing.verdict.counts
    return counts[FATES[KEPT]] + counts[FATES[TRUNCATED]]
