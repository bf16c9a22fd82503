"""Mode tool: the model is given the search tool and its instructions in place of specs; their names and words."""

from __future__ import annotations

import json
from typing import Any

import pytest

from budgeteer.engine.config.schema import dump_config
from budgeteer.engine.content.library import FeatureSpec
from budgeteer.engine.packing.pack import pack_unlimited
from budgeteer.engine.packing.result import Packing
from budgeteer.engine.providers.registry import PROVIDERS
from budgeteer.engine.rendering import render_request
from budgeteer.formats.detect import import_bytes
from tests.conformance.invariants import check_everything
from tests.conformance.recount import definitions_in, texts_in
from tests.engine.packs import bundle_of, fates, packed, system, user

SPECS = [
    FeatureSpec("features/login.md", "Login", "", "# Login\n\nA session ends after an hour."),
    FeatureSpec("features/harbour.md", "Harbour", "", "# Harbour\n\nBoats are listed by length."),
]


def searching(provider: str = "openai-chat", **more: Any) -> Packing:
    config = {"features": {"mode": "tool"}, **more}
    bundle = bundle_of(system("Be brief."), user("Mend the login."), features=SPECS)
    return packed(bundle, config, provider=provider)


def names_in(request: dict[str, Any]) -> list[str]:
    found = []
    for one in definitions_in(request):
        inner = one.get("function", one)
        found += [each["name"] for each in inner.get("functionDeclarations", [inner])]
    return found


@pytest.mark.parametrize("provider", list(PROVIDERS))
def test_the_request_carries_the_tool_and_its_instructions_and_no_spec(provider: str) -> None:
    packing = searching(provider)
    check_everything(packing)
    request = dict(render_request(packing))
    said = "\n".join(filter(None, texts_in(request)))
    assert names_in(request) == ["search_features"]
    assert "Search before you begin a task" in said
    assert "Be brief." in said
    assert "A session ends after an hour." not in said
    assert fates(packing)["feature:features/login.md"] == "dropped"
    assert {key for key, fate in fates(packing).items() if fate == "added"} == {
        "tool:search_features",
        "system:search_features",
    }


def test_a_spec_behind_the_tool_says_so_and_a_pinned_one_is_sent_whole() -> None:
    packing = searching(pins=["feature:features/harbour.md"])
    check_everything(packing)
    reasons = {one.id: one for one in packing.ledger}
    assert reasons["feature:features/login.md"].sentence == (
        "Not sent: under mode tool the model finds it with the search tool."
    )
    assert reasons["feature:features/login.md"].counterfactual == "In full under features.mode all."
    assert reasons["feature:features/harbour.md"].fate == "kept"
    assert reasons["feature:features/harbour.md"].rule == "pin"
    assert reasons["tool:search_features"].rule == "features.mode"
    assert "Boats are listed by length." in "\n".join(filter(None, texts_in(render_request(packing))))


def test_no_limit_drops_the_tool_and_before_holds_every_spec_without_it() -> None:
    budget = {"enabled": True, "limits": {"maxToolDefinitionChars": 0}}
    packing = searching(skillsBudget=budget, tools={"leaveOut": ["search_features"]})
    assert names_in(dict(render_request(packing))) == ["search_features"]
    before = pack_unlimited(packing)
    assert "tool:search_features" not in fates(before)
    assert set(fates(before).values()) == {"kept"}


@pytest.mark.parametrize("mode", ["off", "auto"])
def test_names_and_words_are_those_of_the_configuration(mode: str) -> None:
    texts = {
        "searchToolName": "naide_searchFeatures",
        "searchTool": "Find specs with {tool}.",
        "searchInstructions": "Call {tool} first. {keep}",
        "compressToolName": "shrink",
        "compressAuto": "Use {tool} now and then.",
    }
    packing = searching(texts=texts, pruning={"mode": mode})
    check_everything(packing)
    request = dict(render_request(packing))
    said = "\n".join(filter(None, texts_in(request)))
    assert names_in(request) == ["naide_searchFeatures", "shrink"][: 1 if mode == "off" else 2]
    assert request["tools"][0]["function"]["description"] == "Find specs with naide_searchFeatures."
    assert "Call naide_searchFeatures first. {keep}" in said
    assert ("Use shrink now and then." in said) is (mode == "auto")
    assert "compress" not in said


def test_switching_modes_with_pruning_on_never_brings_the_tool_along() -> None:
    bundle = bundle_of(user("Mend the login."), features=SPECS)
    for _ in range(2):
        with_tool = packed(bundle, {"features": {"mode": "tool"}, "pruning": {"mode": "auto"}})
        without = packed(bundle, {"features": {"mode": "all"}, "pruning": {"mode": "auto"}})
        assert "tool:search_features" in fates(with_tool)
        assert "tool:search_features" not in fates(without)


def test_without_specs_there_is_nothing_to_search() -> None:
    packing = packed(bundle_of(user("Hello")), {"features": {"mode": "tool"}})
    assert set(fates(packing)) == {"message:m1"}


def test_packing_the_packed_request_adds_no_second_tool() -> None:
    packing = searching()
    body = json.dumps(render_request(packing)).encode()
    talk = import_bytes(body, name="request.json").conversations[0]
    again = packed(
        bundle_of(*talk.messages, tools=packing.fitted_bundle.tools, features=SPECS), dump_config(packing.config)
    )
    assert again.total == packing.total
    assert [key for key, fate in fates(again).items() if fate == "added"] == []
    # Without the specs the tool is the request's own, and no limit drops it in this mode.
    tight = {"enabled": True, "limits": {"maxToolDefinitionChars": 0}}
    alone = packed(
        bundle_of(*talk.messages, tools=packing.fitted_bundle.tools),
        {"features": {"mode": "tool"}, "skillsBudget": tight},
    )
    assert fates(alone)["tool:search_features"] == "kept"
