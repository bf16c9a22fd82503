"""The units for systemd say what docker-compose.yml says, and systemd's own checks take them."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from budgeteer.env import settings_table
from tests.deployment.about_services import parsed
from tests.deployment.reading import ROOT, Deployment

UNITS = ROOT / "systemd"
COMMON = UNITS / "budgeteer-.service.d" / "common.conf"
PROGRAM = "/opt/budgeteer/venv/bin/"
#: Each service of docker-compose.yml that is ours, and its unit.
UNIT_OF = {
    "migrate": "budgeteer-migrate.service",
    "web": "budgeteer-web.service",
    "worker": "budgeteer-worker@.service",
    "worker-small": "budgeteer-worker-small@.service",
    "scheduler": "budgeteer-scheduler.service",
}
#: Of 10, the worst; systemd calls everything below 2 OK.
MOST_EXPOSED = 2.0

type Unit = dict[str, list[str]]


def read_unit(path: Path) -> Unit:
    """The values of each key of `[Section]key`, in their order."""
    found: dict[str, list[str]] = defaultdict(list)
    section = ""
    for line in path.read_text().splitlines():
        if match := re.fullmatch(r"\[(\w+)\]", line):
            section = match[1]
        elif line and not line.startswith("#"):
            key, _, value = line.partition("=")
            found[f"{section}.{key}"].append(value)
    return found


def environment(unit: Unit) -> dict[str, str]:
    return dict(each.split("=", 1) for each in unit["Service.Environment"])


def test_every_service_has_its_unit_and_no_unit_is_left_over() -> None:
    assert list(UNIT_OF) == list(Deployment().ours)
    assert {path.name for path in UNITS.glob("*.service")} == set(UNIT_OF.values())


@pytest.mark.parametrize("service", UNIT_OF)
def test_a_unit_runs_what_the_service_runs_within_the_same_bounds(service: str) -> None:
    unit, given = read_unit(UNITS / UNIT_OF[service]), Deployment().ours[service]
    [command] = unit["Service.ExecStart"]
    words = shlex.split(command.removeprefix(PROGRAM).replace("-%i", "").replace("127.0.0.1", "0.0.0.0"))
    assert parsed(words)
    served = [*given["command"], *(["--port", "8000"] if service == "web" and "--port" not in given["command"] else [])]
    assert words == ["budgeteer", *served]
    limits = given["deploy"]["resources"]["limits"]
    assert unit["Service.MemoryMax"] == [limits["memory"]]
    assert unit["Service.TasksMax"] == [str(limits["pids"])]
    assert unit["Service.Restart"] == ([] if service == "migrate" else ["always"])
    after = unit["Unit.Requires"] + unit["Unit.After"]
    assert after == ([] if service == "migrate" else [UNIT_OF["migrate"]] * 2)


def test_the_environment_is_the_services_but_for_its_places() -> None:
    common = environment(read_unit(COMMON))
    names = {setting.name for setting in settings_table()}
    assert {name.removesuffix("_FILE") for name in common} <= names
    compose = Deployment().environment("web")
    places = {"BUDGETEER_DATA_DIR", "BUDGETEER_STATIC_ROOT"} | {name for name in common if name.endswith("_FILE")}
    assert places <= compose.keys()
    assert {name: common[name] for name in common.keys() - places} == {
        name: compose[name] for name in common.keys() - places
    }
    assert (compose.keys() & names) - common.keys() == {"ALLOWED_HOSTS", "BUDGETEER_HTTPS", "BUDGETEER_TRUST_PROXY"}


def test_the_target_starts_every_part_that_runs_for_long() -> None:
    wanted = " ".join(read_unit(UNITS / "budgeteer.target")["Unit.Wants"]).split()
    started = {re.sub(r"@\d+", "@", each) for each in wanted}
    assert started == set(UNIT_OF.values()) - {UNIT_OF["migrate"]}


@pytest.fixture(scope="module")
def installed_units(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The units with a program that is there; the documented one is made by hand."""
    folder = tmp_path_factory.mktemp("units") / "systemd"
    shutil.copytree(UNITS, folder)
    for path in folder.glob("*.service"):
        path.write_text(path.read_text().replace(PROGRAM, f"{Path(sys.executable).parent}/"))
    return folder


@pytest.mark.skipif(sys.platform != "linux", reason="the units are for Linux, and so is what checks them")
def test_systemd_takes_the_units(installed_units: Path) -> None:
    units = [str(path) for path in sorted(installed_units.glob("budgeteer*.*")) if path.is_file()]
    done = subprocess.run(["systemd-analyze", "verify", *units], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(sys.platform != "linux", reason="the units are for Linux, and so is what checks them")
@pytest.mark.parametrize("unit", [name.replace("@.", "@1.") for name in UNIT_OF.values()])
def test_a_part_may_do_little_else_to_its_machine(installed_units: Path, unit: str) -> None:
    command = ["systemd-analyze", "security", "--offline=true", "--no-pager", unit]
    variables = {"SYSTEMD_UNIT_PATH": f"{installed_units}:", "PATH": "/usr/bin:/bin"}
    found = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
    exposure = re.search(r"Overall exposure level for \S+: ([\d.]+)", found.stdout)
    assert exposure is not None, found.stdout + found.stderr
    assert float(exposure[1]) <= MOST_EXPOSED
