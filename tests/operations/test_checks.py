"""Looking at a part without being held up by it."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator

import pytest

from budgeteer.operations import checks
from budgeteer.operations.checks import CHECKS, OWN_CHECKS, DoctorCheck, examine, selected
from budgeteer.operations.findings import Finding, FindingState, failed, ok, worst

pytestmark = pytest.mark.pure

never = threading.Event()


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """`DoctorCheck.place` names one of the functions below."""
    monkeypatch.setattr(DoctorCheck, "look", lambda check: list(globals()[check.place]()))


def well() -> Iterator[Finding]:
    yield ok("well", "It is well.")


def down() -> Iterator[Finding]:
    yield failed("down", "It is down.", mend="Start it")


def partly() -> Iterator[Finding]:
    yield ok("partly", "It answers.")
    yield failed("something in it", "It is full.", mend="Empty it")


def hangs() -> Iterator[Finding]:
    never.wait(30)
    yield ok("hangs", "Too late.")


def breaks() -> Iterator[Finding]:
    raise ZeroDivisionError("nobody thought of this")


def test_each_part_is_looked_at_in_turn(looks: None) -> None:
    found = examine([DoctorCheck("well", "well"), DoctorCheck("partly", "partly")], seconds=5)
    assert list(found) == ["well", "partly"]
    assert [finding.state for finding in found["partly"]] == ["ok", "failed"]


def test_a_part_that_hangs_is_given_up(looks: None) -> None:
    started = time.monotonic()
    [finding] = examine([DoctorCheck("hangs", "hangs")], seconds=0.2)["hangs"]
    assert time.monotonic() - started < 20  # not the 30 s that it hangs
    assert finding.state == "failed"
    assert re.fullmatch(r"It has not answered for \d+\.\d s\.", finding.sentence)
    never.set()


def test_a_check_that_breaks_off_is_a_finding(looks: None) -> None:
    [finding] = examine([DoctorCheck("breaks", "breaks")], seconds=5)["breaks"]
    assert finding.state == "failed"
    assert "ZeroDivisionError: nobody thought of this" in finding.sentence


def test_what_needs_a_part_that_failed_is_not_looked_at(looks: None) -> None:
    table = [
        DoctorCheck("down", "down"),
        DoctorCheck("next", "breaks", ("down",)),
        DoctorCheck("last", "breaks", ("next",)),
    ]
    found = examine(table, seconds=5)
    assert [(one.state, one.sentence) for part in ("next", "last") for one in found[part]] == [
        ("warning", "Not looked at: it needs down."),
        ("warning", "Not looked at: it needs next."),
    ]


def test_what_needs_a_part_with_one_thing_wrong_in_it_is_looked_at(looks: None) -> None:
    found = examine([DoctorCheck("partly", "partly"), DoctorCheck("well", "well", ("partly",))], seconds=5)
    assert found["well"][0].state == "ok"


def test_every_need_comes_before_what_needs_it_and_every_place_exists() -> None:
    before: set[str] = set()
    for check in CHECKS:
        assert set(check.needs) <= before
        before.add(check.part)
    for check in (*CHECKS, *OWN_CHECKS):
        module, _, function = check.place.partition(":")
        source = (checks.__spec__.origin or "").replace("checks.py", f"{module}.py")
        with open(source) as file:  # noqa: PTH123 — importing it would need Django
            assert f"\ndef {function}(" in file.read()


def test_one_part_is_selected_with_what_it_needs_in_order() -> None:
    assert [check.part for check in selected("jobs")] == ["environment", "database", "migrations", "jobs"]
    assert [check.part for check in selected("tokenizers")] == ["tokenizers"]
    assert selected(None) == list(CHECKS)


@pytest.mark.parametrize("part", ["worker", "scheduler"])
def test_a_process_by_itself_means_the_one_of_this_host(part: str) -> None:
    assert [(check.part, check.place) for check in selected(part)] == [
        ("environment", "installation:environment"),
        (part, f"processes:own_{part}"),
    ]


def test_the_whole_is_as_its_worst_part() -> None:
    assert worst([]) is FindingState.OK
    assert worst([ok("a", "."), failed("b", ".", mend=""), ok("c", ".")]) is FindingState.FAILED
