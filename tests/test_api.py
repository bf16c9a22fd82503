"""The public Python API, used as a user of the wheel would use it: no Django settings, no network."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import budgeteer
from budgeteer import api
from budgeteer.engine.content.conversation import Conversation
from budgeteer.engine.counting.message_measures import measure_messages
from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.engine.providers.registry import PROVIDERS
from budgeteer.samples import SAMPLES
from tests.engine.packs import talk, user

ROOT = Path(__file__).parents[1]
EXAMPLES = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "python.md").read_text(), re.DOTALL)
DATA = ROOT / "budgeteer" / "samples" / "data"

WEATHER = {"type": "object", "properties": {"city": {"type": "string"}}}
BODIES = {
    "openai-chat": {
        "model": "gpt-4o",
        "temperature": 0.2,
        "max_tokens": 500,
        "messages": [
            {"role": "system", "content": "You are a helper."},
            {"role": "user", "content": "How is the weather in Bern?"},
        ],
        "tools": [{"type": "function", "function": {"name": "weather", "parameters": WEATHER}}],
        "tool_choice": "auto",
    },
    "openai-responses": {
        "model": "gpt-4o",
        "instructions": "You are a helper.",
        "input": [{"role": "user", "content": "How is the weather in Bern?"}],
        "metadata": {"run": "1"},
    },
    "anthropic": {
        "model": "claude-sonnet-4-5",
        "max_tokens": 700,
        "system": "You are a helper.",
        "messages": [{"role": "user", "content": "How is the weather in Bern?"}],
        "stop_sequences": ["END"],
    },
    "gemini": {
        "systemInstruction": {"parts": [{"text": "You are a helper."}]},
        "contents": [{"role": "user", "parts": [{"text": "How is the weather in Bern?"}]}],
        "generationConfig": {"maxOutputTokens": 300},
    },
}


def test_the_package_exports_what_the_api_lists():
    for name in api.__all__:
        assert getattr(budgeteer, name) is getattr(api, name)
    with pytest.raises(AttributeError, match="no attribute"):
        budgeteer.nothing_of_that_name  # noqa: B018


def test_importing_the_package_loads_no_engine():
    script = "import budgeteer, sys; print(*sorted(name for name in sys.modules if name.startswith('budgeteer')))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["budgeteer"]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda text: text.splitlines()[-1][:40])
def test_each_example_of_the_documentation_runs_without_a_dashboard(example, tmp_path):
    (tmp_path / "session.jsonl").write_bytes((DATA / "agent-session.jsonl").read_bytes())
    (tmp_path / "skills.zip").write_bytes((DATA / "agent-skills.zip").read_bytes())
    (tmp_path / "tools.json").write_bytes((DATA / "agent-tools.json").read_bytes())
    script = f"{example}\nimport sys\nassert not {{'django', 'celery', 'redis'}} & set(sys.modules)"
    environment = {"PYTHONPATH": str(ROOT), "PATH": ""}
    command = [sys.executable, "-W", "error", "-c", script]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout


@pytest.mark.parametrize("provider", sorted(PROVIDERS))
def test_a_body_within_its_budget_keeps_its_keys_and_its_words(provider):
    body = BODIES[provider]
    packed = budgeteer.pack_request(body, {} if "model" in body else {"model": "gemini-2.5-pro"})
    assert packed.provider == provider
    assert set(packed.body) == set(body)
    untouched = set(body) - set(PROVIDERS[provider].request_keys)
    assert {key: packed.body[key] for key in untouched} == {key: body[key] for key in untouched}
    assert "How is the weather in Bern?" in json.dumps(packed.body)
    assert all(check["ok"] for check in packed.to_json()["validity"])


def test_the_reply_limit_of_the_body_is_the_output_reserve_unless_the_configuration_sets_one():
    assert budgeteer.pack_request(BODIES["anthropic"]).packing.output_reserve == 700
    assert budgeteer.pack_request(BODIES["anthropic"], {"outputReserve": 900}).packing.output_reserve == 900


def test_a_long_body_is_packed_into_its_budget():
    messages = [
        {"role": "user" if at % 2 == 0 else "assistant", "content": f"Message {at}: " + "word " * 200}
        for at in range(101)
    ]
    config = {"history": {"strategy": "newestFirst", "maxTokens": 2_000}}
    packed = budgeteer.pack_request({"model": "gpt-4o", "messages": messages}, config)
    kept = packed.body["messages"]
    assert 0 < len(kept) < len(messages)
    assert kept == messages[-len(kept) :]
    assert packed.tokens <= packed.packing.input_budget
    assert len(packed.to_json()["decisions"]) >= len(messages)


def test_a_body_that_cannot_fit_is_an_error_that_says_so():
    body = {"model": "gpt-4o", "messages": [{"role": "user", "content": "word " * 5_000}]}
    with pytest.raises(budgeteer.BudgetExceeded):
        budgeteer.pack_request(body, {"contextWindow": 2_000, "outputReserve": 500})


@pytest.mark.parametrize("body", [{}, {"messages": "no list"}, {"skills": []}, {"candidates": 3}])
def test_a_body_that_is_no_request_is_an_error_that_says_so(body):
    with pytest.raises(budgeteer.InputError):
        budgeteer.pack_request(body, {"model": "gpt-4o"})


def test_a_body_without_a_model_asks_for_one():
    with pytest.raises(budgeteer.InputError, match="model"):
        budgeteer.pack_request(BODIES["gemini"])


def test_a_body_for_claude_in_both_forms_is_claudes():
    body = {"model": "claude-sonnet-4-5", "max_tokens": 10, "messages": [{"role": "user", "content": "Hello"}]}
    assert budgeteer.pack_request(body).provider == "anthropic"
    assert budgeteer.pack_request(body, provider="openai-chat").provider == "openai-chat"


def test_sources_count_each_tokenizer_once():
    sources = budgeteer.load(DATA / "agent-session.jsonl", DATA / "agent-skills.zip", DATA / "agent-tools.json")
    first = budgeteer.pack(sources, {"model": "gpt-4o"})
    again = budgeteer.pack(sources, {"model": "gpt-4o", "history": {"strategy": "newestFirst"}})
    assert first.bundle is again.bundle
    assert first.total.tokens == sum(one.after.tokens for one in first.ledger) + sum(
        one.size.tokens for one in first.ledger.overhead
    )


def test_two_conversations_are_not_joined_in_silence():
    session = DATA / "agent-session.jsonl"
    with pytest.raises(budgeteer.InputError, match="both hold a conversation"):
        budgeteer.load(session, session)


def test_a_missing_file_is_an_error_that_names_it(tmp_path):
    with pytest.raises(budgeteer.FormatError, match=r"nowhere\.json"):
        budgeteer.read(tmp_path / "nowhere.json")


def test_a_growing_conversation_measures_as_all_of_its_messages_do():
    talk = budgeteer.Conversation(model="gpt-4o")
    call = {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": '{"city":"Bern"}'}}
    for message in (
        {"role": "user", "content": "How is the weather?"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": "Sunny."},
        {"role": "assistant", "content": "It is sunny."},
    ):
        talk.append(message)
    expected = measure_messages(talk.messages, counter=counter_for("o200k_base"))
    for name, column in talk.measures().to_arrays().items():
        assert column.tolist() == expected.to_arrays()[name].tolist(), name
    assert talk.pack().fits
    with pytest.raises(budgeteer.ConfigError, match="counted with"):
        talk.pack({"model": "gpt-4"})


def test_the_samples_are_there_for_the_examples():
    assert SAMPLES


def test_conversations_are_evaluated_without_being_kept() -> None:
    def conversations() -> Iterator[Conversation]:
        for number in range(600):
            yield replace(talk(user("why " * (1 + number))), id=f"c{number}")

    newest = {"model": "gpt-4o", "history": {"strategy": "newestFirst", "maxTokens": 300}}
    found = budgeteer.evaluate(conversations(), {"all": {"model": "gpt-4o"}, "newest": newest})
    assert [totals.conversations for totals in found.totals] == [600, 600]
    assert found.totals[0].largest[0].name == "c599"
    one = budgeteer.evaluate([next(conversations())], {"all": {"model": "gpt-4o"}})
    packed = budgeteer.pack(budgeteer.Sources(conversation=next(conversations())), {"model": "gpt-4o"})
    assert one.totals[0].sent.total == packed.total.tokens


def test_a_replay_simulates_the_cache_where_it_is_asked_to() -> None:
    sources = budgeteer.Sources(conversation=talk(user("Hello.")))
    assert budgeteer.replay(sources, {"model": "gpt-4.1"}).cache is None
    found = budgeteer.replay(sources, {"model": "gpt-4.1"}, cache="openai-in-memory").cache
    assert found is not None
    assert found.rules.name == "openai-in-memory"
    assert budgeteer.replay(sources, {"model": "gemma-4-31b"}, cache="").cache is None
