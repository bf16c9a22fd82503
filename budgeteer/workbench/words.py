"""The interface's own names for what the engine calls by keys: fates and settings."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

# Each icon is one name of budgeteer/icons.py.
FATE_ICONS = MappingProxyType(
    {"kept": "check", "truncated": "scissors", "summarised": "sigma", "dropped": "cross", "added": "plus"}
)
FATE_TONES = MappingProxyType(
    {"kept": "ok", "truncated": "warn", "summarised": "sum", "dropped": "over", "added": "link"}
)
FATE_NAMES = MappingProxyType(
    {"kept": "Kept", "truncated": "Truncated", "summarised": "Summarised", "dropped": "Dropped", "added": "Added"}
)


@dataclass(frozen=True, slots=True)
class Wording:
    """How one setting is named on screen. `hint` stands under the field, `unit` behind its number."""

    label: str
    hint: str = ""
    unit: str = ""


# One row a configuration path; a path without a row is shown under its last segment.
SETTINGS = MappingProxyType(
    {
        "model": Wording("Model"),
        "contextWindow": Wording("Context window", "Empty: the model's own"),
        "outputReserve": Wording("Output reserve", "Held back for the reply. Empty: the model's own"),
        "tokenizer": Wording("Tokenizer", "auto: the model's own, or its named stand-in"),
        "safetyMarginPercent": Wording("Safety margin", "Empty: 0 if counts are exact, 10 if estimated", "%"),
        "system.placement": Wording("Placement"),
        "system.marker": Wording("Marker"),
        "shares.enabled": Wording("Fixed shares"),
        "shares.context": Wording("Context share"),
        "shares.history": Wording("History share"),
        "shares.system": Wording("System share"),
        "shares.redistribute": Wording("Pass on what is unused"),
        "skillsBudget.enabled": Wording("Enabled", "Off: everything is kept and only measured"),
        "skillsBudget.limits.maxSkillsInPrompt": Wording("Max skills"),
        "skillsBudget.limits.maxSkillsPromptChars": Wording("Max skill characters"),
        "skillsBudget.limits.maxSkillsPromptTokens": Wording(
            "Max skill tokens", "A number or a percent of the input budget; empty: no limit"
        ),
        "skillsBudget.limits.maxSkillFileBytes": Wording("Max skill file", "A larger SKILL.md is left out", "bytes"),
        "skillsBudget.limits.maxToolDefinitionChars": Wording("Max tool characters"),
        "skillsBudget.optimization.compactPaths": Wording("Compact paths", "Home folders become ~/"),
        "skillsBudget.optimization.minifyDescriptions": Wording("Minify descriptions"),
        "skillsBudget.optimization.prioritization": Wording("Order", "Which skills come first"),
        "skillsBudget.warnings.enabled": Wording("Warnings"),
        "skillsBudget.warnings.thresholdPercent": Wording("Warn at", unit="%"),
        "skillsBudget.format": Wording("Block format"),
        "skillsBudget.fit": Wording("Fit", "prefix stops at the first that does not fit; fill goes on past it"),
        "skillsBudget.fallback": Wording("Fallback", "When not all fit, try names and locations only"),
        "skillsBudget.installRoot": Wording("Install root", "Put before each skill's location"),
        "features.mode": Wording("Mode"),
        "features.keywords": Wording("Keywords", "Comma separated; empty: from the query"),
        "features.topK": Wording("Top K"),
        "features.filenameWeight": Wording("File name weight"),
        "features.contentWeight": Wording("Content weight"),
        "features.excludedFolders": Wording("Excluded folders"),
        "retrieval.searchTopK": Wording("Top K"),
        "retrieval.fit": Wording("Fit"),
        "history.strategy": Wording("Strategy"),
        "history.maxTokens": Wording("Max tokens", "newestFirst: a number or a percent of the input budget"),
        "history.maxChars": Wording("Summarise over", "summarizeOlder", "chars"),
        "history.keepUserTurns": Wording("Keep user turns", "summarizeOlder: kept word for word"),
        "history.summaryMaxChars": Wording("Summary at most", "The line of what went as well", "chars"),
        "history.topicChars": Wording("Topic length", "Of each message, and of the topic anchor", "chars"),
        "history.maxHistoryMessages": Wording("Max history messages", "Before the last exchange, which always stays"),
        "history.topicAnchor": Wording("Topic anchor", "The opening of the oldest message stays"),
        "history.namePrevious": Wording("Name what went", "[Previous: discussed …]"),
        "history.fallbackMessages": Wording("Fallback messages", "When a summary fails"),
        "history.uncountedFallbackMessages": Wording("Uncounted fallback", "When counting fails"),
        "pruning.mode": Wording("Mode"),
        "pruning.minContextPercent": Wording("Nudge from", unit="%"),
        "pruning.maxContextPercent": Wording("Insist from", unit="%"),
        "pruning.nudgeFrequency": Wording("Nudge every", unit="requests"),
        "pruning.iterationNudgeThreshold": Wording("Iteration nudge after", unit="calls"),
        "pruning.nudgeForce": Wording("Nudge force"),
        "pruning.protectedTools": Wording("Protected tools"),
        "pruning.turnProtection": Wording("Protect last turns"),
        "pruning.dedupe": Wording("Drop duplicate calls"),
        "pruning.supersedeWrites": Wording("Drop superseded writes"),
        "pruning.purgeErrorsAfterTurns": Wording("Purge errors after", unit="turns"),
        "pruning.maxNesting": Wording("Max nesting"),
        "pruning.maxSummaryPercent": Wording("Max summary size", unit="%"),
        "retry.enabled": Wording("Retry ladder", "Shrink step by step before giving up"),
    }
)

GROUP_TITLES = MappingProxyType(
    {
        "model": "Model & limits",
        "skillsBudget": "Skills budget",
        "tools": "Tools",
        "history": "History",
        "system": "System text",
        "features": "Features",
        "retrieval": "Retrieval",
        "shares": "Shares",
        "pruning": "Pruning",
        "retry": "Retry",
    }
)


def wording(path: str) -> Wording:
    """The words of one setting; its last segment where none were written."""
    return SETTINGS.get(path) or Wording(path.rsplit(".", 1)[-1])


def count_of(number: int, noun: str) -> str:
    """A number with its noun: `1 skill`, `1,240 skills`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def short_count(tokens: int) -> str:
    """A number short enough for a segment: 812, 15.0k, 1.2M."""
    if tokens < 1_000:
        return str(tokens)
    if tokens < 999_950:
        return f"{tokens / 1_000:.1f}k"
    return f"{tokens / 1_000_000:.1f}M"
