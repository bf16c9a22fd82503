"""The page of policies says what the engine says, sorts, and gives the workspace one of them as one step."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from itertools import pairwise

import pytest
from django.test import Client
from django.urls import reverse

from budgeteer import samples
from budgeteer.engine.analysis.cache.session_cache import CachePlan
from budgeteer.engine.analysis.cost_and_usage import money, money_column
from budgeteer.engine.analysis.deferred_tools import CalledTool, DeferredTools
from budgeteer.engine.analysis.replay.agent_harnesses import HARNESSES
from budgeteer.engine.analysis.replay.harness_replay import replay_harnesses
from budgeteer.engine.analysis.replay.policies import CONTEXT_POLICIES, PolicyTotals, compare_policies
from budgeteer.engine.models.registry import model
from budgeteer.jobs.models import Job
from budgeteer.presentation.labels import count_of, share_text
from budgeteer.presentation.setting_values import choice_text
from budgeteer.workbench import services
from budgeteer.workbench.config_form import undo_steps
from budgeteer.workbench.config_form.editable import EditableConfig
from budgeteer.workbench.deferred_results import forget_answers, subject_of
from budgeteer.workbench.models import Workspace
from budgeteer.workbench.policies.tools import tool_table
from budgeteer.workbench.preview import preview
from tests.workbench.pages import text_of


def url_of(workspace: Workspace) -> str:
    return reverse("workbench:policies", args=[workspace.pk])


def found_by_engine(workspace: Workspace, pause: int = 30) -> dict[str, PolicyTotals]:
    packing = services.packing_of(workspace)
    plan = CachePlan.of(model(packing.config.model), pause_seconds=pause)
    return {one.policy.name: one for one in compare_policies(subject_of(workspace, packing), cache=plan)}


#: What the page calls a policy -> its name.
NAMES = {choice_text(policy.name): policy.name for policy in CONTEXT_POLICIES}


def rows_of(html: str) -> dict[str, list[str]]:
    """The figures of each policy, by its name, in the order of the table."""
    table = html.split('<table class="t by-policy">')[1].split("</table>", maxsplit=1)[0].split("<tbody>")[1]
    found = {}
    for row in re.findall(r"<tr.*?</tr>", table, re.DOTALL):
        name = NAMES[unescape(re.findall(r"<a [^>]*>(.*?)</a>", row)[0])]
        cells = re.findall(r'<td class="n[^"]*">(.*?)</td>', row)
        found[name] = [unescape(re.sub(r"<[^>]+>", "", cell)) for cell in cells]
    return found


@pytest.fixture
def session(open_over: Callable[..., Workspace], run_jobs: Callable[[], None]) -> Workspace:
    """The beginning of the sample: every policy packs every request of it."""
    (name, lines), *others = samples.read("agent-session")
    workspace = open_over((name, b"".join(lines.splitlines(keepends=True)[:60])), *others, preset="agent-default")
    services.keep_preset_model(workspace)  # as a sample is opened
    run_jobs()
    return workspace


type Show = Callable[..., str]
DEFINITIONS = DeferredTools(
    (CalledTool("read", 200, 3, 1), CalledTool("draw", 120, 0, 0)), 500, ("draw",), 120, 150, (150, 350, 330), 40
)


@pytest.fixture
def show(client: Client, session: Workspace, run_jobs: Callable[[], None]) -> Show:
    """The page with these parameters, after the job that it may need."""

    def shown(**given: str) -> str:
        html = client.get(url_of(session), given).content.decode()
        if "by-policy" not in html:
            run_jobs()
            html = client.get(url_of(session), given).content.decode()
        return html

    return shown


def test_the_page_says_what_the_engine_says(session: Workspace, show: Show) -> None:
    answered = show()
    found = found_by_engine(session)
    rows = rows_of(answered)
    assert list(rows) == [policy.name for policy in CONTEXT_POLICIES]
    assert len({one.overflowing for one in found.values()}) == 1  # or it has a column
    costs = {name: (one.cost, one.cost_per_request, one.uncached_cost) for name, one in found.items()}
    columns = [money_column(column, "USD", unknown="–") for column in zip(*costs.values(), strict=True)]
    for (name, one), paid in zip(found.items(), zip(*columns, strict=True), strict=True):
        sent, peak, left, _share, breaks, *told = rows[name]
        assert (sent, peak) == (f"{one.sent_tokens:,}", f"{one.peak_tokens:,}")
        share = one.left_out_tokens / (one.sent_tokens + one.left_out_tokens)
        assert left == f"{one.left_out_tokens:,} {share_text(share, 0)}"
        assert breaks == ("–" if one.breaks is None else f"{one.breaks:,}")
        assert tuple(told) == paid
        assert (f"grow by {one.added_tokens:,} tokens" in answered) is bool(one.added_tokens)
    packing = services.packing_of(session)
    for agent, rule in zip(replay_harnesses(subject_of(session, packing)), HARNESSES.values(), strict=True):
        row = text_of(answered, f"agent-{agent.name}")
        assert row.startswith(rule.title)
        for figure in (agent.trigger_tokens, agent.sent_tokens, agent.peak_tokens):
            assert f"{figure:,}" in row
        line = f"from {agent.trigger_tokens:,} · sent {agent.sent_tokens:,} · peak {agent.peak_tokens:,} · "
        assert line in row  # where the columns have no room
    assert f"{found['full'].requested_tokens:,} tokens requested" in answered
    said = text_of(answered, "found")
    over = found["full"].overflowing
    assert f"; {count_of(over, 'request')} {'exceeds' if over == 1 else 'exceed'} the limit before packing" in said
    assert f"{found['full'].requests} requests under each of {len(found)} strategies" in said
    for word, figure in (("Least cost", "paid"), ("Most sent", "left_out_tokens")):
        name, one = min(found.items(), key=lambda row: getattr(row[1], figure))
        left = share_text(one.left_out_tokens / (one.sent_tokens + one.left_out_tokens), 0)
        assert f"{word}: {choice_text(name)}, {money(one.paid, 'USD')}, {left} not sent" in said


@pytest.mark.slow
def test_the_page_says_what_the_tool_definitions_take(session: Workspace, show: Show) -> None:
    packing = services.packing_of(session)
    subject = subject_of(session, packing)
    answered = show()
    assert bool(subject.bundle.tools) is ("Behind a search tool" in answered)
    found = tool_table(DEFINITIONS)
    assert found is not None
    assert [(row.name, row.last, row.whole, row.saved) for row in found.rows] == [
        ("All 2", "500", "1,500", ""),
        ("Without the 1 never called", "380", "1,140", "360"),
        ("Behind a search tool", "330", "830", "670"),
    ]
    assert found.unused == "Never called: draw. The fit plan offers to leave them out as one step."
    assert tool_table(None) is None
    assert DeferredTools.from_json(DEFINITIONS.to_json()) == DEFINITIONS


@pytest.mark.parametrize("column", ["sent", "uncached"])
def test_a_column_sorts_both_ways(show: Show, column: str) -> None:
    place = 0 if column == "sent" else 7
    for sort, sign in ((column, 1), (f"-{column}", -1)):
        shown = [row[place] for row in rows_of(show(sort=sort)).values()]
        figures = [float(text.replace(",", "").lstrip("$")) for text in shown if text != "–"]
        assert all(sign * before <= sign * after for before, after in pairwise(figures))
    unsorted = show(sort="nothing")
    assert unsorted.count("aria-sort") == unsorted.count('aria-sort="none"') > 0


@pytest.mark.slow
def test_a_pause_longer_than_the_cache_lives_reads_nothing_from_it(
    session: Workspace, show: Show, run_jobs: Callable[[], None]
) -> None:
    undo_steps.commit(session, EditableConfig.of(session).with_value("model", "claude-sonnet-4-5").delta)
    assert "Nothing" not in show(pause="30")
    run_jobs()
    read = {pause: found_by_engine(session, pause)["full"].read_share for pause in (30, 7_200)}
    assert read[30] is not None
    for pause, share in read.items():
        assert rows_of(show(pause=str(pause)))["full"][3] == f"{share * 100:.0f} %"


def test_a_policy_is_used_as_one_step_that_can_be_undone(client: Client, session: Workspace) -> None:
    before = EditableConfig.of(session).config
    target = next(one for one in CONTEXT_POLICIES if one.name not in (before.history.strategy, "pruning"))
    response = client.post(reverse("workbench:use_policy", args=[session.pk]), {"policy": target.name})
    assert response.status_code == 303
    session.refresh_from_db()
    assert EditableConfig.of(session).config.history.strategy == target.name
    session.refresh_from_db()
    undo_steps.undo(session)
    assert EditableConfig.of(session).config == before


def test_an_unknown_policy_changes_nothing(client: Client, session: Workspace) -> None:
    before = EditableConfig.of(session).data
    response = client.post(reverse("workbench:use_policy", args=[session.pk]), {"policy": "middleOut"}, follow=True)
    assert "There is no policy of this name" in response.content.decode()
    assert EditableConfig.of(session).data == before


@pytest.mark.slow
def test_the_workspace_s_own_policy_is_marked_and_stands_out(session: Workspace, show: Show) -> None:
    answered = show()
    name = EditableConfig.of(session).config.history.strategy
    row = next(part for part in answered.split("<tr")[1:] if f">{choice_text(name)}</a>" in part)
    assert "current" in row
    assert 'class="shown"' in row
    other = next(one.name for one in CONTEXT_POLICIES if one.name != name)
    lined = show(line=other)
    assert 'class="shown"' in next(part for part in lined.split("<tr")[1:] if f">{choice_text(other)}</a>" in part)


def test_without_a_conversation_it_says_so(client: Client, session: Workspace) -> None:
    session.links.all().delete()
    html = client.get(url_of(session)).content.decode()
    assert "There is no conversation to replay" in html
    assert preview(session, EditableConfig.of(session)) is not None


@pytest.mark.slow
def test_a_worker_answers_what_takes_long(show: Show, monkeypatch: pytest.MonkeyPatch) -> None:
    direct = rows_of(show())
    Job.objects.filter(kind="workbench.policies").delete()
    forget_answers()
    monkeypatch.setattr("budgeteer.workbench.deferred_results.PATIENCE_SECONDS", 0.0)
    assert rows_of(show()) == direct
    assert Job.objects.get(kind="workbench.policies").state == "succeeded"


def test_policies_with_one_course_are_one_line(session: Workspace, show: Show) -> None:
    answered = show()
    courses: dict[tuple[float, ...], list[str]] = {}
    for name, one in found_by_engine(session).items():
        courses.setdefault(tuple(one.by_request.cost or one.by_request.sent), []).append(choice_text(name))
    shown = choice_text(EditableConfig.of(session).config.history.strategy)
    labels = set()
    for group in courses.values():
        first, *rest = sorted(group, key=lambda name: name != shown)
        labels.add(", ".join((first, *rest)) if len(rest) < 2 else f"{first} and {len(rest)} more")
    assert any(" and " in label or ", " in label for label in labels)
    found = re.findall(r'<a class="policy[^"]*"[^>]*aria-label="([^":]+):', answered)
    assert set(found) == labels
