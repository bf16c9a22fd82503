"""Chunk sets and feature specs in a workspace: in the list, the inspector, the prompt, the form and the comparison."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable

import pytest
from django.test import Client

from budgeteer.workbench import services
from budgeteer.workbench.models import Workspace

TALK = json.dumps(
    [
        {"role": "user", "content": "Which crane stands at the quay?"},
        {"role": "assistant", "content": "The blue one."},
        {"role": "user", "content": "Tell me about the crane."},
    ]
).encode()
CHUNKS = b"id,passage,score\np1,The ferry is late.,0.2\np2,The crane lifts forty tonnes.,0.9\np3,Tide tables.,0.5\n"


def specs() -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for name in ("crane", "ferry", "tide"):
            archive.writestr(f"{name}.md", f"# The {name}\n\nEverything on the {name}.\n")
    return held.getvalue()


@pytest.fixture
def harbour(open_over: Callable[..., Workspace], run_jobs: Callable[[], None]) -> Workspace:
    files = (("talk.json", TALK), ("found.csv", CHUNKS), ("specs.zip", specs()))
    workspace = open_over(*files, delta={"features": {"mode": "search"}})
    run_jobs()
    return workspace


def test_chunks_of_a_source_are_packed_with_their_measures(harbour: Workspace) -> None:
    packing = services.packing_of(harbour)
    fates = {one.id: one.fate for one in packing.ledger if one.section == "retrieval"}
    assert fates == {"chunk:p2": "kept", "chunk:p3": "kept", "chunk:p1": "dropped"}
    assert packing.bundle.chunk_measures.chars.tolist() == [18, 29, 12]


def test_the_map_has_a_section_and_rows_for_them(client: Client, harbour: Workspace) -> None:
    html = client.get(harbour.get_absolute_url()).content.decode()
    assert "Retrieval" in html
    assert "The crane lifts forty tonnes." in html
    assert "2 of 3 fit" in html


@pytest.mark.parametrize(
    ("key", "text", "sentence"),
    [
        ("chunk:p2", "The crane lifts forty tonnes.", "Source 1"),
        ("chunk:p1", "The ferry is late.", "top K chunks is 2"),
        ("feature:crane.md", "Everything on the crane.", "in its name"),
        ("feature:tide.md", "Everything on the tide.", "It matches none of"),
    ],
)
def test_the_inspector_shows_its_text_and_why(
    client: Client, harbour: Workspace, key: str, text: str, sentence: str
) -> None:
    html = client.get(harbour.get_absolute_url(), {"sel": key}).content.decode()
    inspector = html[html.index('id="inspector"') :]
    assert text in inspector
    assert sentence in inspector


def test_the_prompt_holds_them_and_compares_before_with_after(client: Client, harbour: Workspace) -> None:
    html = client.get(harbour.get_absolute_url(), {"view": "prompt"}).content.decode()
    assert "[Source 1]: The crane lifts forty tonnes." in html
    assert "They are binding" in html
    compared = html[html.index("Before and after: ") :]
    assert "Feature files" in compared
    assert "first user message" in compared
    assert "All 3 feature specs take" in compared
    total = f"{services.packing_of(harbour).total.tokens:,}"
    assert f"{total} as packed" in compared


def test_prepended_instructions_stand_before_the_first_message(client: Client, harbour: Workspace) -> None:
    harbour.config_delta = {**harbour.config_delta, "system": {"placement": "prepended"}}
    harbour.save()
    exported = client.get(f"{harbour.get_absolute_url()}export/openai-chat/")
    first = json.loads(exported.content)["messages"][0]
    assert first["role"] == "user"
    assert first["content"].startswith("[SYSTEM INSTRUCTIONS]\n\n# Feature specifications")
    assert first["content"].endswith("\n\n---\n\nWhich crane stands at the quay?")


def test_the_form_offers_shares_and_says_when_they_are_too_many(client: Client, harbour: Workspace) -> None:
    url = harbour.get_absolute_url()
    assert "Fixed shares" in client.get(url).content.decode()
    harbour.config_delta = {"shares": {"enabled": True, "context": 0.9}}
    harbour.save()
    html = client.get(url).content.decode()
    assert "the shares add up to 1.35 of what there is" in html
