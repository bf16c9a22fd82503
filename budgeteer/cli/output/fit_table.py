"""Output of `budgeteer fit` for a terminal."""

from __future__ import annotations

import json

from budgeteer.cli.output.tables import table
from budgeteer.engine.analysis.fit_plan.fit_plan import FitPlan, FitState, PlanStep

#: A value of a setting is written up to here; longer ones are for --write and --json.
LONGEST_VALUE = 80


def fit_table(plan: FitPlan) -> str:
    """The verdict before, the steps with their figures, and the verdict with the chosen ones applied."""
    lines = [f"Now:  {_state(plan.start)}"]
    if not plan.steps:
        return "\n".join([*lines, "No step would help."])
    rows = [
        (
            "x" if step.is_chosen else "",
            step.name.value,
            step.effect.saved_tokens,
            step.effect.returned_tokens,
            step.effect.after.left_out,
            step.title,
        )
        for step in plan.steps
    ]
    lines += ["", table(("", "step", "saves", "adds", "left out", ""), rows), ""]
    for step in plan.chosen:
        lines += _details(step)
    return "\n".join([*lines, f"Then: {_state(plan.final)}"])


def _state(state: FitState) -> str:
    cost = "" if state.input_cost is None else f", ${state.input_cost:,.4f} a request"
    return f"{state.sentence}. {state.tokens:,} of {state.limit_tokens:,} tokens{cost}."


def _details(step: PlanStep) -> list[str]:
    lost, effect = step.effect.lost, step.effect
    named = ", ".join(f"{one.name} ({one.change})" for one in lost)
    more = f" and {effect.lost_items - len(lost):,} more" if effect.lost_items > len(lost) else ""
    return [
        f"{step.title}",
        f"  loses: {step.loses}" + (f" {named}{more}." if named else ""),
        f"  costs: {step.row.costs}",
        *(f"  --set {path}={_value(value)}" for path, value in step.settings.items()),
        "",
    ]


def _value(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST_VALUE else f"… ({len(text):,} characters; --write FILE has it)"
