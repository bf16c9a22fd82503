"""Texts for the model about pruning and feature search, to read and copy."""

from __future__ import annotations

import json
from dataclasses import dataclass

from budgeteer.engine.analysis.search_tool import SEARCH_INSTRUCTIONS, SEARCH_TOOL
from budgeteer.engine.content.library import ToolDefinition, ToolForm
from budgeteer.engine.packing.pruning.model_texts import COMPRESS_TOOL, NUDGE_TEXTS, SYSTEM_AUTO, SYSTEM_MANUAL
from budgeteer.engine.providers.tool_forms import tool_in_form

TOOL_FORMS: tuple[tuple[ToolForm, str], ...] = (("openai", "OpenAI"), ("anthropic", "Anthropic"))
NUDGE_TITLES = {
    "contextLimitStrong": "Nudge above the maximum, strong",
    "contextLimitSoft": "Nudge above the maximum, soft",
    "iteration": "Nudge after many calls",
    "turn": "Nudge at a turn",
}


@dataclass(frozen=True, slots=True)
class PromptText:
    """One text: its name as `budgeteer prompts` knows it, what it is, and itself."""

    name: str
    title: str
    text: str

    @property
    def key(self) -> str:
        """The name as part of an element's id."""
        return self.name.replace(".", "-").replace(" ", "-")


def prompt_texts() -> tuple[PromptText, ...]:
    """Every text, those of pruning first."""
    return (
        PromptText("compress.instructions", "System text, a model that compresses as it works", SYSTEM_AUTO),
        PromptText("compress.manual", "System text, a model that compresses on request", SYSTEM_MANUAL),
        *(PromptText(f"nudge.{name}", NUDGE_TITLES[name], text) for name, text in NUDGE_TEXTS.items()),
        *_forms(COMPRESS_TOOL, "The tool that compresses"),
        PromptText("search_features.instructions", "System text, a model that searches specs", SEARCH_INSTRUCTIONS),
        *_forms(SEARCH_TOOL, "The tool that searches specs"),
    )


def _forms(tool: ToolDefinition, title: str) -> list[PromptText]:
    return [
        PromptText(
            f"{tool.name} {form}",
            f"{title}, for {name}",
            json.dumps(tool_in_form(tool, form), indent=2, ensure_ascii=False),
        )
        for form, name in TOOL_FORMS
    ]
