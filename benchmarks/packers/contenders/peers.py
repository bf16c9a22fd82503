"""Other packers over the same conversation, each with the settings that suit it best, and bare tokenizers.

Each is given its own message types ready-made; only its trimming is timed. All count with o200k_base.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.inputs import workloads
from benchmarks.inputs.workloads import Said
from benchmarks.packers import oracle, tokenizer
from benchmarks.packers.oracle import MESSAGE_TOKENS, REPLY_TOKENS, Costs
from benchmarks.packers.race import Contender, Work

LANGCHAIN = "langchain-core"
LITELLM = "litellm"
LLAMA_INDEX = "llama-index"
TIKTOKEN = "tiktoken alone"
FAST = "toktok alone"

#: The distributions whose versions stand beside the figures.
DISTRIBUTIONS = ("langchain-core", "litellm", "llama-index-core", "tiktoken", "toktok-rs")


@dataclass(frozen=True, slots=True)
class Trimmed:
    """Which messages a peer kept, by their places, and how many of them it wrote anew."""

    kept: Sequence[int]
    rewritten: int = 0


def trimmers(costs: Costs, budget_tokens: int) -> list[Contender]:
    """Every peer over one conversation; call number n is given n tokens less."""
    size = len(costs.messages)

    def faults(trimmed: Trimmed) -> list[str]:
        found = oracle.faults(costs, budget_tokens, trimmed.kept)
        if trimmed.rewritten:
            found.append(f"rewrites {trimmed.rewritten:,} {'message' if trimmed.rewritten == 1 else 'messages'}")
        return found

    def contender(name: str, prepare: Callable[[Costs], Callable[[int], Trimmed]]) -> Contender:
        def prepared() -> Work:
            trim = prepare(costs)
            return lambda turn: trim(budget_tokens - turn)

        return Contender(name, size, prepared, faults, is_peer=True)

    return [contender(LANGCHAIN, langchain), contender(LITELLM, litellm), contender(LLAMA_INDEX, llama_index)]


def langchain(costs: Costs) -> Callable[[int], Trimmed]:
    """`trim_messages` with the exact counter of its how-to, over the whole list, and the calls.

    `start_on` names both roles that may follow the system text: so it may keep the most without a result that lost
    its call. The reply's tokens are taken off the budget, since the counter is also asked about the system text alone.
    """
    from langchain_core.messages import trim_messages

    messages = langchain_messages(costs.messages)
    tokenizer.count("loads the vocabulary")

    def trim(budget_tokens: int) -> Trimmed:
        kept = trim_messages(
            messages,
            max_tokens=budget_tokens - REPLY_TOKENS,
            strategy="last",
            token_counter=_langchain_tokens,
            start_on=("human", "ai"),
            include_system=True,
            allow_partial=False,
        )
        return Trimmed([int(message.id or 0) for message in kept])

    return trim


_LANGCHAIN_ROLES = {"system": "system", "human": "user", "ai": "assistant", "tool": "tool"}


def _langchain_tokens(messages: Any) -> int:
    count, total = tokenizer.count, 0
    for message in messages:
        total += MESSAGE_TOKENS + count(_LANGCHAIN_ROLES[message.type]) + count(message.content)
        for call in getattr(message, "tool_calls", ()):
            total += count(call["name"]) + count(json.dumps(call["args"]))
    return total


def langchain_messages(messages: Sequence[Said]) -> list[Any]:
    """The conversation in its types; the id is the place."""
    from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage

    made: list[Any] = []
    for place, said in enumerate(messages):
        match said.role:
            case "system":
                made.append(SystemMessage(said.text, id=str(place)))
            case "user":
                made.append(HumanMessage(said.text, id=str(place)))
            case "tool":
                made.append(ToolMessage(said.text, tool_call_id=said.answers, id=str(place)))
            case _:
                calls = [
                    {"name": call.name, "args": json.loads(call.arguments), "id": call.id, "type": "tool_call"}
                    for call in said.calls
                ]
                made.append(AIMessage(said.text, tool_calls=calls, id=str(place)))
    return made


def litellm(costs: Costs) -> Callable[[int], Trimmed]:
    """`trim_messages` for gpt-4o. A call's content is "" and not null, with which it fails; a key tells the place."""
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    from litellm import utils

    utils.token_counter(model="gpt-4o", text="loads the vocabulary")
    messages = [{**_chat_message(said), "place": place} for place, said in enumerate(costs.messages)]

    def trim(budget_tokens: int) -> Trimmed:
        kept = utils.trim_messages(messages, model="gpt-4o", max_tokens=budget_tokens)
        places = [int(message.get("place", 0)) for message in kept]  # the system text is written anew, without it
        new = sum(message["content"] != costs.messages[place].text for message, place in zip(kept, places, strict=True))
        return Trimmed(places, new)

    return trim


def _chat_message(said: Said) -> dict[str, Any]:
    message: dict[str, Any] = {"role": said.role, "content": said.text}
    if said.calls:
        message["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in said.calls
        ]
    if said.answers:
        message["tool_call_id"] = said.answers
    return message


def llama_index(costs: Costs) -> Callable[[int], Trimmed]:
    """`ChatMemoryBuffer`; the system text is given apart, as its chat engines do, by its tokens."""
    os.environ.setdefault("NLTK_DATA", tempfile.gettempdir())  # it would look for one in the home folder
    from llama_index.core.base.llms.types import ChatMessage, MessageRole, TextBlock, ToolCallBlock
    from llama_index.core.memory import ChatMemoryBuffer

    history: list[Any] = []
    for place, said in enumerate(costs.messages[costs.system :], costs.system):
        blocks: list[Any] = [TextBlock(text=said.text)] if said.text else []
        blocks += [
            ToolCallBlock(tool_call_id=call.id, tool_name=call.name, tool_kwargs=call.arguments) for call in said.calls
        ]
        more = {"place": place, **({"tool_call_id": said.answers} if said.answers else {})}
        history.append(ChatMessage(role=MessageRole(said.role), blocks=blocks, additional_kwargs=more))
    encode, system = tokenizer.encoding().encode_ordinary, list(range(costs.system))
    before = costs.of(system)

    def trim(budget_tokens: int) -> Trimmed:
        memory.token_limit = budget_tokens
        kept = memory.get(initial_token_count=before)
        return Trimmed([*system, *(int(message.additional_kwargs["place"]) for message in kept)])

    memory = ChatMemoryBuffer.from_defaults(
        chat_history=history, token_limit=workloads.BUDGET_TOKENS, tokenizer_fn=encode
    )
    return trim


def tokenizers(costs: Costs) -> list[Contender]:
    """Every text of a conversation counted once and nothing else: what no packer with totals can be faster than."""
    texts, size = workloads.texts_of(costs.messages), len(costs.messages)

    def faults(tokens: int) -> list[str]:
        right = sum(map(tokenizer.count, texts))
        return [] if tokens == right else [f"counts {tokens:,} in place of {right:,}"]

    def reference() -> Work:
        encode = tokenizer.encoding().encode_ordinary
        encode("loads the vocabulary")
        return lambda _turn: sum(len(encode(text)) for text in texts)

    def fast() -> Work:
        import toktok

        toktok.batch_count(["loads the vocabulary"], tokenizer.ENCODING)
        return lambda _turn: sum(toktok.batch_count(texts, tokenizer.ENCODING))

    return [Contender(TIKTOKEN, size, reference, faults), Contender(FAST, size, fast, faults)]
