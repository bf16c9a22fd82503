"""Kinds of jobs: a name belongs to one function, and a name that nobody registered is an error that says so."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from budgeteer.jobs import registry


@pytest.fixture(autouse=True)
def known() -> Iterator[None]:
    """The registry as it was before the test."""
    before = dict(registry._kinds)
    yield
    registry._kinds.clear()
    registry._kinds.update(before)


def work(**_arguments: object) -> None:
    """A job that does nothing."""


def test_a_registered_kind_is_found_and_may_be_registered_again_by_its_own_module() -> None:
    for _ in range(2):
        assert registry.job("tests.work", title="Work")(work) is work
    assert registry.find("tests.work") == registry.JobKind("tests.work", "Work", work)


@pytest.mark.parametrize("module", [__name__, "tests.elsewhere"])
def test_two_functions_may_not_claim_one_name(module: str) -> None:
    def stranger(**_arguments: object) -> None:
        """Another job, of the same module or of another."""

    stranger.__module__ = module
    registry.job("tests.work", title="Work")(work)
    with pytest.raises(
        ValueError, match=rf"Two functions claim the job 'tests.work': .*\.work and {module}.*\.stranger"
    ):
        registry.job("tests.work", title="Work")(stranger)


def test_a_name_that_nobody_registers_is_an_error() -> None:
    with pytest.raises(registry.UnknownKind, match=r"No job is registered as 'tests.nothing'"):
        registry.find("tests.nothing")
