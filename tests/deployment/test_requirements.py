"""requirements.txt, by which production is installed: the pinned versions of all that is needed, each with hashes."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from importlib.metadata import distribution

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.deployment.installed import ROOT

PINNED = re.compile(r"^(?P<name>[a-z0-9-]+)==(?P<version>\S+)(?: ; (?P<marker>.+?))? \\$")
HASH = re.compile(r"^    --hash=sha256:[0-9a-f]{64}(?: \\)?$")
DEVELOPMENT = "dev"


def blocks() -> dict[str, tuple[str, str | None, int]]:
    """By name: the version, the environments that it is for (None for all), the number of its hashes."""
    found: dict[str, tuple[str, str | None, int]] = {}
    name = ""
    for line in (ROOT / "requirements.txt").read_text().splitlines():
        if line.startswith("#"):
            continue
        if match := PINNED.match(line):
            name = match["name"]
            assert name not in found
            found[name] = (match["version"], match["marker"], 0)
        else:
            assert HASH.match(line), line
            version, marker, hashes = found[name]
            found[name] = (version, marker, hashes + 1)
    return found


def needed(wanted: Requirement, seen: set[tuple[str, str]]) -> Iterator[str]:
    """The names of a requirement and of all that it needs here, as what is installed says."""
    name = canonicalize_name(wanted.name)
    yield name
    for extra in ("", *wanted.extras):
        if (name, extra) in seen:
            continue
        seen.add((name, extra))
        for text in distribution(name).requires or ():
            inner = Requirement(text)
            if inner.marker is None or inner.marker.evaluate({"extra": extra}):
                yield from needed(inner, seen)


@pytest.fixture(scope="module")
def required() -> dict[str, tuple[str, str | None, int]]:
    return blocks()


def test_every_version_is_the_pinned_one_and_every_file_is_known_by_its_hash(
    required: dict[str, tuple[str, str | None, int]],
) -> None:
    pins = dict(line.split("==") for line in (ROOT / "constraints.txt").read_text().splitlines())
    for name, (version, marker, hashes) in required.items():
        assert hashes, name
        assert marker or pins.get(name) == version, f"{name}: run `make requirements`"
        assert pins.get(name, version) == version, f"{name}: run `make requirements`"


def test_all_that_is_needed_is_there_and_nothing_else(required: dict[str, tuple[str, str | None, int]]) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    asked = [*project["dependencies"]]
    for extra, texts in project["optional-dependencies"].items():
        asked += [] if extra == DEVELOPMENT else texts
    seen: set[tuple[str, str]] = set()
    names = {name for text in asked for name in needed(Requirement(text), seen)}
    assert names == {name for name, (_, marker, _) in required.items() if marker is None or name in names}


def test_no_address_is_named() -> None:
    assert "://" not in (ROOT / "requirements.txt").read_text()
