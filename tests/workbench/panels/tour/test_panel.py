"""The tour: it starts on its sample, each step leads to the next, and the second selects what was left out."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape

import pytest
from django.test import Client
from django.urls import reverse

from budgeteer import samples
from budgeteer.workbench.config_form.editable import EditableConfig
from budgeteer.workbench.models import Workspace
from budgeteer.workbench.panels.tour.panel import SAMPLE, STEPS, tour_view
from budgeteer.workbench.preview import preview
from budgeteer.workbench.state import ViewState


def step_of(html: str) -> str:
    """The words of the step that a page shows, "" where it shows none."""
    found = re.search(r'<section class="note inf tour".*?</section>', html, re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", " ", unescape(found[0])).split()) if found else ""


def test_the_tour_starts_on_its_sample_and_its_links_walk_through_every_step(
    client: Client, run_jobs: Callable[[], None]
) -> None:
    assert samples.find(SAMPLE)
    first = client.post(reverse("workbench:sample", args=[SAMPLE]), {"tour": "1"})["Location"]
    assert first.endswith("?tour=1")
    waiting = client.get(first).content.decode()
    assert "tour%3D1" in waiting  # a job that ends goes back to the step
    run_jobs()
    url, seen = first, []
    while url:
        html = client.get(url).content.decode()
        seen.append(step_of(html))
        following = re.search(r'id="tour-next" href="([^"]+)"', html)
        url = first.split("?")[0] + unescape(following[1]).split("#")[0] if following else ""
    assert [said.startswith(step.title) for said, step in zip(seen, STEPS, strict=True)] == [True] * len(STEPS)
    assert f"Step {len(STEPS)} of {len(STEPS)}" in seen[-1]
    ended = client.get(first.split("?")[0])
    assert step_of(ended.content.decode()) == ""


def test_the_second_step_selects_the_largest_item_that_was_left_out(
    client: Client, run_jobs: Callable[[], None]
) -> None:
    client.post(reverse("workbench:sample", args=[SAMPLE]))
    run_jobs()
    workspace = Workspace.objects.get()
    packed = preview(workspace, EditableConfig.of(workspace)).packed
    assert packed is not None
    shown = tour_view(ViewState.read({"tour": "1"}), packed.packing)
    assert shown is not None
    state = ViewState.read(dict(pair.split("=") for pair in shown.next_url[1:].split("#")[0].split("&")))
    left_out = [one for one in packed.packing.ledger if one.fate == "dropped"]
    largest = max(left_out, key=lambda one: one.before.tokens)
    assert unescape(state.sel).replace("%3A", ":") == largest.id


@pytest.mark.parametrize("number", ["0", "4", "-1", "x", "999999999"])
def test_a_step_that_there_is_not_shows_nothing(number: str) -> None:
    assert tour_view(ViewState.read({"tour": number}), None) is None
