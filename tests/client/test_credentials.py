"""Tokens are kept in a file for its owner only."""

from __future__ import annotations

import stat

import pytest

from budgeteer.client import credentials
from budgeteer.client.credentials import Login
from budgeteer.engine.errors import InputError

HOME, WORK = Login("http://localhost:8000", "bgt_home"), Login("https://work.example", "bgt_work")


def test_the_last_login_is_used_unless_another_is_named() -> None:
    credentials.keep(HOME)
    credentials.keep(WORK)
    assert credentials.find() == WORK
    assert credentials.find(HOME.url) == HOME
    assert credentials.forget(WORK.url)
    assert not credentials.forget(WORK.url)
    assert credentials.find() == HOME


@pytest.mark.parametrize("written", ["https://work.example/w/1", "work.example", "https://WORK.example/"])
def test_a_login_is_found_however_its_address_is_written(written: str, monkeypatch: pytest.MonkeyPatch) -> None:
    credentials.keep(WORK)
    credentials.keep(HOME)
    assert credentials.find(written) == WORK
    monkeypatch.setenv("BUDGETEER_URL", written)
    assert credentials.find() == WORK


def test_only_the_owner_may_read_the_file() -> None:
    place = credentials.keep(HOME)
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    assert stat.S_IMODE(place.parent.stat().st_mode) == 0o700
    place.chmod(0o644)
    with pytest.raises(InputError, match="others may read"):
        credentials.find()


def test_the_environment_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    credentials.keep(HOME)
    monkeypatch.setenv("BUDGETEER_URL", WORK.url)
    monkeypatch.setenv("BUDGETEER_TOKEN", WORK.token)
    assert credentials.find() == WORK


def test_the_token_of_the_environment_goes_to_its_own_dashboard_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BUDGETEER_URL", "work.example/")
    monkeypatch.setenv("BUDGETEER_TOKEN", WORK.token)
    assert credentials.find(WORK.url) == WORK
    with pytest.raises(InputError, match="not logged in"):
        credentials.find(HOME.url)
    credentials.keep(HOME)
    assert credentials.find(HOME.url) == HOME


def test_a_token_without_its_dashboard_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    credentials.keep(HOME)
    monkeypatch.setenv("BUDGETEER_TOKEN", WORK.token)
    for url in ("", HOME.url):
        with pytest.raises(InputError) as refused:
            credentials.find(url)
        assert "BUDGETEER_URL" in refused.value.mend


def test_nobody_logged_in_and_a_broken_file_are_told() -> None:
    with pytest.raises(InputError, match="not logged in"):
        credentials.find()
    place = credentials.keep(HOME)
    place.write_text("{")
    with pytest.raises(InputError, match="cannot be read"):
        credentials.find()
