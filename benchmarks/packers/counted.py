"""A conversation and a list of entries that were counted once, and what of them fits: the harness's questions.

The entries are texts of any form whose sizes add up (each ends with a line end); the engine's own fit is given their
sizes in the place of its own pieces.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from benchmarks.inputs.workloads import Call, Said
from benchmarks.packers.contenders import ours
from budgeteer.engine.analysis.newest_kept import newest_kept
from budgeteer.engine.analysis.skill_prefixes import SkillPrefixes, skill_prefixes
from budgeteer.engine.analysis.sweep.probe import Subject
from budgeteer.engine.analysis.sweep.sweep import sweep_at
from budgeteer.engine.config.schema import SkillsBudgetConfig
from budgeteer.engine.content.conversation import Conversation
from budgeteer.engine.content.library import Skill
from budgeteer.engine.counting.library_measures import Ints, SkillMeasures
from budgeteer.engine.inputs.bundle import Bundle, Inputs, build_bundle
from budgeteer.engine.packing.ledger import Size
from budgeteer.engine.packing.pack import pack
from budgeteer.engine.packing.sections.skill_block import located, location_opener, wrapper_size

#: No limit but the one that is asked about.
_NO_LIMIT = ours.NO_LIMITS["maxSkillsPromptChars"]
_CONFIG = SkillsBudgetConfig(enabled=True)


def load_vocabulary() -> None:
    """So that it is not loaded in what is timed."""
    ours.counter().count("loads the vocabulary")


def conversation_of_chat(messages: Sequence[Mapping[str, Any]]) -> Conversation:
    """A conversation from OpenAI chat messages."""
    said = []
    for message in messages:
        calls = tuple(
            Call(call["id"], call["function"]["name"], call["function"]["arguments"])
            for call in message.get("tool_calls") or ()
        )
        said.append(Said(message["role"], message.get("content") or "", calls, message.get("tool_call_id", "")))
    return ours.conversation_of(said)


def systems_in(conversation: Conversation) -> list[int]:
    """The places of its system texts, which an importer knows."""
    return [at for at, message in enumerate(conversation.messages) if message.role == "system"]


def messages_within(conversation: Conversation, systems: Sequence[int], budget_tokens: int) -> list[int]:
    """The places of the messages that are kept, found from the newest on, with nothing counted before."""
    messages = conversation.messages
    config = ours.budgeted(budget_tokens)
    rows = newest_kept(conversation, config, counter=ours.counter(), systems=systems).rows
    leading = next((at for at, message in enumerate(messages) if message.role != "system"), len(messages))
    query = [len(messages) - 1] if messages[-1].role == "user" else []
    return [*range(leading), *rows, *query]


@dataclass(frozen=True, slots=True)
class Counted:
    """Everything counted.

    Attributes:
        system: how many messages lead.
        prefixes: the entries' sums, within a block of ours. sizes: each entry's own tokens.
        wrapper: what our block has around its entries. fixed: what stands around them in the list.
        in_chars: whether entries are limited in characters.
    """

    bundle: Bundle
    system: int
    prefixes: SkillPrefixes
    sizes: Ints
    wrapper: Size
    fixed: Size
    in_chars: bool

    @classmethod
    def of(cls, conversation: Conversation, entries: Sequence[str], around: Sequence[str], *, in_chars: bool) -> Self:
        """Count every message, every entry, and what stands around the entries."""
        counter = ours.counter()
        bundle = build_bundle(Inputs(conversation=conversation), counter=counter)
        chars = np.array([len(entry) for entry in entries], np.int64)
        tokens = np.zeros(len(entries), np.int64) if in_chars else np.array(counter.count_all(entries), np.int64)
        skills = tuple(Skill(str(at), "", "") for at in range(len(entries)))
        prefixes = skill_prefixes(skills, _measures(tokens, chars), _CONFIG, counter=counter)
        fixed = Size(sum(map(counter.count, around)), sum(map(len, around)))
        return cls(bundle, len(bundle.system), prefixes, tokens, wrapper_size(counter), fixed, in_chars)

    def messages_within(self, budget_tokens: int) -> list[int]:
        """The places of the messages that are kept."""
        packing = pack(self.bundle, ours.budgeted(budget_tokens), counter=ours.counter())
        return ours.kept_messages(packing, self.system)

    def skills_within(self, limit: int) -> int:
        """How many of the first entries fit, with what stands around them."""
        if self.in_chars:
            return self.prefixes.kept(max_chars=limit + self.wrapper.chars - self.fixed.chars)
        tokens = limit + self.wrapper.tokens - self.fixed.tokens
        return self.prefixes.kept(max_chars=_NO_LIMIT, max_tokens=tokens)

    def sweep(self, budgets: Sequence[int], *, share_percent: int) -> tuple[list[int], list[int]]:
        """The first kept message and the number of entries under each budget, a share of it for the entries."""
        kept = [self.skills_within(budget * share_percent // 100) for budget in budgets]
        taken = np.concatenate(([0], np.cumsum(self.sizes))) + self.fixed.tokens
        rooms = [budget - int(taken[count]) for budget, count in zip(budgets, kept, strict=True)]
        subject = Subject(self.bundle, ours.budgeted(max(rooms)), ours.counter())
        size = self.system + len(self.bundle.history) + (self.bundle.query is not None)
        return [size - answer.kept + self.system for answer in sweep_at(subject, "inputBudget", rooms)], kept


def _measures(tokens: Ints, chars: Ints) -> SkillMeasures:
    """Measures whose entries come to these sizes."""
    opener = location_opener(located("", _CONFIG)[0])
    none = np.zeros(len(tokens), np.int64)
    return SkillMeasures(
        head_tokens=tokens - ours.counter().count(opener),
        head_chars=chars - len(opener),
        description_tokens=none,
        description_chars=none,
        minified_tokens=none,
        minified_chars=none,
        tail_tokens=none,
        tail_chars=none,
        body_tokens=none,
        body_chars=none,
        file_bytes=none,
    )
