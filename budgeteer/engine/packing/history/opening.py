"""The roles that may open a request, and which opening message must be kept so that another can be."""

from __future__ import annotations

from typing import cast

import numpy as np

from budgeteer.engine.config.schema import HistoryConfig
from budgeteer.engine.content.conversation import ROLES, Role
from budgeteer.engine.counting.library_measures import Ints
from budgeteer.engine.packing.history.view import HistoryView, Mask
from budgeteer.engine.providers.registry import PROVIDERS


def beginning_roles(provider: str, config: HistoryConfig) -> str:
    """The roles that a history may begin with, commas between them; "" for any. A provider's rule comes before ours."""
    if PROVIDERS[provider].capabilities.first_is_user:
        return "user"
    return "" if config.start_on == "any" else config.start_on


def has_role(view: HistoryView, roles: str) -> Mask:
    """Which messages are of one of the roles, named with commas between them."""
    found: Mask = np.isin(view.role, [ROLES.index(cast("Role", role)) for role in roles.split(",")])
    return found


def spared_rows(view: HistoryView, provider: str) -> Mask:
    """Which messages may stand before the one that history begins with, whole groups.

    Our own setting spares pins, the task and what a workflow wrote; a provider refuses whatever stands before the
    user's message.
    """
    if PROVIDERS[provider].capabilities.first_is_user:
        return np.zeros(len(view), np.bool_)
    return view.always | view.task | view.written


def opening_row(view: HistoryView, needed: Ints, row: int, provider: str) -> int | None:
    """The row of the message that a strategy reaches first and that may stand before the message at `row`.

    It is of a role that history may begin with, opens its group (what stands before it would take the group along) or
    is spared, and stands before all of that message's group, or opens it; `needed` is what each message takes to be
    reached. None where there is no such message; `row` itself where any may be first.
    """
    roles = beginning_roles(provider, view.config)
    if not roles:
        return row
    alive = np.flatnonzero(view.alive)
    opens = np.zeros(len(view), np.bool_)
    opens[alive[np.unique(view.group[alive], return_index=True)[1]]] = True
    first = int(np.flatnonzero(view.alive & (view.group == view.group[row]))[0])
    may_open = view.alive & has_role(view, roles) & (opens | spared_rows(view, provider))
    fitting = np.flatnonzero(may_open[: first + 1])
    return int(fitting[needed[fitting].argmin()]) if len(fitting) else None


def never_first(roles: str) -> str:
    """What would keep a message that no message stands before which history may begin with."""
    if roles == "user":
        return "Never kept here: the first message must be the user's."
    return f"Never kept here: the first message must be of role {' or '.join(roles.split(','))}."
