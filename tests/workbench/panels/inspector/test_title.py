from __future__ import annotations

import json
import re
from html import unescape

from django.test import Client

from budgeteer.workbench.panels.inspector.panel import TITLE_CHARS
from budgeteer.workbench.services import packing_of

LONG = "Please look at the tide tables of last winter and say which of the berths were too shallow. " * 3


def test_a_long_message_gives_its_beginning_as_the_title_and_its_text_below(
    client: Client, open_over, run_jobs
) -> None:
    talk = [{"role": "user", "content": LONG}, {"role": "assistant", "content": "Two."}]
    workspace = open_over(("talk.json", json.dumps(talk).encode()))
    client.get(workspace.get_absolute_url())
    run_jobs()
    item = next(one.id for one in packing_of(workspace).ledger if one.section == "history")
    html = unescape(client.get(workspace.get_absolute_url(), {"sel": item}).content.decode())
    title = re.search(r'<h2 class="grow name">([^<]*)</h2>', html)[1]
    assert title.endswith("…")
    assert len(title) <= TITLE_CHARS
    assert LONG.startswith(title.rstrip("…"))
    assert LONG.strip() in html
