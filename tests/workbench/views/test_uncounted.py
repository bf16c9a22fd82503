"""A text on which a tokenizer breaks off: the workspace's page says so and offers to take the change back."""

from __future__ import annotations

import json

import pytest
from django.test import Client
from django.urls import reverse

from budgeteer.engine.counting import tokenizers
from budgeteer.workbench.models import Workspace
from budgeteer.workbench.preview import forget_previews

pytestmark = pytest.mark.django_db

#: tiktoken's expression would overflow on it: a doubtful letter behind a million blanks.
OVERFLOWING = "x" + " " * 1_000_001 + "\u017f y"


class Panic(BaseException):
    """What a panic of native code is in Python."""


def test_a_pasted_configuration_with_a_million_blanks_leaves_a_page(client: Client, session: Workspace) -> None:
    ranges = [{"topic": "one", "ranges": [{"startId": "m001", "endId": "m003", "summary": OVERFLOWING}]}]
    pasted = json.dumps({"pruning": {"mode": "manual", "ranges": ranges}})
    answer = client.post(reverse("workbench:paste_config", args=[session.id]), {"config": pasted})
    assert answer.status_code in (303, 413, 422)  # taken, or refused with a sentence
    assert client.get(session.get_absolute_url()).status_code == 200


def test_a_text_that_the_tokenizer_breaks_off_on_is_a_sentence_on_the_page_beside_undo(
    client: Client, session: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def panic(_name: str) -> object:
        raise Panic

    client.post(reverse("workbench:texts", args=[session.id]), {"query": "a doubtful letter: \u017f"})
    forget_previews()
    monkeypatch.setattr(tokenizers, "reference_for", panic)
    page = client.get(session.get_absolute_url())
    assert page.status_code == 200
    assert "broke off on a text" in page.content.decode()
    assert reverse("workbench:undo", args=[session.id]) in page.content.decode()
