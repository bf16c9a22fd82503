"""Check that a packed prompt can be sent: its first message is the user's, and its task is included."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from budgeteer.engine.config.schema import HistoryConfig, Placement
from budgeteer.engine.inputs.bundle import Bundle
from budgeteer.engine.packing.history.earlier_line import read_line
from budgeteer.engine.packing.history.ending import end_places
from budgeteer.engine.packing.history.opening import beginning_roles, has_role, spared_rows
from budgeteer.engine.packing.history.registry import STRATEGIES
from budgeteer.engine.packing.history.task import TaskContext, is_lost, sendable_or_over
from budgeteer.engine.packing.history.view import USER, HistoryFit, HistoryRule, HistoryView, Mask
from budgeteer.engine.packing.reasons import loss_sentence
from budgeteer.engine.providers.capabilities import Loss
from budgeteer.engine.providers.registry import PROVIDERS


def first_is_user(provider: str, config: HistoryConfig) -> bool:
    """Whether the first message must be the user's: the provider asks for it, or the configuration."""
    return PROVIDERS[provider].capabilities.first_is_user or config.start_on == "user"


def ended(view: HistoryView, bundle: Bundle) -> HistoryView:
    """The view up to the last message of a role that `endOn` asks for, where no query follows; never inside a group."""
    if view.config.end_on == "any" or bundle.query is not None:
        return view
    end = _end_of(view, view.alive)
    if end < 0:
        return view
    alive = view.alive & ((np.arange(len(view)) <= end) | view.always)
    if np.array_equal(alive, view.alive):
        return view
    tokens, chars, frames = (np.where(alive, column, 0) for column in (view.tokens, view.chars, view.frames))
    tags = None if view.tag_chars is None else np.where(alive, view.tag_chars, 0)
    return replace(view, alive=alive, tokens=tokens, chars=chars, frames=frames, tag_chars=tags, end_row=end)


def asked_of(bundle: Bundle, provider: str, *, system_only: bool = False) -> TaskContext:
    """What a bundle has beside its history: whether a query asks, and whether the user's message must be first.

    `startOn` reserves nothing: what stands before that role simply goes, as in LangChain's `trim_messages`.
    """
    begins, query = PROVIDERS[provider].capabilities.first_is_user, bundle.query
    if query is None:
        return TaskContext("none", Loss(0), begins, system_only)
    loss = Loss(int(bundle.query_measures.column(provider, "loss")[0]))
    if Loss.EMPTY not in loss:
        return TaskContext("typed" if query.typed else "untyped", loss, begins, system_only)
    return TaskContext("lost" if query.typed and is_lost(loss) else "none", loss, begins, system_only)


def checked(
    fit: HistoryFit, view: HistoryView, bundle: Bundle, provider: str, *, placement: Placement = "dedicated"
) -> HistoryFit:
    """The fit as the provider takes it, with `over` set where it would ask for nothing.

    `placement` is that of the system texts: they may be a message of the user's.
    """
    asked = asked_of(bundle, provider, system_only=placement == "dedicated" and _is_system_only(bundle, provider))
    if view.end_row >= 0:
        after = ~view.alive & (np.arange(len(view)) > view.end_row)
        said = after & (bundle.history_measures.column(provider, "loss") & int(Loss.EMPTY) == 0)
        fit = fit.without(said, HistoryRule.END_ON)
    if not STRATEGIES[view.config.strategy].keeps_task and view.config.end_on != "any" and bundle.query is None:
        fit = _up_to_role(fit, view)
    if roles := beginning_roles(provider, view.config):
        is_refused = PROVIDERS[provider].capabilities.first_is_user
        spared = spared_rows(view, provider)
        if not is_refused:
            spared = spared | _lines(fit, view, bundle)
        rule = HistoryRule.FIRST_IS_USER if is_refused else HistoryRule.START_ON
        fit = _from_role_on(fit, view, roles, spared, rule)
    lost = ""
    if view.lost_task is not None:
        lost = f"What was asked last cannot be sent to {PROVIDERS[provider].title}: {loss_sentence(view.lost_task)}."
    return sendable_or_over(fit, view, asked, lost=lost)


def _is_system_only(bundle: Bundle, provider: str) -> bool:
    """Whether a conversation is given that is system text alone, and none of it would be a message of the request."""
    head = bundle.file_head_measures
    if head is None or not len(head) or len(bundle.history):
        return False
    capabilities = PROVIDERS[provider].capabilities
    texts = sum(text.message is not None for text in bundle.system)
    return not capabilities.system_messages or (capabilities.system_in_two_places and texts <= 1)


def _end_of(view: HistoryView, among: Mask) -> int:
    """The row of the last of these messages that is of a role that `endOn` asks for and parts no group, or -1."""
    ends = np.flatnonzero(end_places(view, among))
    return int(ends[-1]) if len(ends) else -1


def _up_to_role(fit: HistoryFit, view: HistoryView) -> HistoryFit:
    """The fit of a strategy that cuts the end, without what follows the last message that `endOn` asks for."""
    end = _end_of(view, fit.kept)
    late = fit.kept & ~view.always & (np.arange(len(view)) > end)
    return fit if end < 0 or not late.any() else fit.without(late, HistoryRule.END_ON)


def _lines(fit: HistoryFit, view: HistoryView, bundle: Bundle) -> Mask:
    """The kept lines of `recentExchange`, which name what an earlier packing left out: any message may follow one."""
    found = np.zeros(len(view), np.bool_)
    if view.config.strategy == "recentExchange":
        for row in np.flatnonzero(fit.kept & (view.role == USER)).tolist():
            found[row] = read_line(bundle.history[row]) is not None
    return found


def _from_role_on(fit: HistoryFit, view: HistoryView, roles: str, spared: Mask, rule: HistoryRule) -> HistoryFit:
    """The fit without what stands before the first message of these roles, one that is kept or a user's that is added.

    What is `spared`, whole groups, stays. The group of an earlier message may hold the one of these roles (`keepWith`):
    then what followed that one stands first, and is looked at again.
    """
    wanted = has_role(view, roles)
    while True:
        found = np.flatnonzero(fit.kept & wanted)
        start = int(found[0]) if len(found) else len(view)
        if fit.summary is not None and "user" in roles.split(","):
            start = min(start, fit.summary.before)
        early = fit.kept & ~spared & (np.arange(len(view)) < start)
        if not early.any():
            return fit
        fit = fit.without(fit.kept & np.isin(view.group, np.unique(view.group[early])), rule)
