from __future__ import annotations

import html
import json

import pytest
from django.test import Client

from budgeteer.engine.rendering import render_markdown, render_text
from budgeteer.engine.rendering.sent_content import sent_messages
from budgeteer.formats.detect import import_bytes
from budgeteer.workbench import services
from budgeteer.workbench.config_form import undo_steps
from budgeteer.workbench.models import Workspace


def test_the_decisions_are_those_of_the_packing(client: Client, session: Workspace) -> None:
    response = client.get(f"{session.get_absolute_url()}export/packing/")
    data = json.loads(response.content)
    assert response["Content-Disposition"].endswith('filename="agent-session-and-2-more.packing.json"')
    assert data["total"]["tokens"] == services.packing_of(session).total.tokens
    sizes = [entry["after"]["tokens"] for entry in data["decisions"]] + [entry["tokens"] for entry in data["overhead"]]
    assert data["total"]["tokens"] == sum(sizes)


@pytest.mark.parametrize(
    ("form", "said", "system"),
    [
        ("openai-chat", "messages", None),
        ("openai-responses", "input", "instructions"),
        ("anthropic", "messages", "system"),
        ("gemini", "contents", "systemInstruction"),
    ],
)
def test_a_request_is_in_its_providers_form(
    client: Client, session: Workspace, form: str, said: str, system: str | None
) -> None:
    data = json.loads(client.get(f"{session.get_absolute_url()}export/{form}/").content)
    assert data[said]
    assert {"instructions", "system", "systemInstruction"} & set(data) == ({system} if system else set())
    assert f"export/{form}/" in client.get(session.get_absolute_url()).content.decode()


@pytest.mark.parametrize(
    ("form", "model", "named"),
    [
        ("anthropic", "claude-sonnet-4-5", "claude-sonnet-4-5"),
        ("gemini", "gemini-2.5-pro", "models/gemini-2.5-pro"),
        ("openai-responses", "gpt-4.1", "gpt-4.1"),
    ],
)
def test_a_request_names_the_model_it_is_asked_for_and_is_else_the_same(
    client: Client, session: Workspace, form: str, model: str, named: str
) -> None:
    url = f"{session.get_absolute_url()}export/{form}/"
    data, plain = (json.loads(client.get(f"{url}{query}").content) for query in (f"?model={model}", ""))
    assert data.pop("model") == named
    assert "gpt-4o" in plain.pop("model")
    assert data == plain


@pytest.mark.parametrize("query", ["anthropic/?model=gpt-4.1", "gemini/?model=nothing", "text/?model=gpt-4.1"])
def test_a_model_that_the_form_does_not_have_is_not_named(client: Client, session: Workspace, query: str) -> None:
    assert client.get(f"{session.get_absolute_url()}export/{query}").status_code == 404


def test_the_menu_offers_for_other_providers_their_own_models(client: Client, session: Workspace) -> None:
    html = client.get(session.get_absolute_url()).content.decode()
    menu = html[html.index("For another provider") : html.index("The numbers and the configuration")]
    assert "<option>claude-sonnet-4-5</option>" in menu
    assert "<option>gpt-4o</option>" not in menu


def test_the_text_is_plain(client: Client, session: Workspace) -> None:
    response = client.get(f"{session.get_absolute_url()}export/text/")
    assert response["Content-Type"] == "text/plain; charset=utf-8"
    assert "=== system ===" in response.content.decode()


def test_the_markdown_is_read_back_as_what_was_packed(client: Client, session: Workspace) -> None:
    response = client.get(f"{session.get_absolute_url()}export/markdown/")
    assert response["Content-Disposition"].endswith('filename="agent-session-and-2-more.prompt.md"')
    packing = services.packing_of(session)
    assert response.content.decode() == render_markdown(packing)
    (chat,) = import_bytes(response.content).conversations
    assert [message.parts for message in chat.messages if message.role != "system"] == [
        message.parts for message in sent_messages(packing) if message.role != "system"
    ]
    page = client.get(session.get_absolute_url()).content.decode()
    assert f'href="{session.get_absolute_url()}export/markdown/"' in page


def test_the_configuration_can_be_pasted_back(client: Client, session: Workspace) -> None:
    url = session.get_absolute_url()
    client.post(f"{url}config/", {"config.outputReserve": "9000"})
    whole = client.get(f"{url}export/config/").content.decode()
    assert json.loads(client.get(f"{url}export/delta/").content) == {"outputReserve": 9_000}
    client.post(f"{url}undo/")
    client.post(f"{url}config/paste/", {"config": whole})
    assert client.get(f"{url}export/config/").content.decode() == whole


def test_the_skills_budget_has_the_shape_of_its_seed(client: Client, session: Workspace) -> None:
    data = json.loads(client.get(f"{session.get_absolute_url()}export/skills-budget/").content)["skillsBudget"]
    assert list(data) == ["enabled", "limits", "optimization", "warnings"]
    assert "maxSkillsPromptTokens" not in data["limits"]


def test_what_is_not_offered_is_not_found(client: Client, session: Workspace) -> None:
    assert client.get(f"{session.get_absolute_url()}export/nothing/").status_code == 404


def test_an_empty_workspace_has_no_prompt_to_give(client: Client, owner) -> None:
    workspace = services.open_with_sources(owner, [])
    response = client.get(f"{workspace.get_absolute_url()}export/text/", follow=True)
    assert "There is no packed prompt yet." in response.content.decode()


def test_what_tuning_gave_is_one_file(client: Client, library: Workspace) -> None:
    undo_steps.commit(library, {"skillsBudget": {"enabled": True, "optimization": {"minifyDescriptions": True}}})
    packing = services.packing_of(library)
    kept = [one for one in packing.ledger if one.fate in {"kept", "truncated"}]
    undo_steps.write_edit(library, kept[0].id, "In order to see the harbour,   look at it.")
    data = json.loads(client.get(f"{library.get_absolute_url()}export/tuning/").content)
    assert [one["id"] for one in data["kept"]][:5] == [one.id for one in kept][:5]
    assert data["edits"] == {kept[0].id: "In order to see the harbour,   look at it."}
    assert data["skillsBudget"]["optimization"]["minifyDescriptions"] is True
    sent = render_text(services.packing_of(library))
    assert data["shortened"]
    assert all(html.escape(one["description"], quote=False) in sent for one in data["shortened"])
    undo_steps.commit(library, {})
    assert json.loads(client.get(f"{library.get_absolute_url()}export/tuning/").content)["shortened"] == []
