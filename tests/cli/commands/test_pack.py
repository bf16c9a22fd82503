"""`budgeteer pack`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from budgeteer.cli.commands.pack import REQUESTS
from budgeteer.engine.providers.registry import PROVIDERS
from budgeteer.engine.rendering import REQUEST_FORMS
from budgeteer.formats.detect import import_bytes
from tests.cli.conftest import MESSAGES, Budgeteer
from tests.conformance.recount import recount

SHAPE = {
    "fits": bool,
    "error": type(None),
    "model": str,
    "tokenizer": str,
    "kind": str,
    "window": int,
    "outputReserve": int,
    "inputBudget": int,
    "safetyMarginPercent": int,
    "total": {"tokens": int, "chars": int},
    "unknown": list,
    "reported": {"tokens": type(None), "inFile": type(None), "notInFile": type(None), "otherModel": type(None)},
    "cost": {"currency": str, "uncached": float, "cached": float, "priceDate": str},
    "sections": [
        {
            "name": str,
            "limitTokens": (int, type(None)),
            "limitChars": (int, type(None)),
            "demand": {"items": int, "tokens": int, "chars": int},
            "after": {"items": int, "tokens": int, "chars": int},
        }
    ],
    "overhead": [{"section": str, "name": str, "tokens": int, "chars": int, "kind": str}],
    "decisions": [
        {
            "id": str,
            "section": str,
            "name": str,
            "fate": str,
            "rule": str,
            "sentence": str,
            "before": {"tokens": int, "chars": int},
            "after": {"tokens": int, "chars": int},
            "kind": str,
            "group": (str, type(None)),
            "pinned": bool,
            "counterfactual": str,
            "conditions": list,
        }
    ],
    "warnings": [
        {
            "limit": str,
            "level": str,
            "used": int,
            "allowed": int,
            "percent": float,
            "sentence": str,
            "fix": str,
            "set": dict,
        }
    ],
    "validity": [{"profile": str, "rule": str, "ok": bool, "sentence": str}],
}


def test_the_forms_named_are_those_that_are_rendered() -> None:
    assert REQUESTS == REQUEST_FORMS


def has_shape(value: Any, shape: Any) -> bool:
    """Whether `value` has every key of `shape`, each of its type; more keys may stand beside them."""
    if isinstance(shape, dict):
        return isinstance(value, dict) and all(key in value and has_shape(value[key], shape[key]) for key in shape)
    if isinstance(shape, list):
        return isinstance(value, list) and len(value) > 0 and all(has_shape(one, shape[0]) for one in value)
    return isinstance(value, shape)


@pytest.fixture
def everything(
    chat_file: Path, skills_folder: Path, tools_file: Path, features_folder: Path, tmp_path: Path
) -> list[str]:
    """One of each source, with limits that leave something out."""
    spec = tmp_path / "spec.md"
    spec.write_text("Ferries are blue.\n", encoding="utf-8")
    context = tmp_path / "context.txt"
    context.write_text("The workspace is a harbour.", encoding="utf-8")
    return [
        *("--conversation", str(chat_file)),
        *("--skills", str(skills_folder)),
        *("--tools", str(tools_file)),
        *("--features", str(features_folder)),
        *("--system", "You know every ferry."),
        *("--spec", str(spec)),
        *("--workspace-context", f"@{context}"),
        *("--query", "And on Sundays?"),
        *("--set", "skillsBudget.enabled=true"),
        *("--set", "skillsBudget.limits.maxSkillsPromptChars=900"),
    ]


def test_json_has_the_shape_of_the_contract(budgeteer: Budgeteer, everything: list[str]) -> None:
    run = budgeteer("pack", *everything, "--json")
    assert run.status == 0
    assert has_shape(json.loads(run.out), SHAPE)


def test_total_is_decisions_and_overhead_and_equals_a_recount_of_the_request(
    budgeteer: Budgeteer, everything: list[str]
) -> None:
    data = json.loads(budgeteer("pack", *everything, "--json").out)
    counted = recount(json.loads(budgeteer("pack", *everything, "--request", "openai-chat").out))
    for axis in ("tokens", "chars"):
        parts = [*(one["after"][axis] for one in data["decisions"]), *(one[axis] for one in data["overhead"])]
        assert data["total"][axis] == sum(parts)
    assert (counted.tokens, counted.chars) == (data["total"]["tokens"], data["total"]["chars"])


def test_the_request_holds_every_text_given(budgeteer: Budgeteer, everything: list[str]) -> None:
    request = json.loads(budgeteer("pack", *everything, "--request", "openai-chat").out)
    system = request["messages"][0]["content"]
    for text in ("You know every ferry.", "Ferries are blue.", "The workspace is a harbour.", "skill-00", "# Boarding"):
        assert text in system
    assert MESSAGES[0]["content"] not in system
    assert request["messages"][-1] == {"role": "user", "content": "And on Sundays?"}
    assert [one["role"] for one in request["messages"][1:-1]] == [one["role"] for one in MESSAGES[1:]]
    assert {tool["function"]["name"] for tool in request["tools"]} == {"timetable", "weather", "tides"}


def test_an_anthropic_request_is_in_its_form(budgeteer: Budgeteer, everything: list[str]) -> None:
    request = json.loads(budgeteer("pack", *everything, "--model", "claude-opus-5-5", "--request", "anthropic").out)
    assert set(request) == {"model", "max_tokens", "system", "tools", "messages"}
    assert [one["role"] for one in request["messages"]] == ["user", "assistant", "user", "assistant", "user"]


def test_a_responses_request_is_in_its_form(budgeteer: Budgeteer, everything: list[str]) -> None:
    request = json.loads(budgeteer("pack", *everything, "--request", "openai-responses").out)
    assert set(request) == {"model", "instructions", "input", "tools"}
    assert request["input"][-1] == {"role": "user", "content": "And on Sundays?"}
    kinds = [item.get("type", item.get("role")) for item in request["input"]]
    assert kinds == ["user", "function_call", "function_call_output", "assistant", "user", "user"]
    assert {tool["name"] for tool in request["tools"]} == {"timetable", "weather", "tides"}


def test_a_gemini_model_is_sent_in_its_form(budgeteer: Budgeteer, everything: list[str]) -> None:
    run = budgeteer("pack", *everything, "--model", "gemini-4-argon", "--json")
    assert json.loads(run.out)["profile"] == "gemini"
    request = json.loads(budgeteer("pack", *everything, "--model", "gemini-4-argon", "--request", "gemini").out)
    assert set(request) == {"model", "systemInstruction", "tools", "contents"}
    assert request["model"] == "models/gemini-4-argon"
    assert [turn["role"] for turn in request["contents"]] == ["user", "model", "user", "model", "user"]
    assert len(request["tools"][0]["functionDeclarations"]) == 3


def test_a_request_that_breaks_a_rule_of_its_provider_says_so_beside_it(budgeteer: Budgeteer) -> None:
    run = budgeteer("pack", "--system", "Be brief.", "--model", "claude-opus-5-5", "--request", "anthropic")
    assert json.loads(run.out)["messages"] == []
    assert "the request has no message" in run.err
    whole = budgeteer("pack", "--query", "Which?", "--model", "claude-opus-5-5", "--request", "anthropic")
    assert (whole.status, whole.err) == (0, "")


def test_the_rules_of_every_provider_are_checked(budgeteer: Budgeteer, everything: list[str]) -> None:
    checks = json.loads(budgeteer("pack", *everything, "--json").out)["validity"]
    assert list(dict.fromkeys(check["profile"] for check in checks)) == list(PROVIDERS)
    assert all(check["ok"] for check in checks)


def test_what_the_source_reported_stands_beside_what_is_counted(budgeteer: Budgeteer, tmp_path: Path) -> None:
    said = {"type": "user", "uuid": "1", "parentUuid": None, "sessionId": "s"}
    said |= {"message": {"role": "user", "content": "Which ferry goes to Skarholm?"}}
    usage = {"input_tokens": 1_000, "cache_read_input_tokens": 4_000}
    reply = {"id": "m", "role": "assistant", "content": [{"type": "text", "text": "The blue one."}], "usage": usage}
    answered = {"type": "assistant", "uuid": "2", "parentUuid": "1", "sessionId": "s", "message": reply}
    path = tmp_path / "session.jsonl"
    path.write_text(f"{json.dumps(said)}\n{json.dumps(answered)}\n")
    reported = json.loads(budgeteer("pack", "--conversation", path, "--json").out)["reported"]
    assert reported["tokens"] == 5_000 == reported["inFile"] + reported["notInFile"]
    assert 0 < reported["inFile"] < 1_000
    out = budgeteer("pack", "--conversation", path).out
    assert f"reported 5,000 input tokens for its last request; {reported['inFile']:,} are counted in this file" in out
    assert "a request, <$0.0001" in out
    assert "if all of it is cached (list prices of 20" in out


def test_text_is_for_reading(budgeteer: Budgeteer, everything: list[str]) -> None:
    run = budgeteer("pack", *everything, "--request", "text")
    assert run.status == 0
    assert "The 06:10 to Skarholm." in run.out
    assert run.out.endswith("\n")
    assert not run.out.endswith("\n\n")


def test_markdown_is_imported_as_the_messages_that_were_packed(budgeteer: Budgeteer, everything: list[str]) -> None:
    run = budgeteer("pack", *everything, "--request", "markdown")
    sent = json.loads(budgeteer("pack", *everything, "--request", "openai-chat").out)
    found = import_bytes(run.out.encode())
    (talk,) = found.conversations
    assert (run.status, found.format, found.skipped) == (0, "markdown", ())
    assert [message.role for message in talk.messages] == [message["role"] for message in sent["messages"]]
    assert list(talk.tools) == sent["tools"]


def test_the_summary_shows_verdict_sections_warnings_and_what_went(budgeteer: Budgeteer, everything: list[str]) -> None:
    run = budgeteer("pack", *everything)
    assert run.status == 0
    assert run.err == ""
    blocks = run.out.split("\n\n")
    assert re.match(
        r"Fits, with \d+ items left out by the skill limits, though ([\d,]+) tokens are free\.\n.* tokens, \1 free",
        blocks[0],
    )
    assert "gpt-4o: window 128,000, reply 4,096, prompt 123,904 tokens; counted with o200k_base (exact)." in blocks[0]
    assert blocks[1].splitlines()[0].startswith("section")
    assert blocks[1].splitlines()[-1].startswith("total")
    assert "maxSkillsPromptChars" in blocks[2]
    assert "skill:" in blocks[3]
    assert "\x1b" not in run.out


def test_what_cannot_be_made_to_fit_leaves_with_1(budgeteer: Budgeteer, chat_file: Path) -> None:
    line = ["pack", "--conversation", chat_file, "--query", "word " * 2_000, "--model", "gemma-270m"]
    summary, data, request = budgeteer(*line), budgeteer(*line, "--json"), budgeteer(*line, "--request", "openai-chat")
    assert (summary.status, data.status, request.status) == (1, 1, 1)
    error = json.loads(data.out)["error"]
    assert error["code"] == "budgetExceeded"
    assert error["section"] == "query"
    assert error["neededTokens"] > error["allowedTokens"]
    assert error["sentence"] in summary.out
    assert request.out == ""
    assert request.err == f"budgeteer: {error['sentence']}\n"


def test_a_configuration_file_gives_way_to_model_and_set(budgeteer: Budgeteer, chat_file: Path, tmp_path: Path) -> None:
    config = tmp_path / "c.json"
    config.write_text(json.dumps({"model": "gpt-4", "outputReserve": 100, "history": {"strategy": "newestFirst"}}))
    line = ["pack", "--conversation", chat_file, "--config", config, "--json"]
    assert json.loads(budgeteer(*line).out)["inputBudget"] == 8_092
    changed = budgeteer(*line, "--model", "gpt-4o", "--set", "outputReserve=28000")
    assert json.loads(changed.out)["inputBudget"] == 100_000


def test_skills_the_conversation_used_come_first(budgeteer: Budgeteer, skills_folder: Path, tmp_path: Path) -> None:
    talk = [
        {"role": "user", "content": "Use skill-07, then skill-03 and skill-07."},
        {"role": "user", "content": "skill-07"},
    ]
    chat = tmp_path / "used.json"
    chat.write_text(json.dumps(talk), encoding="utf-8")
    order = ("--set", "skillsBudget.optimization.prioritization=frequent")
    run = budgeteer(
        "pack",
        "--conversation",
        chat,
        "--skills",
        skills_folder,
        "--set",
        "skillsBudget.enabled=true",
        *order,
        "--json",
    )
    data = json.loads(run.out)
    names = [one["name"] for one in data["decisions"] if one["section"] == "skills"]
    assert names[:3] == ["skill-07", "skill-03", "skill-00"]
    assert "Skills are taken most used first (in the conversation)." in data["notes"]


def test_a_usage_file_orders_skills(budgeteer: Budgeteer, skills_folder: Path, tmp_path: Path) -> None:
    used = tmp_path / "used.json"
    used.write_text('{"skill-05": 2, "skill-09": 8, "gone": 1}', encoding="utf-8")
    order = ("--set", "skillsBudget.enabled=true", "--set", "skillsBudget.optimization.prioritization=frequent")
    run = budgeteer("pack", "--skills", skills_folder, "--usage", used, *order, "--json")
    data = json.loads(run.out)
    names = [one["name"] for one in data["decisions"] if one["section"] == "skills"]
    assert names[:3] == ["skill-09", "skill-05", "skill-00"]
    said = "Skills are taken most used first (in the usage file, in which 1 name(s) belong to no skill or tool here)."
    assert said in data["notes"]
    run = budgeteer("check", skills_folder, "--usage", used, *order)
    assert run.status == 0
    used.write_text("{}", encoding="utf-8")
    run = budgeteer("pack", "--skills", skills_folder, "--usage", used)
    assert run.status == 2
    assert f"{used}: No use of a skill or tool was found" in run.err


def test_several_conversations_need_a_choice(budgeteer: Budgeteer, chats_file: Path) -> None:
    run = budgeteer("pack", "--conversation", chats_file)
    assert run.status == 2
    assert "holds 3 conversations" in run.err
    assert len(run.err.splitlines()) == 4
    chosen = json.loads(budgeteer("pack", "--conversation", f"{chats_file}#2", "--request", "openai-chat").out)
    assert chosen["messages"][-1]["content"] == "No. 1"


def test_a_name_that_ends_like_a_choice_is_a_name(budgeteer: Budgeteer, chat_file: Path, tmp_path: Path) -> None:
    odd = tmp_path / "chat#2"
    odd.write_bytes(chat_file.read_bytes())
    assert budgeteer("pack", "--conversation", odd).status == 0


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ([], "nothing to pack"),
        (["--query", "x", "--json", "--request", "text"], "--json and --request print different things"),
        (["--query", "x", "--request", "openai"], "--request openai: there is no such provider"),
        (["--query", "x", "--chunks", "c.json"], "c.json: cannot be read"),
        (["--query", "x", "--config", "none.json"], "none.json: cannot be read"),
        (["--query", "x", "--model", "gpt-5o"], "there is no model 'gpt-5o'. Did you mean"),
        (["--query", "x", "--set", "skillsBudget.limits.maxSkillsPromtChars=1"], "maxSkillsPromptChars?"),
        (["--query", "x", "--set", "pruning.mode=on"], "pruning.mode: “on” cannot be used here"),
        (["--query", "x", "--set", "outputReserve=128000"], "leaves nothing of a window"),
        (["--query", "x", "--set", "contextWindow=999999999"], "are more than the 128,000 of gpt-4o"),
        (["--query", "@none.txt"], "none.txt: cannot be read"),
        (["--spec", "none.md"], "none.md: cannot be read"),
        (["--skills", "none.zip"], "none.zip: cannot be read"),
    ],
)
def test_bad_usage_and_bad_input_leave_with_2_and_a_sentence(
    budgeteer: Budgeteer, options: list[str], sentence: str
) -> None:
    run = budgeteer("pack", *options)
    assert run.status == 2
    assert run.out == ""
    assert run.err.startswith("budgeteer: ")
    assert sentence in run.err


def test_a_source_of_another_kind_is_named(budgeteer: Budgeteer, chat_file: Path, tools_file: Path) -> None:
    run = budgeteer("pack", "--skills", chat_file)
    assert run.status == 2
    assert f"{chat_file}: holds a conversation, not a skill library. It was read as openai-chat" in run.err
    assert "holds tool definitions, no conversation" in budgeteer("pack", "--conversation", tools_file).err


def test_a_text_file_that_is_not_utf_8_is_named(budgeteer: Budgeteer, tmp_path: Path) -> None:
    note = tmp_path / "note.txt"
    note.write_bytes(b"caf\xe9")
    assert f"{note}: is not UTF-8 text (byte 4)" in budgeteer("pack", "--query", f"@{note}").err


def test_chunks_are_packed_best_first_and_the_others_named(budgeteer: Budgeteer, tmp_path: Path) -> None:
    chunks = tmp_path / "found.jsonl"
    rows = [{"text": f"Passage {number}.", "id": f"p{number}", "score": number / 10} for number in range(4)]
    chunks.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    line = ["pack", "--chunks", chunks, "--query", "Which?"]
    data = json.loads(budgeteer(*line, "--json").out)
    fates = [(one["id"], one["fate"]) for one in data["decisions"] if one["section"] == "retrieval"]
    dropped = [("chunk:p1", "dropped"), ("chunk:p0", "dropped")]
    assert fates == [("chunk:p3", "kept"), ("chunk:p2", "kept"), *dropped]
    request = json.loads(budgeteer(*line, "--request", "openai-chat").out)
    told = "# Retrieved context\n\n[Source 1]: Passage 3.\n\n[Source 2]: Passage 2."
    assert request["messages"][0]["content"].endswith(told)
    assert recount(request).tokens == data["total"]["tokens"]


def test_before_and_after_are_compared_component_by_component(
    budgeteer: Budgeteer, chat_file: Path, tmp_path: Path
) -> None:
    (tmp_path / "specs").mkdir()
    for name in ("ferry", "crane", "quay"):
        (tmp_path / "specs" / f"{name}.md").write_text(f"# {name}\n\nAll about the {name}. " * 20)
    line = ["pack", "--conversation", chat_file, "--features", tmp_path / "specs", "--spec", chat_file]
    line += ["--set", "features.mode=search", "--set", 'features.keywords=["crane"]']
    data = json.loads(budgeteer(*line, "--json").out)
    rows = {one["name"]: one for one in data["beforeAfter"]}
    assert (rows["Feature files"]["before"]["items"], rows["Feature files"]["after"]["items"]) == (3, 1)
    assert rows["Spec files"]["before"]["where"] == "first user message"
    assert rows["Spec files"]["after"]["where"] == "system message"
    for axis in ("tokens", "chars"):
        assert sum(one["after"][axis] for one in rows.values()) == data["total"][axis]
    prepended = ["--set", "system.placement=prepended", "--set", "features.mode=all"]
    before = recount(json.loads(budgeteer(*line, *prepended, "--request", "openai-chat").out))
    assert sum(one["before"]["tokens"] for one in rows.values()) == before.tokens
    assert sum(one["before"]["chars"] for one in rows.values()) == before.chars
    assert data["featureModes"]["keywords"] == ["crane"]
    assert data["featureModes"]["search"]["tokens"] < data["featureModes"]["all"]["tokens"]
    table = budgeteer(*line, "--before-after").out
    assert "Current user message" in table
    assert f"{before.tokens:,}" in table.splitlines()[-1]


@pytest.mark.parametrize("budget", ["true", "false"])
def test_a_hidden_skill_is_shown_as_left_out_and_costs_nothing(
    budgeteer: Budgeteer, skills_folder: Path, budget: str
) -> None:
    line = ["pack", "--skills", skills_folder, "--query", "x", "--set", f"skillsBudget.enabled={budget}"]
    before = json.loads(budgeteer(*line, "--json").out)
    hidden = skills_folder / "secret"
    hidden.mkdir()
    front = "name: secret\ndescription: not for the model\ndisable-model-invocation: true"
    (hidden / "SKILL.md").write_text(f"---\n{front}\n---\nbody\n", encoding="utf-8")
    data = json.loads(budgeteer(*line, "--json").out)
    (decision,) = (one for one in data["decisions"] if one["name"] == "secret")
    assert (decision["fate"], decision["rule"]) == ("dropped", "disable-model-invocation")
    assert decision["before"] == decision["after"] == {"tokens": 0, "chars": 0}
    assert (data["total"], data["demand"]) == (before["total"], before["demand"])
    request = budgeteer(*line, "--request", "openai-chat").out
    assert "secret" not in request
    counted = recount(json.loads(request))
    assert (counted.tokens, counted.chars) == (data["total"]["tokens"], data["total"]["chars"])
    assert "1 skill is not listed to the model" in budgeteer(*line).out
    assert "disable-model-invocation" in budgeteer("check", skills_folder).out
