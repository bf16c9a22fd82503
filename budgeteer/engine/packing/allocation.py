"""From a model's window to the tokens that sections may take."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from pydantic import BaseModel

from budgeteer.engine.config.schema import OF_THE_WINDOW, BudgetConfig, ModelCalibration, TokenLimit
from budgeteer.engine.counting.calibrated_counter import Charges, vocabulary_of
from budgeteer.engine.counting.tokenizers import CountKind, TokenCounter
from budgeteer.engine.errors import ConfigError
from budgeteer.engine.models.registry import ModelRow, known_model, model

#: Safety margin by how counts are known, in percent. Source: domain,
#: configuration defaults; for reconstructed counts decision 012.
#: Calibrated counts keep what was measured instead (`calibrated_margin`).
MARGIN_PERCENT: Final[Mapping[CountKind, int]] = {"exact": 0, "reconstructed": 5, "estimated": 10}
#: Every kind that a packing's count may have.
PACKING_KINDS: Final[frozenset[CountKind]] = frozenset({*MARGIN_PERCENT, "calibrated"})

#: The rule of whatever the system share leaves out.
SYSTEM_SHARE = "shares.system"


@dataclass(frozen=True, slots=True)
class Allowance:
    """What one request may take.

    Attributes:
        window: the most tokens of input and output together.
        output_reserve: tokens held back for the reply.
        input_budget: min(the model's maximum input, window - reserve).
        safety_margin_percent: how much of it stays free because counts are estimates.
        usable_tokens: the input budget less the margin: what everything is fitted into.
        tokenizer: the vocabulary's name.
        kind: "exact" only where the model's own tokenizer counts, "reconstructed" where that was found by measurement,
            "calibrated" where `calibration` says what its counts are charged by.
    """

    row: ModelRow
    window: int
    output_reserve: int
    input_budget: int
    safety_margin_percent: int
    usable_tokens: int
    tokenizer: str
    kind: CountKind
    calibration: ModelCalibration | None = None

    def tokens(self, limit: TokenLimit) -> int:
        """A token limit as a number: a percent of the input budget or of the window, floored; exactly as written."""
        if isinstance(limit, int):
            return limit
        percent, _, of_what = limit.partition("%")
        part = Fraction(percent) / 100
        whole = self.window if of_what == OF_THE_WINDOW else self.input_budget
        return whole * part.numerator // part.denominator


def tokenizer_of(config: BudgetConfig) -> str:
    """What a configuration counts with: its own choice, or its model's tokenizer (or the stand-in); calibrated where
    it holds a calibration of both.
    """
    calibration = calibration_of(config)
    return _vocabulary(config) if calibration is None else charges_in(calibration).name


def _vocabulary(config: BudgetConfig) -> str:
    return model(config.model).tokenizer if config.tokenizer == "auto" else config.tokenizer


def calibration_of(config: BudgetConfig) -> ModelCalibration | None:
    """The last calibration of a configuration that is its model's, measured with the tokenizer that counts."""
    if not config.calibrations:
        return None
    row, tokenizer = model(config.model), _vocabulary(config)
    fitting = (one for one in reversed(config.calibrations) if known_model(one.model) == row)
    return next((one for one in fitting if one.tokenizer == tokenizer), None)


def charges_in(calibration: ModelCalibration) -> Charges:
    """What a calibration charges for what its tokenizer counts."""
    return Charges.of(
        calibration.tokenizer,
        per_token=calibration.per_token,
        message=calibration.per_message,
        call=calibration.per_call,
        parameter=calibration.per_parameter,
    )


def calibrated_margin(calibration: ModelCalibration) -> int:
    """The safety margin of calibrated counts: by how much one input in a hundred was too small, in whole percent.

    A share s of what was recorded is missing where only 1 - s of it was counted, so that s of the budget stays free; at
    least one percent, since other sessions may be further off than those that were measured.
    """
    return min(max(math.ceil(round(calibration.error.p99_under * 100, 6)), 1), 99)


def window_leaving(config: BudgetConfig, input_budget: int) -> int:
    """The window that leaves a configuration so many tokens of input beside its output reserve."""
    reserve = config.output_reserve
    return input_budget + (model(config.model).reserve_beside(input_budget) if reserve is None else reserve)


def allowance(config: BudgetConfig, counter: TokenCounter) -> Allowance:
    """The allowance of a configuration.

    Raises:
        ConfigError: the reserve leaves no room for input, or the window is larger than the model's.
    """
    row = model(config.model)
    window = config.context_window or row.context_window
    if window > row.context_window:
        what = f"{window:,} tokens are more than the {row.context_window:,} of {row.name}"
        raise ConfigError(what, where="contextWindow", mend="Lower it, or choose a model with a larger window.")
    reserve = config.output_reserve
    if reserve is None:
        reserve = row.reserve_within(window).tokens
    if reserve >= window:
        what = f"a reserve of {reserve:,} leaves nothing of a window of {window:,} tokens"
        raise ConfigError(what, where="outputReserve", mend=f"Hold back less than {window:,}.")
    budget = window - reserve
    if row.max_input is not None:
        budget = min(budget, row.max_input)
    kind = count_kind(counter, row)
    margin = config.safety_margin_percent
    calibration = calibration_of(config)
    if margin is None:
        margin = MARGIN_PERCENT[kind] if calibration is None else calibrated_margin(calibration)
    return Allowance(
        row=row,
        window=window,
        output_reserve=reserve,
        input_budget=budget,
        safety_margin_percent=margin,
        usable_tokens=budget * (100 - margin) // 100,
        tokenizer=vocabulary_of(counter.name),
        kind=kind,
        calibration=calibration,
    )


def count_kind(counter: TokenCounter, row: ModelRow) -> CountKind:
    """How the counts of a counter are known for a model: as the counter's own are, where it is the model's."""
    if counter.kind == "calibrated":
        return "calibrated"
    if counter.name != row.tokenizer:
        return "estimated"
    if counter.kind == "exact" and row.tokenizer_is_stand_in:
        return "estimated"
    return counter.kind


@dataclass(frozen=True, slots=True)
class Shares:
    """Fixed shares of what a window leaves beside the query and the reply, in tokens (seed: Gemma plan, step 2).

    Attributes:
        available_tokens: window - query - output reserve.
        context_tokens: the retrieved chunks'. history_tokens: the history's.
        system_tokens: the system texts', with tools, skills and feature specs.
        redistribute: whether what one leaves unused flows on, from system to context to history.
    """

    available_tokens: int
    context_tokens: int
    history_tokens: int
    system_tokens: int
    redistribute: bool


def shares_of(config: BudgetConfig, allowed: Allowance, *, query_tokens: int) -> Shares | None:
    """The shares of a configuration, each floored as in the seed; None where they are off.

    Raises:
        ConfigError: the shares add up to more than the whole.
    """
    asked = config.shares
    if not asked.enabled:
        return None
    whole = math.fsum((asked.context, asked.history, asked.system))
    if whole > 1 + 1e-9:
        mend = "Lower one until context, history and system add up to 1 at most."
        raise ConfigError(f"the shares add up to {whole:.2f} of what there is", where="shares", mend=mend)
    available = max(allowed.window - query_tokens - allowed.output_reserve, 0)
    return Shares(
        available_tokens=available,
        context_tokens=math.floor(available * asked.context),
        history_tokens=math.floor(available * asked.history),
        system_tokens=math.floor(available * asked.system),
        redistribute=asked.redistribute,
    )


def provider_of(config: BudgetConfig) -> str:
    """The request form of a configuration's model."""
    return model(config.model).provider


def resolve_percents(config: BudgetConfig, allowed: Allowance) -> BudgetConfig:
    """The configuration with every percent as a number of tokens."""
    history, skills = config.history, config.skills_budget
    history = _updated(
        history,
        max_tokens=allowed.tokens(history.max_tokens),
        clearing=_resolved(history.clearing, allowed, "trigger"),
        summarizing=_resolved(history.summarizing, allowed, "trigger", "target", "user_message_tokens"),
    )
    skills = _updated(skills, limits=_resolved(skills.limits, allowed, "max_skills_prompt_tokens"))
    return _updated(config, history=history, skills_budget=skills)


def _resolved[M: BaseModel](settings: M, allowed: Allowance, *names: str) -> M:
    """The settings with these limits in tokens as numbers; None stays."""
    limits = {name: getattr(settings, name) for name in names}
    return _updated(settings, **{name: allowed.tokens(limit) for name, limit in limits.items() if limit is not None})


def _updated[M: BaseModel](settings: M, **values: object) -> M:
    """The settings with other values; the very same where none is another."""
    changed = {name: value for name, value in values.items() if getattr(settings, name) is not value}
    return settings.model_copy(update=changed) if changed else settings
