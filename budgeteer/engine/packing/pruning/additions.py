"""Additions of pruning to a prompt: the tool `compress`, its system text, and a nudge where one is due.

Each is added once: a conversation that has a tool of that name, or a text that holds ours, gets no second one.
"""

from __future__ import annotations

from typing import Final, Literal

from budgeteer.engine.config.schema import TextsConfig
from budgeteer.engine.counting.tokenizers import TokenCounter
from budgeteer.engine.inputs.bundle import Bundle, SystemText
from budgeteer.engine.packing.pruning.model_texts import compress_tool, nudge_text, system_text
from budgeteer.engine.packing.pruning.nudges import Nudge
from budgeteer.engine.packing.sections.own_tools import with_own

#: The decision ids of the texts that are added.
SYSTEM_ID: Final = "system:pruning"
NUDGE_ID: Final = "system:nudge"


def with_additions(
    bundle: Bundle,
    mode: Literal["auto", "manual"],
    texts: TextsConfig,
    *,
    nudge: Nudge | None,
    counter: TokenCounter,
) -> tuple[Bundle, set[str]]:
    """The bundle with what is added to it, and the ids of that."""
    own = SystemText(SYSTEM_ID, "Instructions for pruning", "system", system_text(mode, texts))
    bundle, added = with_own(bundle, compress_tool(texts), own, counter=counter)
    if nudge is not None:
        reminder = SystemText(NUDGE_ID, "Reminder to compress", "system", nudge_text(nudge, texts))
        bundle, more = with_own(bundle, None, reminder, counter=counter)
        added |= more
    return bundle, added
