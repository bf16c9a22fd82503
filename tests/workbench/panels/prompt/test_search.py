"""Search in the packed prompt: every part that is sent, wherever it stands."""

from __future__ import annotations

import re
from html import unescape

from django.test import Client

from budgeteer.engine.rendering import render_spans
from budgeteer.workbench import services
from budgeteer.workbench.item_content.snippets import AROUND_CHARS
from budgeteer.workbench.models import Workspace
from budgeteer.workbench.panels.prompt.search import MOST_SNIPPETS, matches_in
from tests.workbench.pages import text_of


def test_a_search_finds_what_stands_on_every_page_of_the_prompt(client: Client, session: Workspace) -> None:
    spans = list(render_spans(services.packing_of(session)))
    count = sum(len(re.findall("PYTEST", span.text, re.IGNORECASE)) for span in spans)
    parts = sum("pytest" in span.text.casefold() for span in spans)
    assert parts > 1
    html = client.get(session.get_absolute_url(), {"view": "prompt", "q": "PyTest"}).content.decode()
    assert text_of(html, "found") == f"{count:,} matches in {parts:,} parts."
    marked = re.findall(r"<mark>(.*?)</mark>", html)
    assert marked
    assert {unescape(one).casefold() for one in marked} == {"pytest"}


def test_nothing_found_is_said(client: Client, session: Workspace) -> None:
    html = client.get(session.get_absolute_url(), {"view": "prompt", "q": "no such words"}).content.decode()
    assert "holds “no such words”" in text_of(html, "found")
    assert "<mark>" not in html


def test_a_pattern_is_a_text_and_matches_have_words_around_them(session: Workspace) -> None:
    spans = list(render_spans(services.packing_of(session)))
    assert matches_in(spans, ".*") == () or all(".*" in spans[one.number].text for one in matches_in(spans, ".*"))
    for match in matches_in(spans, "the"):
        assert len(match.snippets) == min(match.count, MOST_SNIPPETS)
        for snippet in match.snippets:
            assert snippet.match.casefold() == "the"
            whole = f"{snippet.before}{snippet.match}{snippet.after}".strip("…")
            assert whole in spans[match.number].text
            assert len(whole) <= 2 * AROUND_CHARS + 3
