"""Small conversations and one way to pack them, for the tests of the engine."""

from typing import Any

from budgeteer.engine.config.schema import load_config
from budgeteer.engine.content.conversation import Conversation, Message, Part, TextPart, ToolCallPart, ToolResultPart
from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.engine.inputs.bundle import Bundle, Inputs, build_bundle
from budgeteer.engine.packing.pack import pack
from budgeteer.engine.packing.result import Packing


def system(text: str = "Be brief.") -> Message:
    return Message("system", (TextPart(text),))


def user(text: str = "Hello there.") -> Message:
    return Message("user", (TextPart(text),))


def assistant(text: str = "Good day.", *calls: str) -> Message:
    parts: list[Part] = [TextPart(text)] if text else []
    return Message("assistant", (*parts, *(ToolCallPart(call, "run", '{"n": 1}') for call in calls)))


def result(call_id: str, text: str = "done") -> Message:
    return Message("tool", (ToolResultPart(call_id, (TextPart(text),)),))


def talk(*messages: Message, **more: Any) -> Conversation:
    numbered = tuple(
        Message(m.role, m.parts, id=f"m{number}", name=m.name) for number, m in enumerate(messages, start=1)
    )
    return Conversation(id="c", title="c", messages=numbered, **more)


def bundle_of(*messages: Message, tokenizer: str = "o200k_base", **inputs: Any) -> Bundle:
    conversation = talk(*messages) if messages else None
    return build_bundle(Inputs(conversation=conversation, **inputs), counter=counter_for(tokenizer))


def packed(bundle: Bundle, config: dict[str, Any] | None = None, **how: Any) -> Packing:
    return pack(bundle, load_config(config or {}), counter=counter_for(bundle.tokenizer), **how)


def fates(packing: Packing) -> dict[str, str]:
    return {decision.id: decision.fate for decision in packing.ledger}
