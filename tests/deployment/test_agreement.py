"""The deployment files agree with each other and with Budgeteer; and every rule that says so can fail."""

from __future__ import annotations

import pytest

from tests.deployment import about_safety, about_services, about_the_image  # noqa: F401 - they register their rules
from tests.deployment.breaks import BREAKS, Break
from tests.deployment.reading import SET_BY_THE_OPERATOR, Deployment, Refused, read_compose, seconds
from tests.deployment.rules import RULES

CASES = [(name, change) for name, changes in BREAKS.items() for change in changes]


@pytest.fixture(scope="module")
def deployment() -> Deployment:
    return Deployment()


@pytest.mark.parametrize("name", sorted(RULES))
def test_the_files_agree(deployment: Deployment, name: str) -> None:
    assert list(RULES[name](deployment)) == []


def test_every_rule_is_tried() -> None:
    assert set(BREAKS) == set(RULES)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "change"), CASES, ids=[f"{name}-{change.instead!r}" for name, change in CASES])
def test_a_rule_finds_what_breaks_it(deployment: Deployment, name: str, change: Break) -> None:
    text = deployment.texts[change.file]
    assert change.there in text
    broken = Deployment({change.file: text.replace(change.there, change.instead, 1)})
    assert list(RULES[name](broken)) != []


@pytest.mark.parametrize(
    ("there", "instead", "sentence"),
    [
        ("read_only: true", "readonly: true", "'readonly' was unexpected"),
        ("init: true", "init: true\n  init: true", "init stands twice"),
        ("read_only: true", "read_only: [1]", "not of type"),
        ("services:\n", "servicess:\n", "'servicess' does not match"),
    ],
)
def test_a_compose_file_that_no_engine_takes_is_refused(
    deployment: Deployment, there: str, instead: str, sentence: str
) -> None:
    text = deployment.texts["docker-compose.yml"]
    assert there in text
    with pytest.raises(Refused, match=sentence):
        read_compose(text.replace(there, instead), SET_BY_THE_OPERATOR)


def test_whoever_forgets_the_host_names_is_told_so(deployment: Deployment) -> None:
    with pytest.raises(Refused, match="ALLOWED_HOSTS: say which host names"):
        read_compose(deployment.texts["docker-compose.yml"], {})


def test_durations_are_read() -> None:
    assert [seconds(given) for given in ("20s", "1m30s", "500ms", "1h")] == [20, 90, 0.5, 3600]


def test_what_is_ignored_follows_the_last_pattern_that_fits() -> None:
    deployment = Deployment({".dockerignore": "*\n!kept\n**/cache\nkept/*.log\n"})
    ignored = ["other", "other/file", "kept/cache", "kept/deep/cache/x", "kept/a.log"]
    assert [path for path in ignored if not deployment.is_ignored(path)] == []
    assert [path for path in ("kept", "kept/file", "kept/deep/a.log") if deployment.is_ignored(path)] == []
