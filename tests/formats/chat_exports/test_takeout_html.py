"""Google Takeout's pages of activities: read as the JSON of the same activities is, in several languages."""

from __future__ import annotations

import pytest

from budgeteer.engine.content.conversation import text_of
from budgeteer.engine.errors import FormatError
from budgeteer.formats.detect import import_bytes
from tests.formats.shapes import zipped

HEAD = (
    '<html><head><title>My Activity History</title><style>.mdl-cell{margin:8px}</style></head><body><div class="mdl">'
)
CLASSES = "mdl-cell mdl-cell--6-col mdl-typography--body-1"


def cell(body: str, header: str = "Gemini Apps") -> str:
    return (
        '<div class="outer-cell mdl-cell mdl-cell--12-col mdl-shadow--2dp"><div class="mdl-grid">'
        f'<div class="header-cell"><p class="mdl-typography--title">{header}<br></p></div>'
        f'<div class="content-cell {CLASSES}">{body}</div>'
        f'<div class="content-cell {CLASSES} mdl-typography--text-right"></div>'
        '<div class="content-cell mdl-typography--caption"><b>Products:</b><br>&emsp;Gemini Apps<br></div></div></div>'
    )


def page(*cells: str) -> bytes:
    return f"{HEAD}{''.join(cells)}</div></body></html>".encode()


SECOND = cell(
    "Prompted&nbsp;Which one is deeper?<br>Mar 1, 2026, 10:04:00\u202fAM CET<br><p>The <b>northern</b> one.</p>"
)
FIRST = cell("Prompted&nbsp;Name two lakes<br>Mar 1, 2026, 10:02:00\u202fAM CET<br><p>Inari and Saimaa.</p>")
TOLD = ["Name two lakes", "Inari and Saimaa.", "Which one is deeper?", "The northern one."]


@pytest.mark.parametrize("data", [page(SECOND, FIRST), zipped({"Takeout/MyActivity.html": page(SECOND, FIRST)})])
def test_a_page_of_activities_is_read_by_its_times(data: bytes) -> None:
    found = import_bytes(data)
    assert found.format in ("gemini-activity", "transcripts")
    (chat,) = found.conversations
    assert [text_of(each) for each in chat.messages] == TOLD
    assert chat.messages[0].created == "2026-03-01T10:02:00+00:00"
    assert not any("of its text" in line for line in found.warnings)


@pytest.mark.parametrize("time", ["01.03.2026, 10:02:00 MEZ", "1 Mar 2026, 10:02:00 CET", "2026/03/01 10:02:00 JST"])
def test_prompts_of_several_lines_are_whole_whatever_the_language(time: str) -> None:
    body = f"Prompted&nbsp;Name two lakes<br>and a river<br>{time}<br><p>Inari.</p><p>At 10:02 in 2026.</p>"
    (chat,) = import_bytes(page(cell(body))).conversations
    assert [text_of(each) for each in chat.messages] == ["Name two lakes\nand a river", "Inari.\n\nAt 10:02 in 2026."]


def test_what_is_cut_off_or_without_a_reply_is_read_as_far_as_it_goes() -> None:
    found = import_bytes(page(SECOND, FIRST)[:-260])
    assert TOLD[2] in [text_of(each) for chat in found.conversations for each in chat.messages]
    found = import_bytes(page(FIRST, cell("Used an app<br>Mar 1, 2026, 10:02:00 AM CET"), cell("")))
    assert "Activities that are no prompt, left out: 2" in found.warnings


def test_pages_of_other_products_are_refused_by_their_name() -> None:
    with pytest.raises(FormatError, match="a page of activities by Google Takeout, none of them of Gemini"):
        import_bytes(page(cell("Searched for&nbsp;lakes<br>Mar 1, 2026, 10:02:00 AM CET", "Search")))
