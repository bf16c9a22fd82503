from __future__ import annotations

import re
from html import unescape

import pytest
from django.test import Client

from budgeteer.workbench.panels.registry import PANELS


@pytest.fixture
def page() -> str:
    return Client(SERVER_NAME="localhost").get("/help/").content.decode()


@pytest.mark.django_db
def test_help_is_open_to_everybody(page: str, client: Client) -> None:
    for html in (page, client.get("/help/").content.decode()):
        assert "Output reserve" in html
        assert "Claude Code session" in html


@pytest.mark.django_db
def test_help_lists_the_keys_of_every_panel(page: str) -> None:
    row = next(row for row in re.findall(r"<tr>.*?</tr>", page) if "the workbench's views" in unescape(row))
    assert re.findall(r"<kbd>(\d)</kbd>", row) == ["1", str(len(PANELS))]
    places = [row.index(panel.title) for panel in PANELS.values()]
    assert places == sorted(places)
