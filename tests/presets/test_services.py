from __future__ import annotations

import pytest
from django.db import IntegrityError, transaction

from budgeteer.engine.errors import ConfigError
from budgeteer.presets import services
from budgeteer.presets.models import Preset, PresetVersion, VersionIsImmutable
from budgeteer.presets.seeds import SEEDS, plant

pytestmark = pytest.mark.django_db


def test_the_presets_of_the_product_ship_in_their_order():
    ours = ["agent-default", "skills-library", "plain", "long-agent-run"]
    agents = ["claude-code", "codex", "gemini-cli", "opencode-pruning", "copilot"]
    assert [version.preset.slug for version in services.choices()] == ours + agents


def test_the_default_is_the_agent_preset():
    assert services.default().preset.slug == "agent-default"


def test_the_default_moves_on_when_the_agent_preset_is_no_longer_offered():
    Preset.objects.filter(slug="agent-default").update(is_offered=False)
    assert services.default().preset.slug == "skills-library"


def test_publishing_makes_the_next_version_the_current_one():
    preset = Preset.objects.get(slug="plain")
    published = services.publish(preset, config={"history": {"strategy": "newestFirst"}}, note="Why", author=None)
    assert (published.number, services.current("plain")) == (2, published)
    assert services.config_of(published)["history"]["strategy"] == "newestFirst"


def test_what_cannot_be_used_is_not_published():
    preset = Preset.objects.get(slug="plain")
    with pytest.raises(ConfigError):
        services.publish(preset, config={"histroy": {}}, note="", author=None)
    assert services.current("plain").number == 1


def test_rolling_back_publishes_the_old_configuration_anew():
    preset = Preset.objects.get(slug="plain")
    first = services.current("plain")
    services.publish(preset, config={"history": {"strategy": "newestFirst"}}, note="Why", author=None)
    back = services.roll_back(first, author=None)
    assert (back.number, back.config, back.note) == (3, first.config, "Back to v1.")


def test_a_version_cannot_be_changed():
    version = services.current("plain")
    version.config = {"model": "other"}
    with pytest.raises(VersionIsImmutable):
        version.save()


def test_a_number_stands_once_in_a_preset():
    version = services.current("plain")
    with pytest.raises(IntegrityError), transaction.atomic():
        PresetVersion.objects.create(preset=version.preset, number=version.number)


def test_planting_again_changes_nothing():
    before = list(PresetVersion.objects.values_list("pk", flat=True))
    plant(using="default")
    assert list(PresetVersion.objects.values_list("pk", flat=True)) == before


def test_planting_brings_back_what_is_missing():
    PresetVersion.objects.all().delete()
    Preset.objects.all().delete()
    plant(using="default")
    assert {version.preset.slug for version in services.newest_versions()} == {seed.slug for seed in SEEDS}


def test_usage_is_summed_over_counters(monkeypatch):
    counters = [lambda slugs: dict.fromkeys(slugs, 2), lambda _slugs: {"plain": 3}]
    monkeypatch.setattr(services, "_usage_counters", counters)
    assert services.usage_of(["plain", "agent-default"]) == {"plain": 5, "agent-default": 2}


def test_usage_is_unknown_when_nobody_counts(monkeypatch):
    monkeypatch.setattr(services, "_usage_counters", [])
    assert services.usage_of(["plain"]) is None
