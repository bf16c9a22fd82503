"""The model requests of a conversation: the bundle as it was before each reply. Arrays are views, not copies."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np

from budgeteer.engine.content.conversation import ROLES
from budgeteer.engine.counting.library_measures import Ints
from budgeteer.engine.counting.tokenizers import TokenCounter
from budgeteer.engine.inputs.bundle import Bundle, BundleSlice
from budgeteer.engine.inputs.history_index import prepared_from
from budgeteer.engine.packing.pruning.calls import Calls, Shorter
from budgeteer.engine.packing.pruning.history_facts import KEPT_AS, Facts, facts_of
from budgeteer.engine.packing.pruning.shape import Mask

ASSISTANT = ROLES.index("assistant")
_USER = ROLES.index("user")


def reply_rows(bundle: Bundle) -> Ints:
    """The rows of the history at which a reply begins, messages of one reply in a row taken as one.

    A conversation that opens with the assistant's words has no request before them.
    """
    assistant = bundle.history_measures.role == ASSISTANT
    begins = assistant & ~np.concatenate([[True], assistant[:-1]])[: len(assistant)]
    return np.flatnonzero(begins)


def has_open_request(bundle: Bundle) -> bool:
    """Whether something is asked that nothing answers yet: a query, or messages after the last reply."""
    role = bundle.history_measures.role
    return bundle.query is not None or (len(role) > 0 and int(role[-1]) != ASSISTANT)


def request_rows(bundle: Bundle) -> list[int | None]:
    """The requests in order: the row of each reply, and None at the end for one that nothing answers yet."""
    return [*reply_rows(bundle).tolist(), *([None] if has_open_request(bundle) else [])]


def before_reply(bundle: Bundle, row: int) -> Bundle:
    """The bundle as it was when the reply at `row` was asked for: all before it, its last user message as the query.

    What a message costs is what it costs in the whole conversation.
    """
    measures = bundle.history_measures
    asked = int(measures.role[row - 1]) == _USER
    end = row - 1 if asked else row
    history = BundleSlice(bundle.history, 0, end)
    return replace(
        bundle,
        history=history,
        history_measures=measures.taken(slice(0, end)),
        query=bundle.history[end] if asked else None,
        query_measures=measures.taken(slice(end, row)),
        reported_input_tokens=None,
        prepared=prepared_from(history, bundle),
    )


def with_facts(bundle: Bundle, whole: Bundle, *, counter: TokenCounter) -> Bundle:
    """The bundle of an earlier request with what pruning read of the whole conversation, as far as it was there."""
    facts, end = facts_of(whole, counter=counter), len(bundle.history_measures)
    known = Facts(
        replace(
            facts.numbering,
            numbers=facts.numbering.numbers[:end],
            own=facts.numbering.own[:end],
            blocks={number: row for number, row in facts.numbering.blocks.items() if row < end},
            rows={one: row for one, row in facts.numbering.rows.items() if row < end},
        ),
        facts.bodies,
        _kept_calls(facts.calls, facts.calls.result_row < end),
        facts.decision_ids[:end],
    )
    return replace(bundle, prepared=bundle.prepared | {KEPT_AS: known})


def _kept_calls(calls: Calls, keep: Mask) -> Calls:
    kept: dict[str, Any] = {}
    for field in fields(calls):
        column = getattr(calls, field.name)
        if isinstance(column, np.ndarray):
            kept[field.name] = column[keep]
        elif isinstance(column, Shorter):
            kept[field.name] = Shorter(**{part.name: getattr(column, part.name)[keep] for part in fields(column)})
    return replace(calls, **kept)
