"""The answer from the newest message on is that of pack, and looks at nothing older than it has to."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, overload
from unittest import mock

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from budgeteer.engine.analysis.newest_kept import newest_kept
from budgeteer.engine.config.schema import BudgetConfig, load_config
from budgeteer.engine.content.conversation import Conversation, Message, TextPart
from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.engine.errors import ConfigError
from budgeteer.engine.inputs.bundle import Inputs, build_bundle
from budgeteer.engine.packing.pack import pack
from tests.conformance.generated import conversations
from tests.engine.packs import assistant, result, system, talk, user
from tests.examples import examples

COUNTER = counter_for("o200k_base")


def config_of(budget: int, **more: Any) -> BudgetConfig:
    return load_config({"history": {"strategy": "newestFirst", "maxTokens": budget}, **more})


def packed_rows(
    conversation: Conversation, config: BudgetConfig, query: str | None
) -> tuple[tuple[int, ...], int, int]:
    """What pack keeps of the history, what it takes, and what it may take."""
    packing = pack(build_bundle(Inputs(conversation, query=query), counter=COUNTER), config, counter=COUNTER)
    leading = next((at for at, one in enumerate(conversation.messages) if one.role not in ("system", "developer")), 0)
    rows = tuple(int(at) + leading for at in np.flatnonzero(packing.chosen.history.kept))
    after = packing.ledger.after_tokens[packing.ledger.section == 5].sum()
    frames = packing.ledger.frame_tokens[packing.ledger.section == 5].sum()
    return rows, int(after + frames), packing.chosen.history.limit_tokens


@pytest.mark.parametrize("model", ["gpt-4o", "gpt-5", "claude-opus-4-6", "gemini-2.5-pro"])
@given(
    conversation=conversations() | conversations(valid=False),
    budget=st.integers(0, 400),
    query=st.none() | st.just("And now?"),
    stretch=st.integers(1, 5),
)
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=examples(60))
def test_the_answer_is_that_of_a_packing(
    model: str, conversation: Conversation, budget: int, query: str | None, stretch: int
) -> None:
    config = config_of(budget, model=model)
    systems = [at for at, one in enumerate(conversation.messages) if one.role in ("system", "developer")]
    with mock.patch("budgeteer.engine.analysis.newest_kept._STRETCH", stretch):
        found = newest_kept(conversation, config, counter=COUNTER, query=query, systems=systems)
    assert (found.rows, found.tokens, found.limit_tokens) == packed_rows(conversation, config, query)


def long_talk(turns: int) -> Conversation:
    messages: list[Message] = [system()]
    for turn in range(turns):
        messages += [user(f"Question {turn}?"), assistant("", f"c{turn}"), result(f"c{turn}"), assistant("So it is.")]
    return talk(*messages, user("And?"))


class Watched(Sequence[Message]):
    """The messages, and which of them were looked at."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self.messages = messages
        self.seen: set[int] = set()

    def __len__(self) -> int:
        return len(self.messages)

    @overload
    def __getitem__(self, index: int) -> Message: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Message]: ...
    def __getitem__(self, index: int | slice) -> Message | Sequence[Message]:
        self.seen.update(range(len(self.messages))[index] if isinstance(index, slice) else [index])
        return self.messages[index]


def test_what_is_older_than_is_kept_is_not_looked_at() -> None:
    conversation = long_talk(2000)
    watched = Watched(conversation.messages)
    found = newest_kept(replace(conversation, messages=watched), config_of(2000), counter=COUNTER)
    assert 0 < len(found.rows) <= found.counted < len(found.rows) + 200
    assert len(watched.seen) <= found.counted + 5


def test_a_system_text_further_up_is_kept_where_it_is_named() -> None:
    conversation = long_talk(500)
    messages = list(conversation.messages)
    messages[5] = replace(messages[5], role="developer", parts=(TextPart("Mind the gap."),))
    conversation = replace(conversation, messages=tuple(messages))
    found = newest_kept(conversation, config_of(900), counter=COUNTER, systems=[5])
    assert found.rows[0] == 5
    assert (found.rows, found.tokens, found.limit_tokens) == packed_rows(conversation, config_of(900), None)


@pytest.mark.parametrize(
    ("more", "where"),
    [
        ({"history": {"strategy": "full"}}, "history.strategy"),
        ({"pruning": {"mode": "auto"}}, "pruning.mode"),
        ({"pins": ["message:m3"]}, "pins"),
    ],
)
def test_what_needs_the_whole_conversation_is_refused(more: dict[str, Any], where: str) -> None:
    config = load_config({"history": {"strategy": "newestFirst"}, **more})
    with pytest.raises(ConfigError, match="newestFirst") as refused:
        newest_kept(long_talk(2), config, counter=COUNTER)
    assert refused.value.where == where


def test_limited_tools_of_its_own_are_refused() -> None:
    conversation = replace(long_talk(2), tools=({"name": "run", "input_schema": {"type": "object"}},))
    with pytest.raises(ConfigError, match="newestFirst"):
        newest_kept(conversation, config_of(500, skillsBudget={"enabled": True}), counter=COUNTER)
    assert newest_kept(conversation, config_of(500), counter=COUNTER).rows
