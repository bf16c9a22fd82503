"""The model table's limits beside LiteLLM's: the most tokens that each model takes and writes.

    .venv-bench/bin/python -m benchmarks.accuracy.model_limits

Compared are models that LiteLLM has under the maker's own provider; what a host of open weights allows says nothing of
the model. Status 1 where a difference is not in EXPLAINED, or one that is explained is no more.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import click

from budgeteer.engine.models.registry import MODELS, ModelRow

#: The maker -> what stands before the model's name in LiteLLM's table.
PREFIXES: Final[Mapping[str, tuple[str, ...]]] = {
    "OpenAI": ("",),
    "Anthropic": ("",),
    "Google": ("", "gemini/"),
    "Mistral": ("mistral/",),
    "DeepSeek": ("", "deepseek/"),
    "Meta": ("meta/",),
    "xAI": ("xai/",),
    "Moonshot AI": ("moonshot/",),
    "Z.ai": ("zai/",),
    "MiniMax": ("minimax/",),
}
_WINDOW: Final = "theirs is the window, of which the reply is a part; so they have it for gpt-5.6-sol as we do"
_GENAI: Final = "ours is genai-prices' window"
_PAGE: Final = "ours is the maker's model page"
#: Name -> which source ours follows where the two disagree.
EXPLAINED: Final[Mapping[str, str]] = {
    "gpt-5.4": _WINDOW,
    "gpt-4": _PAGE,
    "claude-sonnet-4-6": _PAGE,
    "gemini-4-argon": "theirs repeats the input",
    **dict.fromkeys(
        ("gemini-2.5-pro", "gemini-2.5-flash", "gemini-2.5-flash-lite"), "theirs is the last value allowed"
    ),
    **dict.fromkeys(("deepseek-flash", "deepseek-v4-pro"), "384K, which they take for 384 times 1,024"),
    **dict.fromkeys(("gpt-5.5", "codestral-2508", "deepseek-v3.2", "glm-5.3-flash"), _GENAI),
}


def theirs(table: Mapping[str, Any], row: ModelRow) -> Mapping[str, Any] | None:
    """LiteLLM's entry for a row, under its maker's own provider."""
    names = (prefix + row.name for prefix in PREFIXES.get(row.maker, ()))
    return next((table[name] for name in names if name in table), None)


def differences(table: Mapping[str, Any]) -> tuple[int, dict[str, str]]:
    """How many rows LiteLLM has, and those that differ: ours and theirs. What we do not say is not compared."""
    compared, found = 0, {}
    for row in MODELS.values():
        entry = theirs(table, row)
        if entry is None:
            continue
        compared += 1
        ours = {"max_input_tokens": row.max_input or row.context_window, "max_output_tokens": row.max_output}
        unlike = {
            key: (mine, entry[key]) for key, mine in ours.items() if mine and entry.get(key) and entry[key] != mine
        }
        if unlike:
            found[row.name] = ", ".join(
                f"{key}: ours {mine:,}, theirs {other:,}" for key, (mine, other) in unlike.items()
            )
    return compared, found


def main() -> int:
    """Print every difference; status 1 where one has no reason, or a reason no difference."""
    package = find_spec("litellm")
    if package is None or package.origin is None:
        click.echo("LiteLLM is not installed: run this with .venv-bench/bin/python", err=True)
        return 2
    file = Path(package.origin).parent / "model_prices_and_context_window_backup.json"
    compared, found = differences(json.loads(file.read_text(encoding="utf-8")))
    for name, figures in found.items():
        click.echo(f"{name:28} {figures}  {EXPLAINED.get(name, 'NOT EXPLAINED')}")
    gone = sorted(EXPLAINED.keys() - found.keys())
    click.echo(f"{compared} of {len(MODELS)} models compared, {len(found)} differ")
    if gone:
        click.echo(f"explained, and alike: {', '.join(gone)}")
    return int(bool(gone) or not found.keys() <= EXPLAINED.keys())


if __name__ == "__main__":
    sys.exit(main())
