"""Warnings as notes: the figure, the cheapest fix, and one button that applies it."""

from __future__ import annotations

from dataclasses import dataclass

from budgeteer.engine.packing.result import LimitWarning, Packing
from budgeteer.workbench.fix_buttons import button_of

TITLES = {
    "maxSkillsInPrompt": "Number of skills",
    "maxSkillsPromptChars": "Skill characters",
    "maxSkillsPromptTokens": "Skill tokens",
    "maxSkillFileBytes": "Skill file size",
    "maxToolDefinitionChars": "Tool characters",
    "history.maxTokens": "History tokens",
    "history.maxChars": "History characters",
    "history.maxHistoryMessages": "Older messages",
    "inputBudget": "Input budget",
    "shares.system": "Share of system texts and libraries",
    "shares.context": "Share of retrieved chunks",
    "shares.history": "Share of history",
}
LEVEL_WORDS = {"approaching": "close to the limit", "reached": "limit reached", "exceeded": "limit exceeded"}


@dataclass(frozen=True, slots=True)
class Note:
    """One note; `tone` is "e" only for what does not fit.

    `apply` is the value of the button that applies its fix (fix_buttons.py), "" where there is none; `effect` is what
    that would come to, where somebody tried it out.
    """

    tone: str
    title: str
    sentence: str
    fix: str
    apply: str
    apply_label: str
    effect: str = ""


def notes_of(packing: Packing) -> tuple[Note, ...]:
    """What cannot shrink first, then every limit that is close or passed; the gravest first.

    A note carries the button of its fix, which is offered only once it was tried out (effects.with_effects).
    """
    notes = [] if packing.error is None else [Note("e", "This does not fit.", packing.error.sentence, "", "", "")]
    gravest = sorted(packing.warnings, key=lambda warning: -warning.percent)
    return (*notes, *(_note(warning) for warning in gravest))


def _note(warning: LimitWarning) -> Note:
    title = TITLES.get(warning.limit, warning.limit)
    button = button_of(warning.fix.settings)
    return Note(
        tone="",
        title=f"{title}: {LEVEL_WORDS[warning.level]}.",
        sentence=f"{warning.used:,} {warning.unit} asked for, {warning.allowed:,} allowed ({warning.percent:,.1f} %).",
        fix=warning.fix.sentence,
        apply=button.apply,
        apply_label=button.label,
    )
