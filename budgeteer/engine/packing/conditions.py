"""Conditions of a counterfactual as data: the limits, and the least value of each that keeps the item.

A reason carries conditions and its sentence is written from them, last. Buttons read the conditions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

type SettingValue = bool | int | str
"""A value of the configuration, as JSON has it."""

type Settings = Mapping[str, SettingValue]
"""Values by configuration path, to be set together."""


class Outcome(StrEnum):
    """What happens once every condition holds; the value opens the sentence."""

    KEPT = "Kept"
    KEPT_WHOLE = "Kept whole"
    AS_IT_IS = "Kept as it is"
    IN_FULL = "In full"
    #: A rule that comes later may still leave the item out.
    CONSIDERED = "Considered"


class Room(StrEnum):
    """Room that other sections leave and no single setting gives; the value is its clause, `{}` the tokens."""

    LEFT_FOR_HISTORY = "{} tokens were left for history"
    HISTORY = "history had room for {} tokens"
    RETRIEVAL = "retrieval had room for {} tokens"
    SYSTEM_SHARE_SKILLS = "shares.system left {} tokens for skills"
    SYSTEM_SHARE_TOOLS = "shares.system left {} tokens for tools"
    SYSTEM_SHARE_FEATURES = "shares.system left {} tokens for feature specs"

    @property
    def key(self) -> str:
        """Its name in JSON: `leftForHistory`."""
        first, *others = self.name.lower().split("_")
        return first + "".join(word.capitalize() for word in others)


@dataclass(frozen=True, slots=True)
class Condition:
    """A setting that is at least a number, or a room of at least that many tokens.

    Attributes:
        limit: the path of a setting ("history.maxTokens"), or a room.
        at_least: the least value at which the limit no longer leaves the item out.
    """

    limit: str | Room
    at_least: int

    @property
    def is_setting(self) -> bool:
        """Whether setting one value of the configuration makes it hold."""
        return not isinstance(self.limit, Room)

    @property
    def clause(self) -> str:
        """The condition in words, to stand after "if"."""
        if isinstance(self.limit, Room):
            return self.limit.value.format(f"{self.at_least:,}")
        return f"{short_name(self.limit)} were ≥ {self.at_least:,}"

    def to_json(self) -> dict[str, str | int]:
        """`{path, atLeast}` for a setting, `{room, atLeast}` in tokens for a room."""
        if isinstance(self.limit, Room):
            return {"room": self.limit.key, "atLeast": self.at_least}
        return {"path": self.limit, "atLeast": self.at_least}


def counterfactual(outcome: Outcome, conditions: Sequence[Condition]) -> str:
    """The sentence that says what would have changed the fate; "" without conditions."""
    if not conditions:
        return ""
    return f"{outcome.value} if {' and '.join(condition.clause for condition in conditions)}."


def settings_of(conditions: Iterable[Condition]) -> dict[str, SettingValue]:
    """The settings that make every condition hold; {} where there is none, or one of them is no setting."""
    asked = list(conditions)
    return {str(one.limit): one.at_least for one in asked} if all(one.is_setting for one in asked) else {}


def short_name(path: str) -> str:
    """A path as sentences and rules name it: limits on skills and tools by their last step, the others whole."""
    return path.removeprefix(SKILL_LIMITS)


SKILL_LIMITS = "skillsBudget.limits."
MAX_SKILLS = f"{SKILL_LIMITS}maxSkillsInPrompt"
MAX_SKILL_CHARS = f"{SKILL_LIMITS}maxSkillsPromptChars"
MAX_SKILL_TOKENS = f"{SKILL_LIMITS}maxSkillsPromptTokens"
MAX_SKILL_FILE_BYTES = f"{SKILL_LIMITS}maxSkillFileBytes"
MAX_TOOL_CHARS = f"{SKILL_LIMITS}maxToolDefinitionChars"
