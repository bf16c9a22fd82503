"""Reports of numbers only, over workspaces whose every input holds a marker word, at every address they have."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.core.files.base import File

from budgeteer.engine.packing.history.registry import STRATEGIES
from budgeteer.reports import services
from budgeteer.reports.document import dump, pack_bytes
from budgeteer.reports.models import Report
from budgeteer.reports.vocabulary import OTHER
from budgeteer.sources import services as sources
from budgeteer.workbench import services as workbench
from budgeteer.workbench.config_form.editable import EditableConfig
from budgeteer.workbench.preview import preview
from tests.formats.shapes import call, dumps, skill, zipped
from tests.reports.documents import sample_document
from tests.reports.pdfs import told_by
from tests.reports.test_tasks import work_off_jobs

pytestmark = pytest.mark.django_db(transaction=True)

MARK = "quxmark"
ADDRESSES = (
    *("", "?fate=dropped", "embed/", "report.html", "picture.png"),
    *("report.json", "report.csv", "report.md", "report.pdf"),
)
ANSWER = {"role": "tool", "tool_call_id": f"{MARK}-call", "content": f"{MARK} result " * 40}
TALK = {
    "model": f"{MARK}/gpt-4o",
    "messages": [
        {"role": "system", "content": f"{MARK} rules", "name": f"{MARK}_system"},
        {"role": "user", "content": f"{MARK} first words", "name": f"{MARK}_ada"},
        {"role": "assistant", "content": None, "tool_calls": [call(f"{MARK}-call", f"{MARK}_tool", f'{{"{MARK}":1}}')]},
        ANSWER,
        {"role": "assistant", "content": f"{MARK} answer"},
        {"role": "user", "content": [{"type": f"{MARK}_part", "text": MARK}, {"type": "text", "text": f"{MARK} more"}]},
        {"role": "assistant", "content": f"{MARK} second answer"},
        {"role": "user", "content": [{"type": "file", "file": {"file_id": MARK, "filename": f"{MARK}.pdf"}}]},
        {"role": "assistant", "content": f"{MARK} third answer"},
        {"role": "user", "content": f"Write a {MARK} letter about the {MARK}harbour please"},
    ],
}
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": f"{MARK}_{number}",
            "description": f"{MARK} described",
            "parameters": {"type": "object", "properties": {MARK: {"type": "string", "description": MARK}}},
        },
    }
    for number in range(3)
]
CHUNKS = [{"text": f"{MARK} passage {n}", "score": 0.9 - n / 10, "id": f"{MARK}{n}", "source": MARK} for n in range(3)]
FILES = (
    (f"{MARK}-talk.json", dumps(TALK)),
    (f"{MARK}-tools.json", dumps(TOOLS)),
    (
        f"{MARK}-skills.zip",
        zipped({f"{MARK}/{MARK}-{n}/SKILL.md": skill(f"{MARK}-{n}", f"{MARK} told " * 9) for n in range(4)}),
    ),
    (f"{MARK}-specs.zip", zipped({f"{MARK}/{MARK}{n}.md": f"# {MARK} {n}\n\n{MARK}harbour\n" for n in range(3)})),
    (f"{MARK}-chunks.json", dumps(CHUNKS)),
    (f"{MARK}-note.txt", f"{MARK} specification".encode()),
)
WORDED: dict[str, Any] = {
    "system": {"marker": f"[{MARK}]"},
    "skillsBudget": {
        "enabled": True,
        "installRoot": f"/home/{MARK}",
        "policies": {f"{MARK}-0": "off", f"{MARK}-1": "pinned"},
    },
    "features": {"excludedFolders": [MARK]},
    "pruning": {"protectedTools": [f"{MARK}*"]},
    "pins": [f"tool:{MARK}_0"],
}
#: Every strategy leaves something out within these.
TIGHT = {"maxTokens": 60, "maxChars": 400, "keepUserTurns": 1, "maxHistoryMessages": 1}
CONFIGURATIONS: dict[str, dict[str, Any]] = {
    "words of the query": {"features": {"mode": "search"}},
    "keywords of its own": {"features": {"mode": "search", "keywords": [MARK], "topK": 1}},
    **{name: {"model": f"{MARK}/gpt-4o", "history": {"strategy": name, **TIGHT}} for name in STRATEGIES},
    "tight": {"skillsBudget": {"limits": {"maxSkillFileBytes": 10, "maxToolDefinitionChars": 9}}},
    "another provider": {"model": "claude-sonnet-4-5", "shares": {"enabled": True}},
    "cannot fit": {"contextWindow": 300, "outputReserve": 1},
    "ranges": {
        "pruning": {
            "mode": "manual",
            "ranges": [{"topic": MARK, "ranges": [{"startId": "m001", "endId": "m003", "summary": f"{MARK} summary"}]}],
        }
    },
}


@pytest.fixture
def marked(owner):
    """A workspace whose every input, name and text holds the marker word."""
    taken = [sources.receive_upload(owner, name=name, content=File(io.BytesIO(data), name)) for name, data in FILES]
    workspace = workbench.open_with_sources(owner, taken, name=f"{MARK} workspace")
    assert [job.error for job in work_off_jobs()] == [None] * len(FILES)
    texts = {field: f"{MARK} {field} text" for field in ("system", "context")}
    assert workbench.write_texts(workspace, texts) == {}
    workspace.edits = {f"skill:{MARK}-2": f"{MARK} reworded"}
    return workspace


def merged(base: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    both = dict(base)
    for key, value in more.items():
        both[key] = merged(base[key], value) if isinstance(value, dict) and isinstance(base.get(key), dict) else value
    return both


def report_of(workspace, content: str = "numbers", title: str = "") -> Report:
    order = services.PublishRequest(title, content, 7, embed_on="https://wiki.harbour.org")
    report = services.publish(workspace, order, owner=workspace.owner)
    assert [job.error for job in work_off_jobs()] == [None]
    report.refresh_from_db()
    return report


def everything_public(client, report: Report) -> Iterator[tuple[str, str]]:
    """Address and answer, headers included, of every public page and file of a report."""
    for path in ADDRESSES:
        answer = client.get(report.get_absolute_url() + path)
        assert answer.status_code == 200
        if path.endswith("pdf"):
            said = "\n".join(told_by(answer.content))
        else:
            said = answer.content.decode("latin-1" if path.endswith("png") else "utf-8")
        yield path, said + str(answer.headers)


def keys_of(value: object, path: str = "") -> set[str]:
    """The path of every key; those of a list's elements as if there were one."""
    if isinstance(value, dict):
        return {path, *(found for key, inner in value.items() for found in keys_of(inner, f"{path}.{key}"))}
    if isinstance(value, list):
        return {path, *(found for inner in value for found in keys_of(inner, path))}
    return {path}


def others_in(value: object, path: str = "") -> list[str]:
    """Where a word was withheld that is no word of ours."""
    if isinstance(value, dict):
        return [found for key, inner in value.items() for found in others_in(inner, f"{path}.{key}")]
    if isinstance(value, list):
        return [found for at, inner in enumerate(value) for found in others_in(inner, f"{path}[{at}]")]
    return [path] if value == OTHER else []


@pytest.mark.slow
def test_no_word_of_any_input_is_in_any_answer_and_every_figure_is(client, marked):
    """A key or a name that the engine got since must be let through, or withheld, on purpose."""
    for number, (name, delta) in enumerate(CONFIGURATIONS.items()):
        marked.config_delta = merged(WORDED, delta)
        marked.query_text = f"Draft the {MARK} letter" if number % 2 else ""
        marked.save()
        preview(marked, EditableConfig.of(marked))
        work_off_jobs()  # another model's tokenizer counts first
        report, whole = report_of(marked), report_of(marked, "full")
        told = dict(everything_public(client, report))
        assert [(name, path) for path, said in told.items() if MARK in said.lower()] == []
        seen = {
            path: said
            for path, said in everything_public(client, whole)
            if path not in {"?fate=dropped", "embed/", "picture.png"}
        }
        assert all(MARK in said.lower() for said in seen.values())  # the markers are where they would be seen
        for path in ("prompt/", "prompt.txt"):
            assert client.get(report.get_absolute_url() + path).status_code == 404
        numbers, full = services.frozen(report), services.frozen(whole)
        withheld = {key for key in keys_of(full) - keys_of(numbers) if not key.startswith((".prompt.", ".config."))}
        assert withheld == set()
        assert (name, others_in(numbers)) == (name, [])


def test_the_page_says_nothing_while_a_worker_is_busy(client, marked):
    report = services.publish(marked, services.PublishRequest("", "numbers", 7), owner=marked.owner)
    assert MARK not in client.get(report.get_absolute_url()).content.decode().lower()


def test_without_a_title_it_has_a_heading_all_the_same(client, marked):
    report = report_of(marked)
    said = dict(everything_public(client, report))
    assert "<h1>Budget report</h1>" in said[""]
    assert said["report.md"].startswith("# Budget report\n")
    assert 'filename="report.json"' in said["report.json"]
    assert json.loads(services.frozen_bytes(report))["report"]["title"] == ""


def test_a_title_that_was_typed_is_shown(client, marked):
    assert "<h1>July</h1>" in dict(everything_public(client, report_of(marked, title="July")))[""]


def leaking_document() -> dict[str, Any]:
    """A numbers-only document as the version before froze it: with words of the query, and a file's name as title."""
    document = sample_document(prompt=None)
    size = {"tokens": 1, "chars": 4}
    document["report"] |= {"content": "numbers", "title": f"{MARK}.jsonl"}
    document["packing"]["featureModes"] = {"mode": "all", "keywords": [MARK, "letter"], "specs": 4, "found": 1}
    document["packing"]["featureModes"] |= {"loaded": 1, **dict.fromkeys(("all", "search", "tool"), size)}
    return document


def migrate() -> None:
    migration = import_module("budgeteer.reports.migrations.0003_numbers_by_allow_list")
    migration.make_again(apps, None)
    migration.erase_ended(apps, None)


def test_a_report_that_an_earlier_version_froze_opens_without_its_words(client, make_report):
    columns = {"snapshot": {"texts": {"query": MARK}}, "embed_on": "https://wiki.harbour.org"}
    report = make_report(content="numbers", **columns)
    Report.objects.filter(pk=report.pk).update(document=pack_bytes(dump(leaking_document())))
    report.refresh_from_db()
    assert MARK in client.get(report.get_absolute_url() + "report.json").content.decode()
    before = services.frozen(report)
    migrate()
    report.refresh_from_db()
    assert [path for path, said in everything_public(client, report) if MARK in said] == []
    after = services.frozen(report)
    assert after["packing"]["total"] == before["packing"]["total"]
    assert after["bar"] == before["bar"]
    assert (report.title, report.snapshot) == ("Payroll agent, <b>July</b>", {})


def test_a_report_that_cannot_be_made_again_is_closed(client, make_report):
    broken, full = make_report(content="numbers"), make_report()
    kept = services.frozen_bytes(full)
    damaged = leaking_document()
    damaged["packing"]["total"] = {"tokens": MARK}
    Report.objects.filter(pk=broken.pk).update(document=pack_bytes(dump(damaged)))
    migrate()
    for report in (broken, full):
        report.refresh_from_db()
    assert (broken.document, broken.token) == (None, "")
    assert services.state_of(broken).standing == "revoked"
    assert services.frozen_bytes(full) == kept


def test_what_ended_before_the_upgrade_holds_nothing_any_more(make_report):
    report = make_report(snapshot={"texts": {"query": MARK}})
    Report.objects.filter(pk=report.pk).update(revoked_at=report.created_at, document=None)
    migrate()
    report.refresh_from_db()
    assert (report.snapshot, report.token, report.document) == ({}, "", None)
