from __future__ import annotations

import re
from itertools import pairwise
from urllib.parse import parse_qsl

import pytest

from budgeteer.engine.content.conversation import text_of
from budgeteer.workbench.config_form.editable import EditableConfig
from budgeteer.workbench.models import Workspace
from budgeteer.workbench.panels.messages.message_runs import PAGE_LINES, page_of
from budgeteer.workbench.panels.messages.panel import MessageLine, MessageList, message_list
from budgeteer.workbench.preview import Packed, preview
from budgeteer.workbench.state import PanelName, ViewState


def packed_of(workspace: Workspace) -> Packed:
    packed = preview(workspace, EditableConfig.of(workspace)).packed
    assert packed is not None
    return packed


def every_line(packed: Packed, **state: object) -> list[MessageLine]:
    first = message_list(packed, ViewState(view=PanelName.MESSAGES, **state))  # type: ignore[arg-type]
    pages = [
        message_list(packed, ViewState(view=PanelName.MESSAGES, page=at + 1, **state)) for at in range(first.pages)
    ]  # type: ignore[arg-type]
    assert all(len(page.lines) <= PAGE_LINES for page in pages)
    return [line for page in pages for line in page.lines]


def number(text: str) -> int:
    return int(text.replace(",", ""))


def figures(text: str) -> list[int]:
    return [number(found) for found in re.findall(r"\d[\d,]*", text)]


def test_the_running_total_ends_where_the_request_does(session: Workspace) -> None:
    packed = packed_of(session)
    shown = message_list(packed, ViewState(view=PanelName.MESSAGES))
    messages = [line for line in every_line(packed) if line.kind == "message"]
    more, total = figures(shown.rest)
    assert total == packed.packing.total.tokens
    assert number(messages[-1].running) + more == total
    (before,) = figures(shown.before)
    assert before == sum(packed.packing.ledger.total(s).tokens for s in ("system", "tools", "skills"))


def test_each_message_stands_once_alone_or_folded(session: Workspace) -> None:
    packed = packed_of(session)
    lines = every_line(packed)
    count = sum(line.kind == "message" for line in lines)
    count += sum(figures(line.text)[0] for line in lines if line.kind == "folded")
    assert count == sum(
        section.demand.items for section in packed.packing.sections if section.name in {"history", "query"}
    )
    turns = [line.label for line in lines if line.kind == "turn"]
    assert len(turns) == len(set(turns))


def test_a_folded_run_says_what_went_and_opens(session: Workspace) -> None:
    packed = packed_of(session)
    folded = next(line for line in every_line(packed) if line.kind == "folded")
    assert folded.fate == "dropped"
    assert re.search(r"Outside the newest [\d,]+ tokens\.", folded.reason.sentence)
    assert folded.reason.short == "Older than what fits"
    opened = ViewState.read(dict(parse_qsl(folded.url.removeprefix("?")))).open
    lines = every_line(packed, open=opened)
    assert not any(line.kind == "folded" and line.anchor == folded.anchor for line in lines)
    assert sum(line.fate == "dropped" for line in lines if line.kind == "message") >= figures(folded.text)[0]


def test_a_reason_stands_at_the_first_of_the_messages_that_it_holds_for(session: Workspace) -> None:
    lines = every_line(packed_of(session), filter="dropped")
    gone = [line for line in lines if line.kind == "message"]
    assert 0 < sum(line.reason is not None for line in gone) < len(gone)
    for above, line in pairwise(lines):
        assert line.kind != "message" or above.reason is None or line.reason is None or line.reason != above.reason
        assert line.reason or line.kind == "turn" or above.kind == "message"  # the first of a turn says it again


@pytest.mark.parametrize("fate", ["kept", "dropped"])
def test_a_filter_leaves_one_fate_and_folds_nothing(session: Workspace, fate: str) -> None:
    packed = packed_of(session)
    lines = every_line(packed, filter=fate)
    assert {line.kind for line in lines} == {"message", "turn"}
    assert {line.fate for line in lines if line.kind == "message"} == {fate}


def test_a_search_reads_the_whole_text(session: Workspace) -> None:
    packed = packed_of(session)
    history = packed.packing.bundle.history
    row, text = next((row, text_of(message)) for row, message in enumerate(history) if len(text_of(message)) > 600)
    wanted = text[400:420].strip()
    expected = sum(wanted.casefold() in text_of(message).casefold() for message in history)
    found = [line for line in every_line(packed, q=wanted) if line.kind == "message"]
    assert f"m{row + 1:03d}" in {line.label for line in found}
    assert len(found) == expected


def test_a_message_is_found_on_its_page(session: Workspace) -> None:
    packed = packed_of(session)
    for decision in list(packed.packing.ledger)[::17]:
        page = page_of(packed, decision.id)
        shown = message_list(packed, ViewState(view=PanelName.MESSAGES, page=page, open=decision.id, sel=decision.id))
        is_message = decision.section in {"history", "query"}
        assert any(line.is_selected for line in shown.lines) == is_message


def test_nothing_matches(session: Workspace) -> None:
    shown: MessageList = message_list(
        packed_of(session), ViewState(view=PanelName.MESSAGES, q="no such words anywhere")
    )
    assert not shown.lines
    assert "Clear the filter" in shown.empty
