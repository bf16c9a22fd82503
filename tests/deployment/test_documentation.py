"""What docs/deployment.md tells people to write and to run is taken by the programs that read it."""

from __future__ import annotations

import re
import shlex

import pytest
import yaml

from tests.deployment.about_services import parsed
from tests.deployment.reading import ROOT, SET_BY_THE_OPERATOR, Deployment, read_compose

PAGE = (ROOT / "docs" / "deployment.md").read_text()
OVERRIDES = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
COMMANDS = sorted(set(re.findall(r"`(budgeteer (?:serve|doctor)[^`\n]*)`", PAGE)))


def test_there_is_something_to_look_at() -> None:
    assert len(OVERRIDES) >= 2
    assert len(COMMANDS) >= 5


@pytest.mark.parametrize("text", OVERRIDES)
def test_an_override_fits_the_compose_file(text: str) -> None:
    override, whole = read_compose(text, SET_BY_THE_OPERATOR), Deployment().compose
    for name, service in override["services"].items():
        assert name in whole["services"] or service["image"].rpartition(":")[2] not in ("", "latest")
        assert set(service["networks"]) <= set(whole["networks"])
        assert set(service.get("depends_on", {})) <= set(whole["services"])
        mounted = {volume.split(":")[0] for volume in service.get("volumes", [])}
        volumes = {name for name in mounted if not name.startswith("./")}  # those are files of the machine
        assert volumes <= set(yaml.safe_load(text).get("volumes", {}))


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_is_one_the_program_takes(command: str) -> None:
    assert parsed(shlex.split(command))


def test_the_services_are_all_explained() -> None:
    rows = re.findall(r"^\| `([a-z-]+)` \|", PAGE.partition("## By hand")[0], re.MULTILINE)
    assert rows == list(Deployment().ours)


def test_variables_of_the_compose_file_are_explained() -> None:
    asked = set(re.findall(r"\$\{(\w+)", Deployment().texts["docker-compose.yml"])) - {"BUDGETEER_IMAGE"}
    assert {name for name in asked if f"{name}=" not in PAGE and f"`{name}`" not in PAGE} == set()
