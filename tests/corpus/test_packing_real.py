"""Packing the real files of the corpus: invariants over every conversation, the seed's fit on every library."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from budgeteer.engine.config.schema import load_config
from budgeteer.engine.content.conversation import Conversation, Message
from budgeteer.engine.content.library import Skill
from budgeteer.engine.counting.library_measures import SkillMeasures, measure_skills
from budgeteer.engine.counting.message_measures import MessageMeasures, measure_messages
from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.engine.errors import FormatError
from budgeteer.engine.inputs.bundle import Inputs, build_bundle
from budgeteer.engine.packing.history.registry import STRATEGIES as HISTORY_STRATEGIES
from budgeteer.engine.packing.history.view import HistoryRule
from budgeteer.engine.packing.pack import pack
from budgeteer.engine.packing.result import Packing
from budgeteer.engine.packing.sections.skill_block import skill_entry, skills_block
from budgeteer.engine.packing.sections.skills import fit_skills
from budgeteer.engine.providers.capabilities import Loss
from budgeteer.engine.providers.registry import PROVIDERS
from budgeteer.formats.detect import import_bytes
from tests.conformance.counting import reference
from tests.conformance.invariants import check_everything
from tests.conformance.packing.history.seed_history import (
    NaiveMessage,
    estimate_tokens,
    truncate_history,
    truncate_messages_to_fit,
)
from tests.conformance.packing.history.test_newest_first import chars_of
from tests.conformance.packing.sections.seed_skills import NaiveLimits, NaiveSkill, fit_skills_to_budget, format_skills
from tests.conformance.recount import recount
from tests.examples import SHARE

pytestmark = pytest.mark.corpus
CORPUS = Path(os.environ["BUDGETEER_CORPUS"])
LIBRARIES = ("superpowers-skills", "ai-research-skills", "awesome-copilot-skills")
STRATEGIES = tuple(HISTORY_STRATEGIES)
#: Windows, in tokens, from far too small to ample.
WINDOWS = (1_500, 12_000, 128_000)
#: Of a file with many conversations, so many are packed: the first ones.
MOST_CONVERSATIONS = 8


def files() -> list[Path]:
    return sorted(path for path in (CORPUS / "conversations").rglob("*") if path.is_file())


@functools.cache
def conversations_of(path: Path) -> tuple[Conversation, ...]:
    """The conversations of a file; none where the format is one that is not read yet."""
    try:
        return import_bytes(path.read_bytes(), name=path.name).conversations[:MOST_CONVERSATIONS]
    except FormatError:
        return ()


@functools.cache
def measured(path: Path, number: int) -> MessageMeasures:
    return measure_messages(conversations_of(path)[number].messages, counter=counter_for("o200k_base"))


def packings(path: Path, **given: Any) -> Iterator[tuple[Conversation, Packing]]:
    counter = counter_for("o200k_base")
    config = load_config({"model": "gpt-4o", "outputReserve": 500, **given})
    for number, talk in enumerate(conversations_of(path)):
        inputs = Inputs(conversation=talk, conversation_measures=measured(path, number))
        for provider in PROVIDERS:
            bundle = build_bundle(inputs, counter=counter)
            yield talk, pack(bundle, config, counter=counter, provider=provider)


def test_the_corpus_is_read() -> None:
    read = [path for path in files() if conversations_of(path)]
    assert len(read) >= 20


def packed_by() -> list[Any]:
    """Each file with every strategy and every window, in a fifth of their pairs unless all examples are tried."""
    tried = product(enumerate(files()), enumerate(STRATEGIES), enumerate(WINDOWS))
    return [
        pytest.param(path, strategy, window, id=f"{path.name}-{strategy}-{window}")
        for (at, path), (by, strategy), (among, window) in tried
        if (at + by + among) % SHARE == 0
    ]


@pytest.mark.parametrize(("path", "strategy", "window"), packed_by())
def test_every_real_conversation_keeps_the_invariants(path: Path, strategy: str, window: int) -> None:
    for _, packing in packings(path, contextWindow=window, history={"strategy": strategy}):
        check_everything(packing)


#: Budgets in percent of what a conversation asks for.
PERCENTS = (1, 5, 10, 20, 35, 50, 65, 80, 100, 120)


@pytest.mark.parametrize("path", files(), ids=lambda path: path.name)
def test_the_last_exchange_stays_at_ten_budgets_and_more_room_never_keeps_fewer(path: Path) -> None:
    counter = counter_for("o200k_base")
    common = {"model": "gpt-4.1", "outputReserve": 0}
    settings = {"strategy": "recentExchange", "maxHistoryMessages": 5}
    for number, talk in enumerate(conversations_of(path)):
        bundle = build_bundle(Inputs(conversation=talk, conversation_measures=measured(path, number)), counter=counter)
        asked = pack(bundle, load_config(common), counter=counter, provider="openai-chat").demand.tokens
        kept: list[int] = []
        for percent in PERCENTS:
            window = min(max(asked * percent // 100, 1), 1_000_000)
            config = load_config({**common, "contextWindow": window, "history": settings})
            packing = pack(bundle, config, counter=counter, provider="openai-chat")
            check_everything(packing)
            history = packing.chosen.history
            stays = history.kept[last_exchange(packing)]
            rules = set(history.rule.tolist())
            if HistoryRule.RETRY_TASK in rules:  # no step of the exchange fits beside its prompt
                assert stays.sum() == (packing.bundle.query is None)  # a query is what was asked, behind the history
            elif HistoryRule.RETRY_WITHIN_EXCHANGE in rules:
                assert stays[0]
                assert stays[-1]
            else:
                assert stays.all()
            kept.append(int(packing.chosen.history.kept.sum()))
        assert kept == sorted(kept)


def last_exchange(packing: Packing) -> list[int]:
    """What can be sent from the last message on that somebody typed; everything where nobody did."""
    history, lost = packing.bundle.history, packing.bundle.history_measures.column("openai-chat", "loss")
    alive = [row for row in range(len(history)) if not lost[row] & int(Loss.EMPTY)]
    typed = [row for row in alive if history[row].role == "user" and history[row].typed]
    return [row for row in alive if row >= (typed[-1] if typed else 0)]


def with_the_task(body: Sequence[Message], sizes: Sequence[NaiveMessage], budget: int) -> set[int]:
    """What the seed keeps, and what asks: on purpose, for the seed may drop the last question."""
    users = [row for row, message in enumerate(body) if message.role == "user"]
    typed = [row for row in users if body[row].typed]
    task = (typed or users or [len(body) - 1])[-1]
    if users and users[-1] == len(body) - 1:
        kept = {users[-1], *truncate_messages_to_fit(sizes, budget)}
        return kept if task == users[-1] else kept | {task}
    if not users:
        return set(truncate_messages_to_fit(sizes, budget))
    others = [row for row in range(len(body)) if row != task]
    kept = truncate_messages_to_fit([sizes[row] for row in others], budget - estimate_tokens(sizes[task]))
    return {task, *(others[row] for row in kept)}


@pytest.mark.parametrize("budget", [500, 5_000, 80_000])
@pytest.mark.parametrize("path", files(), ids=lambda path: path.name)
def test_newest_first_keeps_what_the_seed_keeps_of_plain_conversations(path: Path, budget: int) -> None:
    counter = counter_for("chars/4")
    settings = {"strategy": "newestFirst", "maxTokens": budget}
    config = load_config({"model": "gemini-4-argon", "tokenizer": "chars/4", "history": settings})
    for talk in conversations_of(path):
        bundle = build_bundle(Inputs(conversation=talk), counter=counter)
        packing = pack(bundle, config, counter=counter, provider="openai-chat")
        body = [message for message in talk.messages if message.role not in ("system", "developer")]
        try:
            sizes = [NaiveMessage(message.role, chars_of(message)) for message in body]
        except AssertionError:
            continue  # images, reasoning and provider blocks are beyond the seed
        if any(one.rule.startswith("validity:") for one in packing.ledger):
            continue  # so is a transcript that ends inside a tool call
        if packing.error is not None:
            continue  # what was asked last is over the limit by itself
        kept = {body[index].id for index in with_the_task(body, sizes, budget)}
        sent = {one.id.removeprefix("message:") for one in packing.ledger if one.fate == "kept"}
        assert sent & {message.id for message in body} == kept


@pytest.mark.parametrize("max_chars", [500, 12_000, 200_000])
@pytest.mark.parametrize("path", files(), ids=lambda path: path.name)
def test_summarize_older_keeps_what_naide_keeps_of_plain_conversations(path: Path, max_chars: int) -> None:
    counter = counter_for("chars/4")
    history = {"strategy": "summarizeOlder", "maxChars": max_chars}
    config = load_config({"model": "gpt-4.1", "tokenizer": "chars/4", "history": history, "retry": {"enabled": False}})
    for talk in conversations_of(path):
        bundle = build_bundle(Inputs(conversation=talk), counter=counter)
        packing = pack(bundle, config, counter=counter, provider="openai-chat", summarise=lambda _: "s")
        if any(one.rule.startswith("validity:") for one in packing.ledger):
            continue  # beyond the seed
        try:
            sizes = [NaiveMessage(role_in(message), chars_of(message)) for message in bundle.history]
        except AssertionError:
            continue  # images, reasoning and provider blocks are too
        if any(size.role == "system" for size in sizes):
            continue
        wanted = truncate_history(sizes, max_chars)
        fit = packing.chosen.history
        assert np.flatnonzero(fit.kept).tolist() == wanted.kept
        assert fit.over is None
        assert list(fit.summary.covers if fit.summary else ()) == wanted.summarised


def role_in(message: Message) -> str:
    """Who speaks, as Naide sees it: what nobody typed is no request."""
    return message.role if message.typed else "other"


@functools.cache
def library(name: str) -> tuple[tuple[Skill, ...], SkillMeasures]:
    path = CORPUS / "skills" / f"{name}.zip"
    found = import_bytes(path.read_bytes(), name=path.name).skills
    return found, measure_skills(found, counter=counter_for("o200k_base"))


@pytest.mark.parametrize("compact", [False, True], ids=["full paths", "compact paths"])
@pytest.mark.parametrize("name", LIBRARIES)
def test_the_skills_fit_is_the_seeds_at_200_limits(name: str, *, compact: bool) -> None:
    found, measures = library(name)
    naive = [NaiveSkill(one.name, one.description, one.path, one.file_bytes) for one in found]
    counter = counter_for("o200k_base")
    whole = len(format_skills(naive, NaiveLimits()))
    for step in range(200):
        bounds = NaiveLimits(max_skills=len(found), max_chars=(whole + 400) * step // 199, compact=compact)
        budget = {
            "enabled": True,
            "limits": {"maxSkillsInPrompt": len(found), "maxSkillsPromptChars": bounds.max_chars},
            "optimization": {"compactPaths": compact},
        }
        config = load_config({"skillsBudget": budget}).skills_budget
        fit = fit_skills(found, measures, config, counter=counter)
        kept = fit_skills_to_budget(naive, bounds)
        assert [found[index].path for index in fit.order] == [skill.path for skill in kept]
        block = skills_block([skill_entry(found[index], config, short=False) for index in fit.order])
        assert block == format_skills(kept, bounds)
        assert int(fit.after_chars.sum()) + fit.wrapper.chars == len(block)
        if step % 10 == 0:
            assert int(fit.after_tokens.sum()) + fit.wrapper.tokens == reference.count(block)


def run(*arguments: object) -> Any:
    line = [sys.executable, "-m", "budgeteer.cli", *map(str, arguments)]
    return json.loads(subprocess.run(line, capture_output=True, check=True).stdout)


def test_the_shown_command_adds_up_and_equals_a_recount_of_its_request() -> None:
    command = [
        "pack",
        *("--conversation", CORPUS / "conversations/claude-code/cc-1813-lines-bash-progress-compact.jsonl"),
        *("--skills", CORPUS / "skills/awesome-copilot-skills.zip"),
        *("--tools", CORPUS / "tools/github-mcp-tools-list.json"),
        *("--model", "gpt-4o", "--set", "skillsBudget.enabled=true"),
    ]
    data = run(*command, "--json")
    counted = recount(run(*command, "--request", "openai-chat"))
    for axis in ("tokens", "chars"):
        parts = [*(one["after"][axis] for one in data["decisions"]), *(one[axis] for one in data["overhead"])]
        assert data["total"][axis] == sum(parts)
    assert counted.other == 0
    assert (counted.tokens, counted.chars) == (data["total"]["tokens"], data["total"]["chars"])
    inexpressible = [one for one in data["decisions"] if one["rule"].startswith("validity:")]
    assert len(inexpressible) > 0
    assert all(one["sentence"] for one in inexpressible)
