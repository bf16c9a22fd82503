"""A small frozen document with every kind of row in it; its numbers add up."""

from __future__ import annotations

from typing import Any

from budgeteer.engine.config.overlay import set_path
from budgeteer.engine.config.schema import BudgetConfig, dump_config
from budgeteer.reports.document import Document, fingerprint

#: section, letter, name, fate, rule, tokens before, tokens after
ITEMS = (
    ("system", "S", "System text", "kept", "kept", 1_500, 1_500),
    ("tools", "T", "read_file", "kept", "kept", 600, 600),
    ("tools", "T", "deploy_everything", "dropped", "maxToolDefinitionChars", 9_000, 0),
    ("skills", "K", "=cmd|' /C calc'!A1", "kept", "kept", 300, 300),
    ("skills", "K", "release-notes | secret-project", "truncated", "optimization", 400, 250),
    ("skills", "K", "zeta-skill", "dropped", "maxSkillsPromptChars", 500, 0),
    ("history", "U", "Please look at the payroll numbers of Lovelace", "summarised", "summarizeOlder", 900, 0),
    ("history", "U", "Summary of older messages", "added", "summarizeOlder", 0, 120),
    ("history", "X", "m4 README.md:61: `--ack-failures`", "kept", "kept", 4_000, 4_000),
    ("history", "A", "m5 I will now run the tests", "kept", "kept", 200, 200),
    ("query", "U", "What is next?", "kept", "kept", 20, 20),
)
OVERHEAD_TOKENS = 10


def sample_document(**changes: Any) -> Document:
    """The document; `changes` replace its top keys."""
    decisions = [_decision(number, item) for number, item in enumerate(ITEMS)]
    sent = sum(each["after"]["tokens"] for each in decisions) + OVERHEAD_TOKENS
    asked = sum(each["before"]["tokens"] for each in decisions) + OVERHEAD_TOKENS
    config = set_path(dump_config(BudgetConfig()), "skillsBudget.policies", {"zeta-skill": "off"})
    document: Document = {
        "report": {
            "version": 1,
            "application": "Budgeteer 0.1.0",
            "title": "Payroll agent, <b>July</b>",
            "content": "full",
            "createdAt": "2026-01-02T03:04:05+00:00",
        },
        "inputs": [
            {
                "name": "payroll.jsonl",
                "kind": "conversation",
                "format": "claude-code",
                "sha256": "ab" * 32,
                "bytes": 123_456,
                "conversation": 0,
            }
        ],
        "model": {
            "name": "gpt-4o",
            "title": "GPT-4o",
            "provider": "OpenAI",
            "profile": "openai-chat",
            "contextWindow": 12_000,
            "maxInput": None,
            "maxOutput": 4_096,
            "tokenizer": "o200k_base",
            "tokenizerIsStandIn": False,
            "inputPrice": 2.5,
            "cachedInputPrice": 1.25,
            "outputPrice": 10.0,
            "source": "a page",
            "priceDate": "2026-01-01",
        },
        "preset": {"slug": "agent-default", "version": 1},
        "config": config,
        "configSha256": fingerprint(config),
        "bar": {
            "shares": [
                {"letter": "S", "name": "System", "sent": 1_510, "notSent": 0},
                {"letter": "T", "name": "Tools", "sent": 600, "notSent": 9_000},
                {"letter": "K", "name": "Skills", "sent": 550, "notSent": 650},
                {"letter": "U", "name": "User", "sent": 140, "notSent": 780},
                {"letter": "A", "name": "Assistant", "sent": 200, "notSent": 0},
                {"letter": "X", "name": "Tool results", "sent": 4_000, "notSent": 0},
            ],
            "window": 12_000,
            "inputBudget": 11_000,
            "limit": 11_000,
            "reserve": 1_000,
            "thresholdPercent": 80.0,
        },
        "packing": _packing(decisions, asked=asked, sent=sent),
        "prompt": [
            {"id": "system", "role": "system", "fate": "kept", "text": "You are a payroll agent."},
            {"id": None, "role": "system", "fate": "dropped", "text": "1 tool left out"},
            {"id": "i6", "role": "user", "fate": "kept", "text": "What is next?"},
        ],
    }
    return {**document, **changes}


def _decision(number: int, item: tuple[str, str, str, str, str, int, int]) -> dict[str, Any]:
    section, letter, name, fate, rule, before, after = item
    return {
        "id": f"{section}:{name}",
        "section": section,
        "category": letter,
        "name": name,
        "fate": fate,
        "rule": rule,
        "sentence": "Fits." if fate == "kept" else f"{name} went because of {rule}.",
        "before": {"tokens": before, "chars": before * 4},
        "after": {"tokens": after, "chars": after * 4},
        "kind": "exact",
        "group": "g-payroll" if number in {6, 9} else None,
        "pinned": number == 0,
        "counterfactual": "" if fate == "kept" else f"{name} is kept if the limit were 99.",
    }


def _packing(decisions: list[dict[str, Any]], *, asked: int, sent: int) -> dict[str, Any]:
    return {
        "fits": True,
        "error": None,
        "model": "gpt-4o",
        "tokenizer": "o200k_base",
        "kind": "exact",
        "window": 12_000,
        "outputReserve": 1_000,
        "inputBudget": 11_000,
        "safetyMarginPercent": 0,
        "verdict": {
            "level": "over",
            "sentence": "Over by 6,430 tokens; 2 of 10 items dropped",
            "askedTokens": asked,
            "sentTokens": sent,
            "freeTokens": 11_000 - sent,
            "overTokens": asked - 11_000,
            "notSentTokens": asked - sent,
            "limitTokens": 11_000,
            "counts": {"kept": 6, "truncated": 1, "summarised": 1, "dropped": 2, "added": 1},
            "items": 10,
        },
        "total": {"tokens": sent, "chars": sent * 4},
        "unknown": [{"id": "system:System text", "what": "audio"}],
        "reported": {"tokens": None, "notInFile": None, "otherModel": None},
        "cost": {"currency": "USD", "uncached": 0.0175, "cached": 0.00875, "priceDate": "2026-01-01"},
        "sections": [_section(name, decisions) for name in ("system", "tools", "skills", "history", "query")],
        "overhead": [
            {"section": "system", "name": "message frames", "tokens": OVERHEAD_TOKENS, "chars": 0, "kind": "exact"}
        ],
        "decisions": decisions,
        "warnings": [
            {
                "limit": "maxToolDefinitionChars",
                "level": "exceeded",
                "used": 9_600,
                "allowed": 1_000,
                "percent": 960.0,
                "sentence": "Tool definitions take 9,600 of 1,000 characters.",
                "fix": "Leave out deploy_everything.",
            }
        ],
        "notes": ["Skills are taken by name, so zeta-skill is last."],
        "validity": [
            {"profile": "openai-chat", "rule": "every call answered", "ok": True, "sentence": "All calls are answered."}
        ],
    }


def _section(name: str, decisions: list[dict[str, Any]]) -> dict[str, Any]:
    mine = [each for each in decisions if each["section"] == name]
    overhead = OVERHEAD_TOKENS if name == "system" else 0
    sizes = {}
    for side, key in (("demand", "before"), ("after", "after")):
        tokens = sum(each[key]["tokens"] for each in mine) + overhead
        sizes[side] = {"items": sum(bool(each[key]["tokens"]) for each in mine), "tokens": tokens, "chars": tokens * 4}
    return {"name": name, "limitTokens": None, "limitChars": 30_000 if name == "skills" else None, **sizes}
