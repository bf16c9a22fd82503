"""The Prompt view: its outline adds up, what was left out stands in its place, long parts and tokens open in place."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.test import Client
from django.urls import reverse

from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.workbench.config_form.editable import EditableConfig
from budgeteer.workbench.models import Workspace
from budgeteer.workbench.panels.map.before_after import comparison_of
from budgeteer.workbench.panels.prompt.opened_part import CHUNK_CHARS
from budgeteer.workbench.panels.prompt.outline import MOST_ROWS, outline_of
from budgeteer.workbench.panels.prompt.panel import HEAD_CHARS, prompt_view
from budgeteer.workbench.panels.prompt.parts import parts_of
from budgeteer.workbench.preview import Packed, preview
from budgeteer.workbench.state import PanelName, ViewState

STATE = ViewState(view=PanelName.PROMPT)


def packed_of(workspace: Workspace) -> Packed:
    packed = preview(workspace, EditableConfig.of(workspace)).packed
    assert packed is not None
    return packed


def number(text: str) -> int:
    return int(text.replace(",", ""))


def part(client: Client, workspace: Workspace, query: str, *, htmx: bool = True) -> str:
    headers = {"HX-Request": "true"} if htmx else {}
    answer = client.get(f"{reverse('workbench:prompt_part', args=[workspace.id])}?{query}", headers=headers)
    assert answer.status_code == 200
    return answer.content.decode()


@pytest.mark.parametrize("fixture", ["session", "library"])
def test_parts_and_overhead_add_up_to_the_total(fixture: str, request: pytest.FixtureRequest) -> None:
    packed = packed_of(request.getfixturevalue(fixture))
    prompt = parts_of(packed)
    assert sum(one.tokens for one in prompt.parts) + prompt.overhead == packed.packing.total.tokens
    starts = [one.start_token for one in prompt.parts]
    assert starts == sorted(starts)
    rows = outline_of(packed, prompt)
    assert sum(int(row.tokens.replace(",", "")) for row in rows) == packed.packing.total.tokens
    left_out = sum(int(row.left_out.split()[0].replace(",", "")) for row in rows if row.left_out)
    assert left_out == packed.packing.verdict.not_sent_tokens
    assert len(rows) <= MOST_ROWS + 10


@pytest.mark.parametrize("fixture", ["session", "library"])
def test_the_sum_of_everything_loaded_leads_to_what_the_header_requests(
    fixture: str, request: pytest.FixtureRequest
) -> None:
    packed = packed_of(request.getfixturevalue(fixture))
    compared = comparison_of(packed)
    asked = packed.packing.verdict.asked_tokens
    sentence = compared.asked_sentence
    assert f"{asked:,} requested" in sentence
    signs = {"tokens of": 1, "more for": 1, "fewer for": -1}
    steps = re.findall(r"([\d,]+) (tokens of|more for|fewer for)", sentence)
    assert number(compared.before_total) + sum(signs[word] * number(figure) for figure, word in steps) == asked


@pytest.mark.parametrize("fixture", ["session", "library"])
def test_everything_that_was_left_out_stands_in_the_prompt_once(fixture: str, request: pytest.FixtureRequest) -> None:
    packed = packed_of(request.getfixturevalue(fixture))
    ledger = packed.packing.ledger
    placed = [index for one in parts_of(packed).parts for index in one.span.gone]
    assert sorted(placed) == [at for at in range(len(ledger)) if ledger.fate[at] in (2, 3)]


def test_a_placeholder_opens_to_the_items_it_stands_for(client: Client, session: Workspace) -> None:
    packed = packed_of(session)
    view = prompt_view(packed, STATE)
    entry = next(one for one in view.spans if one.is_placeholder)
    gone = parts_of(packed).parts[entry.number - 1].span.gone
    html = part(client, session, entry.more_query)
    assert html.count("<li") == min(len(gone), 100)
    assert unescape(packed.names_of(gone[:1])[gone[0]]) in unescape(html)
    plain = part(client, session, entry.more_query, htmx=False)
    assert len(plain.splitlines()) == min(len(gone), 100)


def test_a_long_part_opens_in_place_to_its_end(client: Client, session: Workspace) -> None:
    session.system_text = "".join(f"Rule {number} of the harbour. " for number in range(5_000))
    session.save()
    packed = packed_of(session)
    longest = max(parts_of(packed).parts, key=lambda one: len(one.span.text))
    assert len(longest.span.text) > CHUNK_CHARS
    html = client.get(session.get_absolute_url(), {"view": "prompt"}).content.decode()
    listed = unescape(html[html.index('<ol class="prompt"') :])
    assert longest.span.text[: HEAD_CHARS - 5] in listed
    assert longest.span.text[HEAD_CHARS + 5 : HEAD_CHARS + 200] not in listed
    query, read = f"part={longest.number}&amp;of={longest.digest}", ""
    while query:
        fragment = part(client, session, unescape(query))
        found = re.search(r'<pre class="pre"[^>]*>(.*?)</pre>', fragment, re.DOTALL)
        assert found
        read += unescape(found[1])
        more = re.search(r'hx-get="[^"?]*\?([^"]*)" hx-target="this"', fragment)
        query = more[1] if more else ""
    assert read == longest.span.text
    assert part(client, session, f"part={longest.number}", htmx=False) == longest.span.text


def test_the_tokens_of_a_part_are_told_apart(client: Client, session: Workspace) -> None:
    packed = packed_of(session)
    one = next(one for one in parts_of(packed).parts if one.index >= 0 and 200 < len(one.span.text) < 4_000)
    fragment = part(client, session, f"part={one.number}&of={one.digest}&tokens=1")
    found = re.search(r'<pre class="pre toks"[^>]*>(.*?)</pre>', fragment, re.DOTALL)
    assert found
    assert unescape(re.sub("</?i>", "", found[1])) == one.span.text
    count = counter_for(packed.packing.allowance.tokenizer).count(one.span.text)
    assert f"Tokens 1–{count:,} of this text as it reads here" in fragment


def test_a_tokenizer_without_boundaries_says_so(client: Client, session: Workspace) -> None:
    session.config_delta = {**session.config_delta, "tokenizer": "chars/4"}
    session.save()
    from budgeteer.jobs.execution import execute
    from budgeteer.jobs.models import Job

    preview(session, EditableConfig.of(session))
    for job in Job.objects.filter(state="queued"):
        execute(job.id, job.attempt)
    one = parts_of(packed_of(session)).parts[0]
    fragment = part(client, session, f"part={one.number}&of={one.digest}&tokens=1")
    assert "does not tell where each begins" in fragment


def test_a_part_that_has_changed_is_not_mistaken_for_another(client: Client, session: Workspace) -> None:
    assert "has changed since it was shown" in part(client, session, "part=0&of=000000000000")


def test_a_part_that_is_not_there_is_not_found(client: Client, session: Workspace) -> None:
    url = reverse("workbench:prompt_part", args=[session.id])
    assert client.get(f"{url}?part=99999").status_code == 404
