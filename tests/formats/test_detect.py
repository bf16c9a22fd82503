"""The two doors in: what is detected, what is refused, and by which sentence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from budgeteer.engine.content.conversation import TextPart
from budgeteer.engine.errors import FormatError
from budgeteer.formats.detect import format_names, import_bytes, import_folder
from budgeteer.formats.messages.imported import report_json
from budgeteer.formats.reading.limits import Limits
from budgeteer.formats.registry import registry
from tests.formats.shapes import ANTHROPIC_BODY, OPENAI_CHAT, OPENAI_TOOL, Session, dumps, jsonl, png, skill, zipped


def test_the_registry_names_every_format_once() -> None:
    assert format_names() == tuple(row.name for row in registry().formats)
    assert len(set(format_names())) == len(registry().formats)


@pytest.mark.parametrize("name", ["", "wrong.png", "notes.md", "x.zip", "chat.json"])
def test_the_content_decides_whatever_the_name(name: str) -> None:
    session = Session()
    session.user("u", "hi")
    for data, expected in (
        (dumps(OPENAI_CHAT), "openai-chat"),
        (dumps(ANTHROPIC_BODY), "anthropic"),
        (session.data, "claude-code"),
        (dumps([OPENAI_TOOL]), "tools"),
        (zipped({"a/SKILL.md": skill("a", "b")}), "skills"),
        (zipped({"a/b.md": "# B"}), "features"),
    ):
        found = import_bytes(data, name=name)
        assert found.format == expected
        assert found.reason.startswith("It ")
        assert found.reason.endswith(".")


def test_skills_come_before_features_before_tools_before_transcripts() -> None:
    files: dict[str, str | bytes] = {"t.jsonl": jsonl(*OPENAI_CHAT)}
    assert import_bytes(zipped(files)).format == "transcripts"
    files["tool.json"] = dumps(OPENAI_TOOL)
    assert import_bytes(zipped(files)).format == "tools"
    files["specs/a.md"] = "# A"
    assert import_bytes(zipped(files)).format == "features"
    files["s/SKILL.md"] = skill("s", "x")
    assert import_bytes(zipped(files)).format == "skills"


def test_a_cover_readme_does_not_make_a_feature_library() -> None:
    assert import_bytes(zipped({"README.md": "# Logs", "t.jsonl": jsonl(*OPENAI_CHAT)})).format == "transcripts"
    assert import_bytes(zipped({"README.md": "# Alone"})).format == "features"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "The file is empty. Choose a file with something in it"),
        (b" \n\t", "The file holds only white space. Choose a file with something in it"),
        (b"\xef\xbb\xbf\n", "The file holds only white space. Choose a file with something in it"),
        (png(2, 2), "This is a PNG image, not a conversation, skill library, tool list or text. Choose the exported"),
        (dumps(OPENAI_CHAT)[:-20], "line 1, column 376: The JSON is cut off: it ends inside the string that begins"),
        (b"[" * 9_000, "This is not valid JSON: it is nested deeper than the limit on JSON depth, 200. Mend the file"),
        (b"PK\x03\x04rubbish", "The zip archive is damaged: File is not a zip file. Pack it again"),
        (b"\x1f\x8brubbish", "The packed file is damaged: Compressed file ended before the end-of-stream marker"),
    ],
)
def test_bad_input_is_one_sentence(data: bytes, said: str) -> None:
    with pytest.raises(FormatError) as caught:
        import_bytes(data, name="x.json")
    assert caught.value.sentence.startswith(f"x.json: {said}")
    assert caught.value.mend


def test_what_was_looked_for_and_found_is_said() -> None:
    with pytest.raises(FormatError, match=r"looked for messages with roles.* found a JSON object with the keys a, b"):
        import_bytes(b'{"b": 1, "a": 2}')
    with pytest.raises(
        FormatError, match=r"looked for SKILL.md files.* found a zip archive of 2 files ending in py, txt"
    ):
        import_bytes(zipped({"a.py": "x", "b.txt": "y"}))
    with pytest.raises(FormatError, match=r"\.\./up\.md: path traversal"):
        import_bytes(zipped({"../up.md": "x"}))


def test_a_format_may_be_forced_and_a_misspelt_one_is_corrected() -> None:
    found = import_bytes(dumps(ANTHROPIC_BODY), as_format="openai-chat")
    assert (found.format, found.reason) == ("openai-chat", "It was chosen by name.")
    with pytest.raises(FormatError, match=r"There is no format 'claude-cod'. Did you mean claude-code?"):
        import_bytes(b"x", as_format="claude-cod")


def test_a_file_over_the_limit_is_refused_by_its_name() -> None:
    with pytest.raises(FormatError, match=r"The file has 2 kB; the limit on file size is 1 kB"):
        import_bytes(b"x" * 2_000, limits=Limits(file_bytes=1_000))


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-32"])
def test_conversations_in_any_encoding_are_read(encoding: str) -> None:
    text = json.dumps([{"role": "user", "content": "héllo 世界 😀"}], ensure_ascii=False).replace("\n", "\r\n")
    found = import_bytes(text.encode(encoding))
    assert found.conversations[0].title == "héllo 世界 😀"


def test_a_packed_transcript_is_unpacked() -> None:
    import gzip

    assert import_bytes(gzip.compress(jsonl(*OPENAI_CHAT))).format == "openai-chat"


def test_json_lines_with_a_cut_end_keep_what_precedes() -> None:
    found = import_bytes(jsonl(*OPENAI_CHAT)[:-9])
    assert len(found.conversations[0].messages) == 4
    assert found.skipped[0].where == "line 5"


def test_damage_from_decoding_is_a_warning() -> None:
    found = import_bytes(b'[{"role": "user", "content": "caf\xe9"}]')
    assert found.warnings[0].startswith("1 invalid UTF-8 sequences")


def test_a_missing_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"This is not a folder"):
        import_folder(tmp_path / "nowhere")
    with pytest.raises(FormatError, match=r"found a folder of 0 files"):
        import_folder(tmp_path)


def test_no_nul_reaches_the_report() -> None:
    chat = {"task_id": "a\x00", "model": "m\x00", "messages": [{"role": "user", "content": "b\x00"}, {"role": "\x00"}]}
    found = import_bytes(json.dumps(chat).encode())
    assert "\\u0000" not in json.dumps(report_json(found))
    assert found.conversations[0].messages[0].parts == (TextPart("b\x00"),)


def test_a_format_given_by_name_is_not_second_guessed() -> None:
    data = dumps([{"role": "user", "content": "x", "parts": [{"text": "x"}]}])
    assert import_bytes(data, as_format="openai-chat").conversations[0].messages
