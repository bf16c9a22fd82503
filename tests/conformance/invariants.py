"""What no packing may ever break, stated once and asked of every packing a test makes."""

from __future__ import annotations

from itertools import pairwise

from budgeteer.engine.analysis.packing_json import packing_to_json
from budgeteer.engine.packing.ledger import ADDED, DROPPED, SECTIONS, SUMMARISED
from budgeteer.engine.packing.result import Packing
from budgeteer.engine.rendering import render_request
from budgeteer.engine.rendering.validity import check_packing
from tests.conformance.recount import PARAMETER, recount, recount_texts
from tests.conformance.rendering.provider_rules import anthropic_faults, gemini_faults, openai_faults, responses_faults

FAULTS = {
    "openai-chat": openai_faults,
    "openai-responses": responses_faults,
    "anthropic": anthropic_faults,
    "gemini": gemini_faults,
}
#: Rules that a packing tells of and does not keep for what breaks them: no text is changed, and no tool taken out.
TOLD = ("last text", "tools differ")
#: Overhead that no text stands for: what a provider adds around texts.
FRAMES = ("message frame", "message frames", "reply priming")
#: Whose models read definitions in a way that is known, by the form in which they are sent.
MAKERS = {"openai-chat": "OpenAI", "openai-responses": "OpenAI", "anthropic": "Anthropic"}
#: System tokens that Anthropic documents to come with any tool: of models that it does not list, and by model.
TOOLS_PREAMBLE = {"anthropic": 346}
TOOLS_OF_MODEL = {
    **dict.fromkeys(("claude-opus-4-6", "claude-sonnet-4-6"), 497),
    **dict.fromkeys(("claude-opus-4-5", "claude-sonnet-4-5", "claude-haiku-4-5"), 496),
    **dict.fromkeys(("claude-opus-4-1", "claude-opus-4", "claude-sonnet-4"), 313),
    "claude-opus-4-8": 290,
    "claude-opus-4-7": 675,
    "claude-sonnet-5": 354,
    "claude-3-5-haiku": 264,
}


def check_everything(packing: Packing) -> None:
    """Every invariant that needs nothing but the packing."""
    check_sums(packing)
    check_within_budget(packing)
    check_order_and_groups(packing)
    check_rendered(packing)


def check_sums(packing: Packing) -> None:
    """Total = decisions + overhead; sections, categories, verdict and JSON agree with it."""
    data = packing_to_json(packing, validity=check_packing(packing))
    for axis in ("tokens", "chars"):
        parts = [one["after"][axis] for one in data["decisions"]] + [one[axis] for one in data["overhead"]]
        assert sum(parts) == data["total"][axis]
        assert sum(section["after"][axis] for section in data["sections"]) == data["total"][axis]
        assert sum(section["demand"][axis] for section in data["sections"]) == data["demand"][axis]
        for section in data["sections"]:
            mine = [one["after"][axis] for one in data["decisions"] if one["section"] == section["name"]]
            mine += [one[axis] for one in data["overhead"] if one["section"] == section["name"]]
            assert sum(mine) == section["after"][axis]
    verdict = packing.verdict
    assert verdict.sent_tokens == packing.total.tokens
    assert verdict.items == len(packing.ledger) - verdict.counts["added"]
    assert sum(verdict.counts.values()) == len(packing.ledger)
    assert sum(category.sent_tokens for category in packing.categories) == packing.total.tokens
    assert verdict.asked_tokens == verdict.sent_tokens + verdict.not_sent_tokens
    assert len({one["id"] for one in data["decisions"]}) == len(data["decisions"])


def check_within_budget(packing: Packing) -> None:
    """The size is within the budget less the margin, or an error says that it is not."""
    usable = packing.input_budget * (100 - packing.safety_margin_percent) // 100
    assert packing.fits == (packing.error is None)
    if packing.fits:
        assert packing.total.tokens <= usable
    else:
        assert packing.verdict.level == "cannotFit"
        assert packing.error is not None
        assert packing.error.sentence


def check_order_and_groups(packing: Packing) -> None:
    """Sections in prompt order, history in its own; what is not added was given; groups live or die together."""
    ledger, decisions = packing.ledger, tuple(packing.ledger)
    assert all(before <= after for before, after in pairwise(ledger.section.tolist()))
    history = [one for one in decisions if one.section == "history" and one.fate != "added"]
    ids = [f"message:{message.id}" for message in packing.bundle.history]
    assert [one.id for one in history] == ids
    gone = {one.id for one in history if one.fate in ("dropped", "summarised")}
    groups: dict[str, set[bool]] = {}
    for one in history:
        if one.group is not None and not one.rule.startswith("validity:"):
            groups.setdefault(one.group, set()).add(one.id in gone)
    assert all(len(fates) == 1 for fates in groups.values())
    for index in range(len(ledger)):
        fate, after = ledger.fate[index], ledger.after_tokens[index]
        if fate in (DROPPED, SUMMARISED):
            assert after == 0
        if fate == ADDED:
            assert ledger.before_tokens[index] == 0
    for one in decisions:
        assert one.sentence
        assert one.section in SECTIONS
        if one.fate == "kept":
            assert one.before == one.after, one
        if one.fate == "truncated":
            assert one.before != one.after or one.rule.startswith(("validity:", "topicAnchor"))


def check_rendered(packing: Packing) -> None:
    """What is rendered is what was counted, and keeps the provider's rules."""
    request = render_request(packing)
    if packing.provider == "openai-chat" or packing.fits:
        assert FAULTS[packing.provider](request) == []
    maker = packing.allowance.row.maker if packing.allowance.row.maker == MAKERS.get(packing.provider) else ""
    calibration = packing.allowance.calibration
    factor, parameter = (1.0, PARAMETER) if calibration is None else (calibration.per_token, calibration.per_parameter)
    counted = recount_texts(request, packing.tokenizer, maker=maker, parameter=parameter, factor=factor)
    frames = sum(entry.size.tokens for entry in packing.ledger.overhead if entry.name in FRAMES)
    of_tools = TOOLS_PREAMBLE.get(packing.provider, 0)
    if packing.provider == "anthropic":
        of_tools = TOOLS_OF_MODEL.get(packing.allowance.row.name, of_tools)
    preamble = of_tools if request.get("tools") else 0
    if not counted.other:
        assert counted.chars == packing.total.chars
    if not counted.other and packing.tokenizer != "chars/4":
        # By a factor each piece is rounded by itself: a header, a join, an item.
        pieces = len(packing.ledger) + len(packing.bundle.chunks) + len(packing.ledger.overhead) + 1
        off = abs(counted.tokens + frames + preamble - packing.total.tokens)
        assert off <= (0 if factor == 1 else 2 * pieces)
        if packing.provider == "openai-chat" and maker == "OpenAI" and calibration is None:
            assert recount(request, packing.tokenizer).tokens == packing.total.tokens
    head = packing.bundle.file_head_measures
    if packing.fits and (packing.bundle.history or packing.bundle.query or (head is not None and len(head))):
        assert [check.sentence for check in check_packing(packing) if not check.ok and check.rule not in TOLD] == []
