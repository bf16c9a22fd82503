from __future__ import annotations

import json

import pytest
from django.contrib.auth.models import User

from budgeteer.presets import services
from budgeteer.presets.models import Preset, PresetVersion

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin(client):
    client.force_login(User.objects.create_superuser("keeper"))
    return client


def change(admin, slug="plain", **fields):
    preset = Preset.objects.get(slug=slug)
    data = {
        "title": preset.title,
        "description": preset.description,
        "is_offered": "on",
        "position": preset.position,
        "config": json.dumps(services.current(slug).config),
        "note": "",
        "based_on": services.current(slug).number,
        **fields,
    }
    return admin.post(f"/admin/presets/preset/{preset.pk}/change/", data)


def test_a_changed_configuration_becomes_the_next_version(admin):
    answer = change(admin, config='{"history": {"strategy": "newestFirst", "maxTokens": 80000}}', note="Newest first")
    assert answer.status_code == 302
    version = services.current("plain")
    assert (version.number, version.note, version.author.username) == (2, "Newest first", "keeper")
    assert version.config == {"history": {"strategy": "newestFirst"}}


def test_the_same_configuration_makes_no_version(admin):
    assert change(admin, title="Plain as day").status_code == 302
    assert services.current("plain").number == 1
    assert Preset.objects.get(slug="plain").title == "Plain as day"


def test_a_change_needs_a_note(admin):
    page = change(admin, config='{"model": "gpt-4o-mini"}').content.decode()
    assert "Say in a few words why" in page
    assert services.current("plain").number == 1


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        ('{"skillsBugdet": {}}', "Did you mean skillsBudget?"),
        ('{"model": }', "line 1, column 11"),
        ('{"history": {"strategy": "middleOut"}}', "history.strategy"),
    ],
)
def test_a_bad_configuration_says_what_where_and_how_to_mend(admin, config, sentence):
    page = change(admin, config=config, note="x").content.decode()
    assert sentence in page
    assert services.current("plain").number == 1


def test_every_mistake_is_named_at_once(admin):
    page = change(admin, config='{"skillsBugdet": {}, "modle": "x"}', note="x").content.decode()
    assert "skillsBugdet" in page
    assert "Did you mean model?" in page


def test_a_version_published_meanwhile_is_not_overwritten(admin):
    services.publish(Preset.objects.get(slug="plain"), config={"model": "gpt-4o-mini"}, note="x", author=None)
    page = change(admin, config='{"model": "gpt-4.1"}', note="y", based_on=1).content.decode()
    assert "v2 was published while you were editing v1" in page
    assert services.current("plain").number == 2


def test_a_new_preset_starts_with_version_one(admin):
    data = {"title": "Reviews", "slug": "reviews", "config": '{"model": "gpt-4o-mini"}', "position": 9, "based_on": 0}
    assert admin.post("/admin/presets/preset/add/", data).status_code == 302
    version = services.current("reviews")
    assert (version.number, version.note) == (1, "First version.")


def test_an_older_version_can_be_published_again(admin):
    change(admin, config='{"model": "gpt-4o-mini"}', note="x")
    pk = Preset.objects.get(slug="plain").pk
    assert admin.post(f"/admin/presets/preset/{pk}/roll-back/1/").status_code == 302
    assert (services.current("plain").number, services.current("plain").config) == (3, {})


def test_rolling_back_needs_a_post_and_the_right(admin, client):
    pk = Preset.objects.get(slug="plain").pk
    assert admin.get(f"/admin/presets/preset/{pk}/roll-back/1/").status_code == 405
    client.force_login(User.objects.create_user("guest", is_staff=True))
    assert client.post(f"/admin/presets/preset/{pk}/roll-back/1/").status_code == 403
    assert services.current("plain").number == 1


def test_neither_presets_nor_versions_can_be_deleted_or_rewritten(admin):
    version = PresetVersion.objects.get(preset__slug="plain")
    assert admin.get(f"/admin/presets/preset/{version.preset_id}/delete/").status_code == 403
    assert admin.get(f"/admin/presets/presetversion/{version.pk}/delete/").status_code == 403
    assert admin.get("/admin/presets/presetversion/add/").status_code == 403
    page = admin.get(f"/admin/presets/presetversion/{version.pk}/change/").content.decode()
    assert 'name="config"' not in page


@pytest.mark.parametrize("path", ["", "presets/preset/", "presets/preset/add/", "presets/presetversion/"])
def test_the_admin_opens_under_the_strict_content_policy(admin, path):
    answer = admin.get(f"/admin/{path}")
    assert answer.status_code == 200
    assert "unsafe" not in answer.headers["Content-Security-Policy"]
    assert b"<style" not in answer.content


def test_where_the_numbers_come_from_is_part_of_a_version(admin):
    fields = {"harness": "Harbour CLI", "harness_version": "3.1", "source_url": "https://example.org/limits"}
    page = change(admin, **fields).content.decode()
    assert "Say in a few words why" in page
    assert change(admin, **fields, checked_on="2026-11-20", note="Checked").status_code == 302
    version = services.current("plain")
    assert (version.number, version.config, version.harness, version.checked_on.isoformat()) == (
        2,
        {},
        "Harbour CLI",
        "2026-11-20",
    )
    assert change(admin, **fields, checked_on="2026-11-20").status_code == 302
    assert services.current("plain").number == 2
    shown = admin.get("/presets/plain/v2/").content.decode()
    assert "Harbour CLI 3.1" in shown
    assert 'href="https://example.org/limits"' in shown
