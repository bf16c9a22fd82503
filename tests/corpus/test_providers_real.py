"""The real conversations of the corpus in every provider's form, at ten budgets each."""

from __future__ import annotations

from pathlib import Path

import pytest

from budgeteer.engine.config.schema import load_config
from budgeteer.engine.content.conversation import Conversation, OpaquePart
from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.engine.inputs.bundle import Inputs, build_bundle
from budgeteer.engine.packing.pack import pack
from budgeteer.engine.providers.registry import PROVIDERS
from budgeteer.engine.rendering import render_request
from tests.conformance.invariants import check_everything
from tests.conformance.rendering.test_official_types import check_types
from tests.corpus.test_packing_real import conversations_of, files, measured

pytestmark = pytest.mark.corpus
#: Budgets in percent of what the whole conversation asks for.
PERCENTS = (1, 5, 10, 20, 35, 50, 70, 90, 100, 120)
#: Of a file with many conversations, so many are packed: the first ones.
MOST_CONVERSATIONS = 3


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("path", files(), ids=lambda path: path.name)
def test_every_real_conversation_keeps_every_providers_rules_at_ten_budgets(path: Path, provider: str) -> None:
    counter = counter_for("o200k_base")
    model = {"model": "gpt-4.1", "outputReserve": 100, "history": {"strategy": "newestFirst", "maxTokens": "100%"}}
    for number, talk in enumerate(conversations_of(path)[:MOST_CONVERSATIONS]):
        inputs = Inputs(conversation=talk, conversation_measures=measured(path, number))
        bundle = build_bundle(inputs, counter=counter)
        whole = pack(bundle, load_config(model), counter=counter, provider=provider)
        for percent in PERCENTS:
            window = max(whole.demand.tokens * percent // 100, 1) + 100
            config = load_config({**model, "contextWindow": window})
            packing = pack(bundle, config, counter=counter, provider=provider)
            check_everything(packing)
        if not holds_blocks_of_its_own(talk):
            check_types(render_request(whole), provider)


def holds_blocks_of_its_own(talk: Conversation) -> bool:
    """Whether it was recorded with blocks or tools of a provider's beta, which its library's plain types lack."""
    opaque = any(isinstance(part, OpaquePart) for message in talk.messages for part in message.parts)
    return opaque or any("type" in tool and "function" not in tool for tool in talk.tools)
