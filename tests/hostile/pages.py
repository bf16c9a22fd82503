"""Hostile uploads and strings by the pages: everything that a browser can send, and every page that shows it again."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote

from tests.hostile.served import Answer, Client, Jobs
from tests.hostile.tally import ANSWER_SECONDS, JOB_SECONDS, Row, Tally
from tests.hostile.uploads import Upload, dumped, talk
from tests.hostile.watching import wrong_with

WAY: Final = "pages"
VIEWS: Final = ("map", "messages", "prompt", "timeline", "sweep", "features", "config", "fit")
EXPORTS: Final = (
    "openai-chat",
    "openai-responses",
    "anthropic",
    "gemini",
    "text",
    "markdown",
    "packing",
    "config",
    "tuning",
)
REFUSED: Final = 400
REPORTS: Final = "reports"
SITE: Final = "https://wiki.example.org"
TITLE_CHARS: Final = 120
#: What is asked for each kind of report, beside the title and its level.
QUESTIONS: Final[Mapping[str, Mapping[str, str]]] = {
    "packing": {},
    "comparison": {"a": "own", "b": "model:gpt-4"},
    "sweep": {"over": "inputBudget"},
    "models": {"models": "gpt-4o,gpt-4"},
    "evaluation": {},
}
#: Every address of a report, below its own.
REPORT_FORMS: Final = (
    "",
    "prompt/",
    "prompt.txt",
    "embed/",
    "picture.png",
    "report.html",
    "report.json",
    "report.csv",
    "report.md",
    "report.pdf",
)
#: Families of which the texts themselves are the attack: all their pages and downloads are looked at, shared ones too.
SHOWN_EVERYWHERE: Final = frozenset({"markup", "formulas", "names of uploads", "control characters", "encodings"})


def looked_at(row: Row, answer: Answer, label: str) -> Answer:
    """Note an answer and all that is wrong with it."""
    row.answers += 1
    row.refused += answer.status >= REFUSED
    row.took(answer.cpu_seconds, label, most=ANSWER_SECONDS)
    row.wrong += [f"{label}: {what}" for what in wrong_with(answer.status, answer.headers, answer.body)]
    return answer


def worked_off(row: Row, jobs: Jobs, label: str) -> None:
    """Let the jobs be done, and note what became of them."""
    seconds, wrong, failed = jobs.finish(most_seconds=JOB_SECONDS)
    row.refused += failed
    row.took(seconds, f"{label}, jobs", most=JOB_SECONDS)
    row.wrong += [f"{label}: {what}" for what in wrong]


def try_upload(tally: Tally, client: Client, jobs: Jobs, upload: Upload, number: int) -> None:
    """Open a workspace over the file and look at what shows it."""
    row, label = tally.row(WAY, upload.family), f"{upload.family}: {upload.label}"
    row.tried += 1
    opened = looked_at(row, client.upload("/open/", "files", upload.file_name, upload.data), f"{label}, upload")
    worked_off(row, jobs, label)
    if not opened.place.startswith("/w/"):
        return
    workspace = opened.place
    everywhere = upload.family in SHOWN_EVERYWHERE
    views = VIEWS if everywhere and number % 4 == 0 else (VIEWS[number % len(VIEWS)],)
    for view in views:
        looked_at(row, client.get(workspace, view=view), f"{label}, {view}")
    for path in source_pages(workspace):
        looked_at(row, client.get(path), f"{label}, source")
    worked_off(row, jobs, label)
    if everywhere:
        name = EXPORTS[number % len(EXPORTS)]
        looked_at(row, client.get(f"{workspace}export/{name}/"), f"{label}, export {name}")
        looked_at(row, client.get(f"{workspace}tables/items.csv"), f"{label}, table")
        share(row, client, jobs, workspace, label, title=upload.label)


def source_pages(workspace: str) -> list[str]:
    """The pages of the sources of a workspace."""
    from budgeteer.workbench.models import Workspace

    found = Workspace.objects.get(pk=workspace.split("/")[2])
    return [link.source.get_absolute_url() for link in found.links.select_related("source")]


def share(row: Row, client: Client, jobs: Jobs, workspace: str, label: str, *, title: str) -> None:
    """Publish it whole, open what a scan held, and look at every form of the report without signing in."""
    from budgeteer.reports.models import Report

    fields = {"title": title, "content": "full", "days": "7", "form_key": str(uuid.uuid4())}
    looked_at(row, client.post(f"{workspace}publish/", fields), f"{label}, share")
    worked_off(row, jobs, label)
    report = Report.objects.filter(workspace_id=workspace.split("/")[2]).order_by("created_at").last()
    if report is not None:
        open_report(row, client, jobs, report, label)


def open_report(row: Row, client: Client, jobs: Jobs, report: Any, label: str) -> None:
    """Open a report that a scan held, and look at every form of it without signing in."""
    looked_at(row, client.get("/reports/"), f"{label}, reports")
    looked_at(row, client.get(f"/reports/{report.id}/review/"), f"{label}, review")
    looked_at(row, client.post(f"/reports/{report.id}/review/", {"act": "open"}), f"{label}, review")
    worked_off(row, jobs, label)
    nobody = Client(client.stack)
    for form in REPORT_FORMS:
        looked_at(row, nobody.get(f"/r/{report.token}/{form}"), f"{label}, report {form}")


def share_a_kind(tally: Tally, client: Client, jobs: Jobs, world: World, text: str) -> None:
    """Share one kind of report, each in its turn, under the text as title and as name of what is shared."""
    from budgeteer.reports.models import Report

    rows = {kind: tally.row(REPORTS, kind) for kind in QUESTIONS}
    kind = min(rows, key=lambda each: rows[each].tried)
    row, label = rows[kind], f"{kind}: {text[:30]!r}"
    row.tried += 1
    client.post(f"{world.workspace}rename/", {"name": text})
    client.post(f"{world.collection}rename/", {"name": text})
    given = {
        "title": text[:TITLE_CHARS],
        "content": "full",
        "days": "7",
        "form_key": str(uuid.uuid4()),
        "embed_on": SITE,
    }
    known = set(Report.objects.values_list("pk", flat=True))
    if kind == "evaluation":
        answer = client.post(f"{world.run}publish/", given)
    else:
        answer = client.post(f"{world.workspace}publish/", given | {"kind": kind} | QUESTIONS[kind])
    looked_at(row, answer, f"{label}, share")
    worked_off(row, jobs, label)
    for report in Report.objects.exclude(pk__in=known).filter(kind=kind):
        open_report(row, client, jobs, report, label)


def never_made() -> list[str]:
    """The kinds of which no report was made, so that its forms showed nothing."""
    from budgeteer.reports.models import Report

    made = set(Report.objects.filter(document__isnull=False).values_list("kind", flat=True))
    return [kind for kind in QUESTIONS if kind not in made]


@dataclass(frozen=True, slots=True)
class World:
    """What the forms are about: paths of a workspace, its source, a collection, an evaluation and a report."""

    workspace: str
    source: str
    collection: str
    run: str
    report: str
    slug: str


def make_world(client: Client, jobs: Jobs) -> World:
    """Upload a conversation, open it, collect it, evaluate it and share it, by the pages."""
    from budgeteer.collections.models import Collection, EvaluationRun
    from budgeteer.presets.models import Preset
    from budgeteer.reports.models import Report
    from budgeteer.workbench.models import Workspace

    jobs.finish(most_seconds=JOB_SECONDS)
    opened = client.upload("/open/", "files", "harbour.json", dumped(talk("Which berth is free?")))
    jobs.finish(most_seconds=JOB_SECONDS)
    source = Workspace.objects.get(pk=opened.place.split("/")[2]).links.get().source
    client.post("/collections/choose/", {"source": str(source.pk), "name": "Talks"})
    jobs.finish(most_seconds=JOB_SECONDS)
    collection = Collection.objects.latest("created_at")
    client.post(f"/collections/{collection.pk}/evaluate/", {"config": "defaults", "model": ""})
    jobs.finish(most_seconds=JOB_SECONDS)
    fields = {"title": "Harbour", "content": "full", "days": "7", "form_key": str(uuid.uuid4())}
    client.post(f"{opened.place}publish/", fields)
    jobs.finish(most_seconds=JOB_SECONDS)
    for query in ({"a": "own", "b": "model:gpt-4"}, {"model": "gpt-4"}):  # counted once, for the reports of these
        client.get(f"{opened.place}compare/", **query)
        jobs.finish(most_seconds=JOB_SECONDS)
    return World(
        opened.place,
        source.get_absolute_url(),
        collection.get_absolute_url(),
        f"/evaluations/{EvaluationRun.objects.latest('created_at').pk}/",
        f"/r/{Report.objects.latest('created_at').token}/",
        Preset.objects.first().slug,  # type: ignore[union-attr]  # there are some from the start
    )


def posts(world: World, text: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every form that takes a text, with the text in each of its fields."""
    one, key = world.workspace, str(uuid.uuid4())
    configured = json.dumps({text: text, "model": text, "history": {"strategy": text, "pins": [text]}})
    yield f"{one}rename/", {"name": text}
    yield f"{one}texts/", {"system": text, "context": text, "query": text, "seen-query": text, "mine": text}
    yield f"{one}config/paste/", {"config": text, "seen": text, "mark": text}
    yield f"{one}config/paste/", {"config": configured}
    yield (
        f"{one}config/",
        {"config.model": text, "config.history.maxTokens": text, f"config.{text}": text, "mark": text},
    )
    yield f"{one}config/", {"reset": text, "settings": text}
    yield f"{one}item/", {"item": text, "policy": text, "pin": "on"}
    yield f"{one}edit/", {"item": text, "text": text, "was": text}
    yield f"{one}compress/", {"start": "1", "end": "2", "topic": text, "summary": text}
    yield f"{one}compress/", {"start": text, "end": text, "block": text, "act": text}
    yield f"{one}summary/", {"key": text, "text": text, "act": text}
    yield f"{one}fit/", {"steps": text, "mark": text}
    yield f"{one}compare/take-over/", {"b": text, "path": text}
    yield f"{one}policies/use/", {"policy": text}
    yield f"{one}preset/", {"title": text, "description": text, "note": text, "target": text}
    yield f"{one}undo/", {"revision": text, "everything": text}
    yield f"{one}redo/", {"revision": text}
    yield f"{one}calibrate/", {"source": text, "act": text}
    yield f"{one}publish/", {"title": text, "content": "full", "days": "7", "form_key": key}
    yield (
        f"{one}publish/",
        {"content": text, "days": text, "password": text, "embed_on": text, "kind": text, "form_key": text, "a": text},
    )
    yield f"{one}sources/", {"source": text}
    yield f"{one}sources/", {"text": text, "format": text, "paths": text}
    yield f"{one}team/", {"shared": text}
    yield f"{one}team/", {"shared": "on", "team": text}
    yield f"{world.source}rename/", {"name": text}
    yield f"{world.source}import/", {"format": text}
    yield (
        f"{world.source}mapping/",
        {"title": text, "messages": text, "role": text, "text": text, "conversations": text},
    )
    yield "/sources/upload/", {"text": text, "format": text, "paths": text}
    yield "/sources/detect/", {"text": text, "name": text, "head": text}
    yield "/w/new/", {"source": text, "conversation": text}
    yield "/collections/choose/", {"source": text, "name": text}
    yield f"{world.collection}rename/", {"name": text}
    yield f"{world.collection}evaluate/", {"config": text, "model": text, "typed": text}
    yield f"{world.run}open/", {"row": text, "number": text, "config": text}
    yield f"{world.run}publish/", {"title": text, "content": "full", "days": "7", "form_key": str(uuid.uuid4())}
    yield "/account/tokens/", {"name": text, "scopes": "pack", "days": text, "form_key": text}
    yield "/account/password/", {"old_password": text, "new_password1": text, "new_password2": text}
    yield "/account/second-factor/", {"password": text, "code": text}
    yield "/account/second-factor/remove/", {"password": text}


def posts_of_nobody(world: World, text: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The forms that need no account."""
    yield "/sign-in/", {"username": text[:3000], "password": text[:3000], "next": text[:3000]}
    yield "/sign-in/code/", {"code": text[:9000]}
    yield "/account/lost-password/", {"email": text[:9000]}
    yield f"{world.report}open/", {"password": text[:9000]}


STATE: Final = (
    "view",
    "sel",
    "filter",
    "group",
    "q",
    "sort",
    "page",
    "open",
    "over",
    "keywords",
    "steps",
    "replaying",
    "at",
)
MOST_IN_AN_ADDRESS: Final = 2_000


def gets(world: World, text: str) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Every address that reads a query or a part of its path."""
    short = text[:MOST_IN_AN_ADDRESS]
    part = quote(short.encode("utf-8", "surrogatepass"), safe="")
    for view in VIEWS:
        yield world.workspace, {**dict.fromkeys(STATE, short), "view": view, "start": short, "end": short}
    yield world.workspace, {**dict.fromkeys(STATE, short), "seen": short, "mark": short, "deleted": short}
    yield f"{world.workspace}compare/", {"a": short, "b": short, "model": short, "q": short}
    yield f"{world.workspace}policies/", {"policy": short, "q": short, "sort": short, "at": short}
    yield f"{world.workspace}share/", {"kind": short, "a": short, "b": short, "over": short}
    yield f"{world.workspace}share/", {"kind": "comparison", "a": short, "b": short}
    yield f"{world.workspace}share/", {"kind": "sweep", "over": short}
    yield f"{world.workspace}share/", {"kind": "models", "models": short}
    yield f"{world.workspace}prompt-part/", {"part": short, "from": short, "of": short, "tokens": short}
    yield f"{world.workspace}tables/items.csv", dict.fromkeys(STATE, short)
    yield f"{world.workspace}tables/sweep.csv", {"over": short}
    yield f"{world.workspace}export/{part}/", {}
    yield world.source, {"q": short, "page": short, "conversation": short, "as": short}
    yield f"{world.source}skipped/", {"page": short}
    yield world.run, {"q": short, "sort": short, "page": short, "config": short, "filter": short, "side": short}
    yield f"{world.run}rows.csv", {"q": short, "sort": short, "filter": short}
    yield world.report, {"q": short, "page": short, "view": short, "sel": short}
    for path in ("/", "/w/", "/sources/", "/collections/", "/reports/", "/presets/", "/presets/proposals/", "/help/"):
        yield path, {"q": short, "page": short, "deleted": short, "next": short, "then": short, "sort": short}
    for start in (
        "",
        "r/",
        "samples/",
        "presets/",
        f"presets/{world.slug}/",
        "enter/",
        "static/",
        "w/",
        "jobs/",
        "api/v1/",
    ):
        yield f"/{start}{part}", {}
        yield f"/{start}{part}/", {}


def try_strings(tally: Tally, client: Client, jobs: Jobs, world: World, strings: Mapping[str, Sequence[str]]) -> None:
    """Every string in every form and address; then the lists and the tables that show what stayed."""
    nobody = Client(client.stack)
    for family, texts in strings.items():
        row = tally.row("forms", family)
        for text in texts:
            row.tried += 1
            name = f"{family}: {text[:30]!r}"
            for path, fields in posts(world, text):
                looked_at(row, client.post(path, fields), f"{name}, POST {path}")
            for path, fields in posts_of_nobody(world, text):
                looked_at(row, nobody.post(path, fields), f"{name}, POST {path}")
            for path, query in gets(world, text):
                looked_at(row, client.get(path, **query), f"{name}, GET {path[:60]}")
            worked_off(row, jobs, name)
            share_a_kind(tally, client, jobs, world, text)
            for path in (
                world.workspace,
                world.source,
                world.collection,
                "/w/",
                "/sources/",
                "/reports/",
                "/account/tokens/",
            ):
                looked_at(row, client.get(path), f"{name}, {path}")
            looked_at(row, client.get(f"{world.workspace}tables/items.csv"), f"{name}, items")
            worked_off(row, jobs, name)
