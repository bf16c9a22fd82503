"""Check that a packed prompt can be sent: its first message is the user's, and its task is included."""

from __future__ import annotations

import numpy as np

from budgeteer.engine.inputs.bundle import Bundle
from budgeteer.engine.packing.history.task import Asked, is_lost, sendable_or_over
from budgeteer.engine.packing.history.view import USER, HistoryFit, HistoryRule, HistoryView
from budgeteer.engine.packing.reasons import loss_sentence
from budgeteer.engine.providers.capabilities import Loss
from budgeteer.engine.providers.registry import PROVIDERS


def asked_of(bundle: Bundle, profile: str) -> Asked:
    """What a bundle has beside its history: whether a query asks, and whether the user's message comes first."""
    first_is_user, query = PROVIDERS[profile].capabilities.first_is_user, bundle.query
    if query is None:
        return Asked("none", Loss(0), first_is_user)
    loss = Loss(int(bundle.query_measures.column(profile, "loss")[0]))
    if Loss.EMPTY not in loss:
        return Asked("typed" if query.typed else "untyped", loss, first_is_user)
    return Asked("lost" if query.typed and is_lost(loss) else "none", loss, first_is_user)


def checked(fit: HistoryFit, view: HistoryView, bundle: Bundle, profile: str) -> HistoryFit:
    """The fit as the provider takes it, with `over` set where it would ask for nothing."""
    asked = asked_of(bundle, profile)
    if asked.first_is_user and fit.summary is None:
        fit = _from_the_user_on(fit, view)
    lost = (
        f"What was asked last cannot be sent to {PROVIDERS[profile].title}: {loss_sentence(view.lost_task or Loss(0))}."
    )
    return sendable_or_over(fit, view, asked, lost=lost)


def _from_the_user_on(fit: HistoryFit, view: HistoryView) -> HistoryFit:
    """The fit without what stands before the first kept message of the user's."""
    users = np.flatnonzero(fit.kept & (view.role == USER))
    start = int(users[0]) if len(users) else len(view)
    early = fit.kept & (np.arange(len(view)) < start)
    if not early.any():
        return fit
    return fit.without(fit.kept & np.isin(view.group, np.unique(view.group[early])), HistoryRule.FIRST_IS_USER)
