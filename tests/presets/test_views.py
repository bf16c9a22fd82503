from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from budgeteer.presets import services
from budgeteer.presets.models import Preset

pytestmark = pytest.mark.django_db


@pytest.fixture
def reader(client):
    client.force_login(User.objects.create_user("reader"))
    return client


def test_the_catalogue_says_what_each_preset_changes(reader):
    page = reader.get("/presets/").content.decode()
    assert "skillsBudget.enabled" in page
    assert "the engine&#x27;s own defaults" in page or "the engine's own defaults" in page
    assert "Edit in the admin" not in page


def test_a_version_shows_what_it_changed_and_why(reader):
    preset = Preset.objects.get(slug="skills-library")
    config = {"skillsBudget": {"enabled": True, "limits": {"maxSkillsPromptChars": 36_000}}}
    services.publish(preset, config=config, note="More room <now>.", author=None)
    page = reader.get("/presets/skills-library/v2/").content.decode()
    assert "Changed since v1" in page
    assert "&quot;maxSkillsPromptChars&quot;: 36000" in page or '"maxSkillsPromptChars": 36000' in page
    assert "More room &lt;now&gt;." in page


def test_an_older_version_points_to_the_newest(reader):
    services.publish(Preset.objects.get(slug="plain"), config={"model": "gpt-4o-mini"}, note="x", author=None)
    assert "This is an older version" in reader.get("/presets/plain/v1/").content.decode()


@pytest.mark.parametrize("path", ["/presets/plain/v9/", "/presets/nothing/v1/", "/presets/plain/v0/"])
def test_what_does_not_exist_is_not_found(reader, path):
    assert reader.get(path).status_code == 404


def test_signed_out_readers_are_sent_to_sign_in(client):
    assert client.get("/presets/").status_code == 302
