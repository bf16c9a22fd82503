"""The accounting of an import: every string of a file is read, left out and said so, or missed and said so."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from contextlib import ExitStack
from tempfile import TemporaryFile
from typing import IO, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgeteer.engine.content.conversation import Message, TextPart
from budgeteer.engine.errors import FormatError
from budgeteer.formats.accounting import LOOKED_AT
from budgeteer.formats.detect import import_bytes, import_file
from budgeteer.formats.field_table import LEFT_OUT, MARKUP, is_metadata
from budgeteer.formats.messages import string_ledger
from budgeteer.formats.messages.accounting import TOLERATED, Accounting, accounting_from_json, joined
from budgeteer.formats.messages.string_ledger import StringLedger, is_payload
from budgeteer.formats.reading.document import Options
from budgeteer.formats.reading.limits import Limits
from budgeteer.formats.registry import registry
from tests.formats.maker_shapes import MAKERS
from tests.formats.makers.chat_exports import CLAUDE_AI
from tests.formats.makers.runs import AMAZON_Q
from tests.formats.shapes import OPENAI_CHAT, Session, dumps, jsonl, text_block, use_block, zipped
from tests.formats.test_fuzz import VALID

UNHEARD = "Nobody has ever written this sentence about seventeen purple walruses before. " * 20
"""Longer than any fixture, and in none."""

PICTURE = b"\x89PNG"


def accounted(data: bytes, **options: Any) -> Accounting:
    account = import_bytes(data, **options).accounting
    assert account is not None
    assert account.read + account.metadata + account.left_out + account.unread == account.characters
    return account


@pytest.mark.parametrize("number", [at for at, data in enumerate(VALID) if not data.startswith(PICTURE)])
def test_nothing_of_a_fixture_is_passed_over(number: int) -> None:
    account = accounted(VALID[number])
    assert account.unread_keys == () or account.unread <= account.characters * TOLERATED
    assert account.sentence() == ""


def injected(data: bytes) -> Iterator[bytes]:
    """A JSON file with the sentence under a key of no maker, in its first object, and in the first one inside that."""
    try:
        values = [json.loads(data)]
    except ValueError:
        try:
            values = [json.loads(line) for line in data.splitlines()]
        except ValueError:
            return
    first = next((value for value in _objects(values)), None)
    for target in (first, next((inner for inner in _objects(list((first or {}).values()))), None)):
        if target is not None:
            target["unheardOf"] = UNHEARD
            yield b"\n".join(json.dumps(value).encode() for value in values)
            del target["unheardOf"]


def _objects(values: list[Any]) -> Iterator[dict[str, Any]]:
    for value in values:
        if isinstance(value, dict):
            yield value
        elif isinstance(value, list):
            yield from _objects(value)


def test_words_under_a_key_that_nobody_reads_are_missed_and_named() -> None:
    lossy = 0
    for data in VALID:
        for damaged in injected(data):
            try:
                found = import_bytes(damaged)
            except FormatError:
                continue
            assert found.accounting is not None
            account = found.accounting
            characters = len(UNHEARD.strip())
            is_told = account.unread >= characters or account.left_out >= characters
            assert is_told or UNHEARD.strip()[:70] in repr(found), damaged[:300]
            if account.is_lossy:
                lossy += 1
                assert any("unheardOf" in one.key for one in account.unread_keys)
                assert "`" in account.sentence()
    assert lossy > 60


def test_the_sentence_names_the_share_and_the_keys_that_hold_most() -> None:
    said = {"role": "user", "content": "abc", "annotation": "one two three four", "note": "five six"}
    account = accounted(dumps([said, {"role": "assistant", "content": "def"}]))
    assert account.is_lossy
    assert account.sentence() == (
        "58 % of the text in this file was not read: 26 of 45 characters, "
        "most of them under `[].annotation` (18 characters), `[].note` (8)"
    )
    assert accounting_from_json(account.to_json()) == account
    assert accounting_from_json(None) is None


def test_a_json_text_is_not_left_out_for_keys_that_another_one_has_too() -> None:
    """Only what it holds counts: the keys of a text that was left out are no words of this one."""

    def row(role: str, words: str) -> dict[str, Any]:
        return {"role": role, "parts": json.dumps([{"type": "text", "data": {"text": words, "mark": True}}])}

    said, other = row("user", "Many piers"), row("somebody", "Two piers")
    account = accounted(jsonl(said, other), as_format="ai-sdk-model")
    assert account.is_lossy
    assert (account.unread, account.left_out) == (len("Many piers"), len(other["parts"]))


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (
            dumps([{
                "role": "assistant",
                "contents": [{"$type": "functionCall", "callId": "k", "functionName": "f", "name": UNHEARD}],
            }]),
            "microsoft-ai",
        ),
        (
            jsonl(
                {
                    "doc_id": 0,
                    "arguments": [["Which?", " A"], ["Which?", " B"]],
                    "resps": [[["-1.5", "True"], UNHEARD], [["-2", ""]]],
                }
            ),
            "lm-eval",
        ),
        (
            jsonl(
                {"type": "context.append_message", "message": {"role": "user", "content": [text_block("Begin")]}},
                {"type": "context.apply_compaction", "summary": UNHEARD, "contextSummary": "Begun.", "count": 1},
            ),
            "kimi-code",
        ),
    ],
)  # fmt: skip
def test_what_stands_beside_a_value_that_was_read_is_accounted_for(data: bytes, name: str) -> None:
    found = import_bytes(data)
    assert (found.format, UNHEARD[:70] in repr(found)) == (name, False)
    assert found.accounting is not None
    assert found.accounting.unread + found.accounting.left_out >= len(UNHEARD.strip())


def test_what_was_compacted_away_and_what_an_interface_shows_is_left_out_and_named() -> None:
    session = Session()
    session.user("u1", "A first question of long ago")
    session.assistant("a1", text_block("An answer that the summary stands for"), message_id="m1")
    session.compact("c1", "Summary")
    session.user("u2", "Go on", toolUseResult={"originalFile": "the whole file as it was"})
    account = accounted(session.data)
    assert account.unread == 0
    assert {one.key for one in account.left_out_keys} >= {"message.content", "toolUseResult.originalFile"}
    assert account.left_out_sentence().startswith("Not sent to a model: `message.content[].text` (37 c")
    assert accounted(session.data, whole=True).left_out < account.left_out


def test_a_large_file_is_estimated_from_a_sample_and_says_so() -> None:
    rows = ({"role": "user", "content": f"Question {number} " + "word " * 50} for number in range(12_000))
    read = accounted(jsonl(*rows))
    assert read.is_estimate
    assert read.characters < 2 * LOOKED_AT
    assert not read.is_lossy
    lost = ({"role": "user", "content": f"{number}", "remark": f"{number} " + "word " * 50} for number in range(12_000))
    account = accounted(jsonl(*lost))
    assert account.sentence().startswith("About 9")
    assert "characters of a sample" in account.sentence()


def test_a_file_read_where_it_lies_is_accounted_as_one_that_is_held() -> None:
    lost = [{"role": "user", "content": f"Question {at}", "remark": f"Lost words {at}"} for at in range(60)]
    for data in (jsonl(*lost), VALID[4], VALID[35], VALID[36], VALID[37]):
        with ExitStack() as stack:

            def scratch(stack: ExitStack = stack) -> IO[bytes]:
                return stack.enter_context(TemporaryFile())

            options = Options(limits=Limits(held_bytes=100), scratch=scratch)
            assert import_file(io.BytesIO(data), options=options).accounting == accounted(data)


def test_an_archive_is_the_sum_of_its_files() -> None:
    lossy = dumps([{"role": "user", "content": "abc", "annotation": "one two three four"}])
    account = accounted(zipped({"a.json": lossy, "b.json": dumps(OPENAI_CHAT)}))
    assert account == joined([accounted(lossy), None, accounted(dumps(OPENAI_CHAT))])
    assert joined([None]) is None
    assert account.unread == 18


def test_files_of_a_library_that_are_not_read_are_left_out() -> None:
    account = accounted(zipped({"a/SKILL.md": "---\nname: a\ndescription: b\n---\nBody", "a/run.py": "print(1)"}))
    assert account.unread == 0
    assert [one.key for one in account.left_out_keys] == ["other files.*.py"]


@given(st.lists(st.text(alphabet="ab cd\n", max_size=30), min_size=1, max_size=6))
def test_joined_cut_and_wrapped_texts_count_as_read(texts: list[str]) -> None:
    ledger = StringLedger()
    for text in texts:
        ledger.expect(text)
    ledger.see_message(Message("user", (TextPart("<x>\n" + "\n".join(texts) + "\n</x>"),)))
    for text in texts:
        bare = sum(len(line.strip()) for line in text.split("\n"))
        assert ledger.fate_of(text) == (bare, 0, 0)


PIECES = st.sampled_from(
    ["tide", "pier\nferry", "  ferry ", '{"a": "tide", "b": ["pier\\nlate"]}', "late", '"pier"', "x\ny"]
)
SHOWN = st.lists(st.tuples(st.booleans(), PIECES), max_size=6)


@given(st.lists(PIECES, min_size=1, max_size=4), SHOWN)
def test_strings_are_told_alike_whether_what_is_shown_is_held_or_not(
    texts: list[str], shown: list[tuple[bool, str]]
) -> None:
    ledgers = [StringLedger(), StringLedger(is_held=False)]
    for ledger in ledgers:
        for text in texts:
            ledger.expect(text)
        for is_read, text in shown:
            (ledger.see if is_read else ledger.leave_out)([text])
    assert [ledgers[0].fate_of(text) for text in texts] == [ledgers[1].fate_of(text) for text in texts]


@given(st.lists(PIECES, min_size=1, max_size=4), st.lists(PIECES, max_size=3), st.lists(PIECES, max_size=3))
def test_what_is_forgotten_was_never_seen(texts: list[str], kept: list[str], gone: list[str]) -> None:
    with_gone, without = StringLedger(is_held=False), StringLedger(is_held=False)
    for ledger in (with_gone, without):
        for text in texts:
            ledger.expect(text)
        ledger.see_parts([TextPart(text) for text in kept])
    with_gone.see_parts([TextPart(text) for text in gone])
    with_gone.forget_parts([TextPart(text) for text in gone])
    assert [with_gone.fate_of(text) for text in texts] == [without.fate_of(text) for text in texts]


def test_a_message_that_no_conversation_has_is_not_read_though_it_was_put_aside() -> None:
    session = Session()
    session.user("u1", "Where is the ferry?")
    session.assistant("a1", use_block("t1"), message_id="m1")
    session.result("r1", "t1", "It left")
    session.result("r2", "t1", "It left, and this answer comes twice")
    with ExitStack() as stack:
        options = Options(limits=Limits(held_bytes=100), scratch=lambda: stack.enter_context(TemporaryFile()))
        assert import_file(io.BytesIO(session.data), options=options).accounting == accounted(session.data)


def test_a_text_inside_a_line_is_found_by_its_words_and_another_is_not() -> None:
    ledger = StringLedger()
    words, others = "the tide in Oslo is two metres", "no such words were ever said here"
    ledger.expect(words)
    ledger.expect(others)
    ledger.see("It says: the tide in Oslo is two metres, sir")
    assert ledger.fate_of(words) == (0, 0, len(words))
    ledger.expect_runs(words)
    ledger.expect_runs(others)
    ledger.see_runs(["It says: the tide in Oslo is two metres, sir"])
    assert ledger.fate_of(words) == (len(words), 0, 0)
    assert ledger.fate_of(others) == (0, 0, len(others))


def test_base64_is_no_text_and_a_long_sentence_is() -> None:
    assert is_payload("A" * 600)
    assert is_payload("data:image/png;base64," + "iVBOR" * 200)
    assert not is_payload("word " * 200)
    assert not is_payload("A" * 100)


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("created_at", "2026", True),
        ("sessionId", "x", True),
        ("content", "x", False),
        ("chat", "x", False),
        ("format", "x", True),
        ("state", {"port": "x"}, False),
        ("message_ids", ["a", "b"], True),
        ("usage", {"tier": "x"}, True),
        ("hash", {"prompts": "0a1b"}, True),
    ],
)
def test_bookkeeping_is_told_by_the_last_word_of_its_key(key: str, value: Any, told: bool) -> None:
    assert is_metadata(key, value) is told


def test_every_row_of_the_tables_is_a_format() -> None:
    names = {row.name for row in registry().formats}
    assert LEFT_OUT.keys() <= names
    assert MARKUP.keys() <= names


def test_every_fixture_of_a_maker_is_mostly_read() -> None:
    """What is left out must not hide that nothing was read."""
    for name, data in MAKERS.items():
        account = accounted(data)
        words = account.characters - account.metadata
        assert account.read * 5 >= words, (name, account)


def test_a_sample_of_a_large_file_is_found_wherever_its_messages_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("budgeteer.formats.accounting.LOOKED_AT", 1_000)
    told = [{"role": "user", "content": f"Question {at} of a long day at the harbour"} for at in range(4_000)]
    apart = [*({"role": "user", "content": f"{at}"} for at in range(2_000)), *told[:2_000]]
    lossy = [{**one, "remark": f"Lost words {at} of nobody at all"} for at, one in enumerate(told)]
    with ExitStack() as stack:
        options = Options(limits=Limits(held_bytes=100), scratch=lambda: stack.enter_context(TemporaryFile()))
        for rows, is_lossy in ((told, False), (apart, False), (lossy, True)):
            account = import_file(io.BytesIO(jsonl(*rows)), options=options).accounting
            assert account is not None
            assert account.is_estimate
            assert account.is_lossy == is_lossy
            assert account.read == accounted(jsonl(*rows)).read


def test_an_element_that_the_report_lists_as_skipped_is_left_out_whole_and_no_other_one() -> None:
    said = "Nobody has ever weighed the bell of the old harbour. " * 40
    talk = {"conversations": [{"from": "human", "value": "When does the ferry leave?"}]}
    found = import_bytes(dumps([talk, {"conversations": [], "remark": said}, {**talk, "remark": said.upper()}]))
    account = found.accounting
    assert account is not None
    assert [one.where for one in found.skipped] == ["element 2"]
    assert account.left_out >= len(said.replace(" ", ""))
    assert [one.key for one in account.unread_keys] == ["[].remark"]
    assert account.unread <= len(said)


def test_a_line_that_the_report_lists_as_skipped_is_left_out_as_an_element_is() -> None:
    said = "Nobody has ever weighed the bell of the old harbour. "
    talk = {"conversations": [{"from": "human", "value": "When does the ferry leave?"}]}
    rows = [talk, {"conversations": [], "remark": said}]
    lines, elements = import_bytes(jsonl(*rows)), import_bytes(dumps(rows))
    assert [one.where for one in lines.skipped] == ["line 2"]
    assert lines.accounting is not None
    assert elements.accounting is not None
    assert lines.accounting.left_out == elements.accounting.left_out > 0


def test_a_field_that_a_format_leaves_out_is_left_out_in_a_json_text_too() -> None:
    row = {"key": "/w", "value": dumps({**AMAZON_Q, "transcript": ["Nobody reads this again."]}).decode()}
    account = import_bytes(dumps([row])).accounting
    assert account is not None
    assert "[].value.transcript[]" in [one.key for one in account.left_out_keys]


def test_what_claude_ai_writes_of_a_conversation_is_left_out_in_an_envelope_too() -> None:
    told = {**CLAUDE_AI[0], "summary": "Somebody asks when boats leave, and is told of the plan. " * 8}
    for value in ([told], {"conversations": [told]}):
        found = import_bytes(dumps(value))
        assert found.format == "claude-ai"
        assert found.accounting is not None
        assert not found.accounting.is_lossy


def test_a_text_that_many_messages_share_is_gone_through_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A log may put a text aside once and name it a thousand times."""
    looked_at: list[str] = []

    def lines_of(text: str) -> list[str]:
        looked_at.append(text)
        return text.split("\n")

    ledger = StringLedger()
    ledger.expect("the pier is closed")
    ledger.expect_runs("the pier is closed")
    monkeypatch.setattr(string_ledger, "lines_of", lines_of)
    ledger.see_runs(["so the pier is open"] * 1_000)
    assert looked_at == ["so the pier is open"]


def test_what_is_left_out_often_takes_no_room_from_what_is_left_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(string_ledger, "KEPT_CHARACTERS", 100)
    ledger = StringLedger()
    page = "<p class='tide'> it is said again in a script of the page <p class='tide'>"
    ledger.expect(page)
    for _ in range(20):
        ledger.leave_out("<p class='tide'>")
    ledger.leave_out("it is said again in a script of the page")
    ledger.expect_runs(page)
    ledger.leave_out_runs()
    assert ledger.fate_of(page)[1] == len(page)
