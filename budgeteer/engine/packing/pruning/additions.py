"""Additions of pruning to a prompt: the tool `compress` and its system text.

Each is added once: a conversation that has a tool of that name, or a text that holds ours, gets no second one.
"""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Final, Literal

import numpy as np

from budgeteer.engine.content.conversation import ROLES, text_of
from budgeteer.engine.counting.library_measures import ToolMeasures, measure_tools
from budgeteer.engine.counting.tokenizers import TokenCounter, counter_for
from budgeteer.engine.inputs.bundle import Bundle, SystemText
from budgeteer.engine.packing.pruning.model_texts import COMPRESS_TOOL, TOOL_NAME, system_text

#: The decision ids of what is added.
SYSTEM_ID: Final = "system:pruning"
TOOL_ID: Final = f"tool:{TOOL_NAME}"


def with_additions(bundle: Bundle, mode: Literal["auto", "manual"], counter: TokenCounter) -> tuple[Bundle, set[str]]:
    """The bundle with what is added to it, and the ids of that."""
    added: set[str] = set()
    text = system_text(mode)
    if not says(bundle, text):
        own = SystemText(SYSTEM_ID, "Instructions for pruning", "system", text)
        bundle = replace(bundle, system=(*bundle.system, own))
        added.add(SYSTEM_ID)
    if all(tool.name != TOOL_NAME for tool in bundle.tools):
        measures = bundle.tool_measures.joined(_measured(counter.name))
        bundle = replace(bundle, tools=(*bundle.tools, COMPRESS_TOOL), tool_measures=measures)
        added.add(TOOL_ID)
    return bundle, added


def says(bundle: Bundle, text: str) -> bool:
    """Whether the text is there already: in a system text, or before the first words of the user."""
    if any(text in one.text for one in bundle.system):
        return True
    users = np.flatnonzero(bundle.history_measures.role == ROLES.index("user"))
    first = bundle.history[int(users[0])] if len(users) else bundle.query
    return first is not None and text in text_of(first)


@functools.cache
def _measured(tokenizer: str) -> ToolMeasures:
    return measure_tools((COMPRESS_TOOL,), counter=counter_for(tokenizer))
