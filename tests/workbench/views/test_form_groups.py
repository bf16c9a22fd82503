"""The form draws the fields of a group when it is opened, and loses nothing of those that are not drawn."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import quote

import pytest
from django.test import Client

from budgeteer.presentation.labels import GROUP_TITLES
from budgeteer.workbench.config_form import undo_steps
from budgeteer.workbench.config_form.shown_groups import DRAWN_HEADER, OPEN_AT_FIRST, OPEN_HEADER, DrawnGroups
from budgeteer.workbench.models import Workspace

HTMX = {"HX-Request": "true", "HX-Target": "result"}
RETRY = "config.retry.enabled"
#: What stands open over a library of skills.
OVER_SKILLS = {"model", "skillsBudget"}


def drawn(html: str) -> set[str]:
    """The groups whose fields stand in the form."""
    return set(re.findall(r'class="f" id="fields-(\w+)"', html))


def opened(html: str) -> set[str]:
    return set(re.findall(r'data-group="(\w+)" open>', html))


def fragment(client: Client, workspace: Workspace, key: str, **query: str) -> str:
    headers = {"HX-Request": "true", "HX-Target": f"fields-{key}"}
    return client.get(workspace.get_absolute_url(), query, headers=headers).content.decode()


def mark_of(html: str) -> dict[str, str]:
    """What a form says it was drawn with."""
    return {name: re.search(rf'name="{name}" value="([^"]*)"', html)[1] for name in ("seen", "mark")}  # type: ignore[index]


def test_a_closed_group_holds_a_link_that_draws_it_and_the_names_of_its_settings(
    client: Client, library: Workspace
) -> None:
    html = client.get(f"{library.get_absolute_url()}?view=messages").content.decode()
    assert drawn(html) == opened(html) == OVER_SKILLS
    assert RETRY not in html
    assert 'data-settings="i-retry-enabled\t' in html
    link = re.search(r'<a class="lk" href="([^"]*)#group-retry">Show 1 setting</a>', html)
    assert link is not None
    html = client.get(library.get_absolute_url() + link[1].replace("&amp;", "&")).content.decode()
    assert drawn(html) == opened(html) == OVER_SKILLS | {"retry"}
    assert RETRY in html
    both = ",".join(key for key in GROUP_TITLES if key in {"retry", "texts"})
    assert f"settings={quote(both, safe='')}" in html  # the next link keeps it open
    assert 'name="settings" value="retry"' in html  # and so does what is posted


def test_groups_stand_open_for_which_there_are_inputs(
    client: Client, session: Workspace, open_over: Callable[..., Workspace], run_jobs: Callable[[], None]
) -> None:
    agent = client.get(session.get_absolute_url()).content.decode()
    assert opened(agent) == {"model", "skillsBudget", "tools", "history"}
    talk = open_over(("talk.txt", b"User: How deep is the basin?\nAssistant: Nine metres."))
    assert opened(client.get(talk.get_absolute_url()).content.decode()) == OPEN_AT_FIRST  # nothing is known yet
    run_jobs()
    assert opened(client.get(talk.get_absolute_url()).content.decode()) == {"model", "history"}


@pytest.mark.parametrize("key", GROUP_TITLES)
def test_the_fields_of_a_group_are_sent_alone(client: Client, library: Workspace, key: str) -> None:
    html = fragment(client, library, key)
    assert html.count('id="fields-') == 1
    assert drawn(html) == {key}
    whole = client.get(f"{library.get_absolute_url()}?settings={key}").content.decode()
    assert set(re.findall(r'name="(config[^"]*)"', html)) <= set(re.findall(r'name="(config[^"]*)"', whole))


def test_a_group_that_is_none_has_no_fields(client: Client, library: Workspace) -> None:
    assert "<!doctype html>" in fragment(client, library, "nothing")


def test_a_post_without_a_group_leaves_its_settings_as_they_are(client: Client, library: Workspace) -> None:
    url = f"{library.get_absolute_url()}config/"
    client.post(url, {RETRY: "off", "config.system.placement": "fixed"})
    library.refresh_from_db()
    before = library.config_delta
    assert before["retry"] == {"enabled": False}
    page = client.get(library.get_absolute_url()).content.decode()
    form = page[page.index('<form id="config-form"') : page.index("</form>", page.index('<form id="config-form"'))]
    assert RETRY not in form
    numbers = dict(re.findall(r'<input class="num" id="[^"]*" name="([^"]*)" value="([^"]*)"', form))
    client.post(url, {**numbers, **mark_of(form), "config.history.maxTokens": "9,000"}, headers=HTMX)
    library.refresh_from_db()
    assert library.config_delta == {**before, "history": {**before.get("history", {}), "maxTokens": 9_000}}


def test_a_form_that_is_drawn_anew_has_the_groups_that_the_page_had(client: Client, library: Workspace) -> None:
    url = library.get_absolute_url()
    client.post(f"{url}config/", {RETRY: "off"})
    headers = {**HTMX, DRAWN_HEADER: "model history retry texts bogus", OPEN_HEADER: "retry system"}
    html = client.post(f"{url}undo/", headers=headers).content.decode()
    assert drawn(html) == {"model", "history", "retry", "texts"}
    assert opened(html) == {"retry"}  # what stands open without its fields is not taken for open


def test_a_change_answers_only_for_fields_that_the_page_has(client: Client, library: Workspace) -> None:
    headers = {**HTMX, DRAWN_HEADER: "model", OPEN_HEADER: "model"}
    html = client.post(f"{library.get_absolute_url()}config/", {"config.outputReserve": "9000"}, headers=headers)
    origins = set(re.findall(r'id="o-([\w-]+)"', html.content.decode()))
    assert "outputReserve" in origins
    assert not any(origin.startswith(("history", "skillsBudget", "pruning")) for origin in origins)


def test_a_refused_value_of_a_group_that_is_not_drawn_draws_it(client: Client, library: Workspace) -> None:
    headers = {**HTMX, DRAWN_HEADER: "model", OPEN_HEADER: "model"}
    posted = {"config.pruning.nudgeFrequency": "lots"}
    html = client.post(f"{library.get_absolute_url()}config/", posted, headers=headers).content.decode()
    assert 'id="config-form"' in html
    assert "pruning" in drawn(html) & opened(html)


def test_a_group_that_is_opened_later_agrees_with_the_form_around_it(client: Client, library: Workspace) -> None:
    """Another tab changes a setting after the form was drawn: the group shows what the form was drawn with."""
    url = library.get_absolute_url()
    client.post(f"{url}config/", {"config.outputReserve": "9000"})
    old = mark_of(client.get(url).content.decode())
    client.post(f"{url}config/", {RETRY: "off"})
    switched = re.compile(rf'name="{re.escape(RETRY)}" value="on"[^>]* checked')
    assert not switched.search(fragment(client, library, "retry"))
    assert switched.search(fragment(client, library, "retry", **old))
    # The old form is sent with the group: what the other tab set stays.
    client.post(f"{url}config/", {**old, RETRY: "on", "config.outputReserve": "9,500"}, headers=HTMX)
    library.refresh_from_db()
    assert library.config_delta == {"retry": {"enabled": False}, "outputReserve": 9_500}


def test_a_group_of_a_form_that_nobody_knows_any_more_shows_what_holds(client: Client, library: Workspace) -> None:
    undo_steps.commit(library, {"retry": {"enabled": False}})
    html = fragment(client, library, "retry", seen="", mark="f" * 24)
    assert not re.search(r'value="on"[^>]* checked', html)


def test_what_an_address_asks_for_is_kept_in_the_order_of_the_form() -> None:
    shown = DrawnGroups.at_first("texts,nothing,history")
    assert shown.opened == OPEN_AT_FIRST | {"texts"}
    assert shown.asking_for("pruning") == ",".join(key for key in GROUP_TITLES if key in {"pruning", "texts"})
