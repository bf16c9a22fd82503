"""Formats of a user's own: mapped on the page of a refused source, kept, applied to the next file, handed on."""

from __future__ import annotations

import json

import pytest
from django.urls import reverse

from budgeteer.formats.mapping.field_mapping import PATHS, FieldMapping, mapping_from_text
from budgeteer.sources import own_formats, services
from budgeteer.sources.models import OwnFormat, Source
from tests.formats.mapping.test_mapping import ROBOT
from tests.formats.shapes import dumps
from tests.sources.material import chat, imported, run_jobs, upload

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada(client, owner):
    client.force_login(owner)
    return client


@pytest.fixture
def refused(owner) -> Source:
    return imported(owner, dumps(ROBOT), name="robot.json")


def form_of(source: Source, **changes: str) -> dict[str, str]:
    mapping = source.error["unknown"]["mapping"]
    roles = "\n".join(f"{name} = {role}" for name, role in mapping["roles"].items())
    typed = {f"map-{key}": mapping[key] for key in PATHS}
    return {**typed, "map-title": mapping["title"], "map-roles": roles, **changes}


def text_of(response) -> str:
    return response.content.decode()


def test_the_page_of_a_refused_source_shows_what_it_looks_like_and_a_guess(ada, refused):
    assert refused.state == Source.State.FAILED
    page = text_of(ada.get(refused.get_absolute_url()))
    assert "<code>sessions</code>" in page
    assert 'value="$.sessions[*]"' in page
    assert "HUMAN = user" in page
    assert "Where is the ferry now?" in page
    assert "mapping" not in text_of(ada.get(imported(refused.owner, b"\x89PNG\r\n", name="a.png").get_absolute_url()))


def test_a_page_that_was_asked_for_before_the_import_ended_shows_the_mapping_too(ada, owner, monkeypatch):
    source = upload(owner, dumps(ROBOT), name="robot.json")
    run_jobs()
    assert source.state == "importing", "as the page read it before the worker was done"
    monkeypatch.setattr(services, "visible_source", lambda owner, source_id: source)
    assert 'id="mapping"' in text_of(ada.get(source.get_absolute_url()))


def test_a_mapping_is_tried_before_it_is_kept(ada, refused):
    url = reverse("sources:mapping", args=[refused.pk])
    tried = ada.post(url, form_of(refused, **{"map-text": "$.who", "try": "1"}))
    assert tried.status_code == 200
    assert '<span class="wr">HUMAN</span>' in text_of(tried)
    nothing = ada.post(url, form_of(refused, **{"map-messages": "$.none[*]", "try": "1"}))
    assert "This mapping reads no message of the file" in text_of(nothing)
    assert not OwnFormat.objects.exists()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"map-text": "$..words"}, "uses more of JSONPath"),
        ({"map-messages": ""}, "where the messages stand"),
        ({"map-roles": "HUMAN = boss"}, "is no role"),
        ({"map-roles": "HUMAN"}, "is no role"),
    ],
)
def test_what_is_wrong_is_said_beside_its_input(ada, refused, changes, said):
    answer = ada.post(reverse("sources:mapping", args=[refused.pk]), form_of(refused, **changes))
    assert answer.status_code == 422
    page = text_of(answer)
    assert said in page
    assert 'aria-invalid="true"' in page
    assert not OwnFormat.objects.exists()


def test_a_saved_mapping_reads_the_source_and_the_next_of_its_shape(ada, refused, owner):
    answer = ada.post(reverse("sources:mapping", args=[refused.pk]), form_of(refused, **{"map-title": "Robot logs"}))
    assert answer.status_code == 302
    run_jobs()
    refused.refresh_from_db()
    row = OwnFormat.objects.get(owner=owner)
    assert (refused.state, refused.format, refused.error) == (Source.State.READY, row.format_name, {})
    assert "Read as <b>Robot logs</b>" in text_of(ada.get(refused.get_absolute_url()))
    other = {**ROBOT, "version": 3}
    following = imported(owner, dumps(other), name="next.json")
    assert (following.state, following.format) == (Source.State.READY, row.format_name)
    assert following.report["reason"] == "It fits the mapping “Robot logs”."
    page = text_of(ada.get(reverse("sources:list")))
    assert "Your formats" in page
    assert f'<option value="{row.format_name}"' in text_of(ada.get(following.get_absolute_url()))


def test_a_format_belongs_to_its_owner(client, owner, other):
    row = own_formats.save(owner, FieldMapping("$[*]", text="$.words"))
    assert imported(other, dumps([{"words": "one two"}, {"words": "three four"}])).state == Source.State.FAILED
    client.force_login(other)
    assert client.get(reverse("sources:own_format", args=[row.pk])).status_code == 404
    assert client.post(reverse("sources:delete_own_format", args=[row.pk])).status_code == 404
    assert [one.name for one in services.formats(other)] == [one.name for one in services.formats()]


def test_a_format_is_handed_on_as_a_file_and_deleted(ada, owner):
    mapping = FieldMapping("$[*]", title="Words", text="$.words")
    row = own_formats.save(owner, mapping)
    file = ada.get(reverse("sources:own_format", args=[row.pk]))
    assert file["Content-Disposition"].startswith("attachment")
    assert mapping_from_text(text_of(file)) == mapping
    assert json.loads(file.content)["budgeteerMapping"] == 1
    assert ada.post(reverse("sources:delete_own_format", args=[row.pk])).status_code == 302
    assert not OwnFormat.objects.exists()


def test_the_same_title_is_replaced_and_there_is_a_limit(owner, monkeypatch):
    own_formats.save(owner, FieldMapping("$[*]", title="A", text="$.words"))
    own_formats.save(owner, FieldMapping("$[*]", title="A", text="$.body"))
    assert OwnFormat.objects.get().mapping["text"] == "$.body"
    monkeypatch.setattr(own_formats, "MOST_FORMATS", 1)
    with pytest.raises(services.InputError, match="formats of your own"):
        own_formats.save(owner, FieldMapping("$[*]", title="B", text="$.body"))


def test_a_source_that_was_read_needs_no_mapping(ada, owner):
    source = imported(owner, chat())
    answer = ada.post(reverse("sources:mapping", args=[source.pk]), follow=True)
    assert "needs no mapping" in text_of(answer)


@pytest.mark.parametrize("key", ["why " * 60, "a key \x00 of a kind"])
def test_the_page_of_a_file_with_a_key_that_no_path_can_name_opens(ada, owner, key):
    source = imported(owner, dumps([{key: "How deep is the harbour?", "n": number} for number in range(9)]))
    assert source.error["unknown"]["mapping"] is None
    assert ada.get(source.get_absolute_url()).status_code == 200
