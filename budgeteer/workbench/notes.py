"""Warnings as notes: the figure, the cheapest fix, and one button that applies it."""

from __future__ import annotations

from dataclasses import dataclass

from budgeteer.engine.options import fields
from budgeteer.engine.result import LimitWarning, Packing
from budgeteer.workbench.configuring import Effective
from budgeteer.workbench.words import wording

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
TONES = {"approaching": "", "reached": "", "exceeded": "e"}

#: What a fix that names one of these settings comes to, as a change of the form.
SETTING_FIXES = (
    ("Minify descriptions", "skillsBudget.optimization.minifyDescriptions", "on", "Minify"),
    ("Compact paths", "skillsBudget.optimization.compactPaths", "on", "Compact paths"),
    ("shares.redistribute on", "shares.redistribute", "on", "Redistribute"),
    ("history.strategy to newestFirst", "history.strategy", "newestFirst", "Newest first"),
)


@dataclass(frozen=True, slots=True)
class Note:
    """One note.

    `apply` is "path=value" for the button that applies its fix, "" where there is no single one; `effect` is what that
    would come to, where somebody tried it out.
    """

    tone: str
    title: str
    sentence: str
    fix: str
    apply: str
    apply_label: str
    effect: str = ""


def notes_of(packing: Packing, current: Effective) -> tuple[Note, ...]:
    """What cannot shrink first, then every limit that is close or passed; the gravest first."""
    notes = [] if packing.error is None else [Note("e", "This cannot fit.", packing.error.sentence, "", "", "")]
    gravest = sorted(packing.warnings, key=lambda warning: -warning.percent)
    return (*notes, *(_note(warning, current) for warning in gravest))


def split_apply(value: str) -> tuple[str, str]:
    """The path and the text of an "apply" button's value."""
    path, _, text = value.partition("=")
    return path, text


def _note(warning: LimitWarning, current: Effective) -> Note:
    title = TITLES.get(warning.limit, warning.limit)
    apply, label = _applied(warning, current)
    return Note(
        tone=TONES[warning.level],
        title=f"{title}: {LEVEL_WORDS[warning.level]}.",
        sentence=f"{warning.used:,} {warning.unit} asked for, {warning.allowed:,} allowed ({warning.percent:,.1f} %).",
        fix="" if warning.fix.startswith("Raise ") and warning.used <= warning.allowed else warning.fix,
        apply=apply,
        apply_label=label,
    )


def _applied(warning: LimitWarning, current: Effective) -> tuple[str, str]:
    for words, path, text, label in SETTING_FIXES:
        if words in warning.fix:
            return f"{path}={text}", label
    if not warning.fix.startswith("Raise ") or (not current.config.skills_budget.enabled and "Skill" in warning.limit):
        return "", ""
    path = next((field.path for field in fields() if field.path.endswith(warning.limit)), "")
    if not path or warning.used <= warning.allowed:
        return "", ""
    return f"{path}={warning.used}", f"Raise {wording(path).label.lower()} to {warning.used:,}"
