"""Formats of other packages: the example of the documentation, installed, and packages that do everything wrong."""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from budgeteer.engine.errors import FormatError
from budgeteer.formats import api
from budgeteer.formats.detect import format_names, import_bytes
from budgeteer.formats.registry import OUR_FORMATS, registry
from tests.formats.shapes import OPENAI_CHAT, dumps, jsonl, zipped

DOCS = Path(__file__).resolve().parents[2] / "docs" / "formats.md"
LOG = jsonl(
    {"speaker": "HUMAN", "words": "Take the cup"},
    {"speaker": "GRIPPER", "words": "cup held"},
    {"speaker": "PARROT", "words": "cup"},
    {"speaker": "ROBOT", "words": "I have it."},
)

type Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Install a package as pip would leave it: a module, and a `dist-info` folder with its entry points."""
    modules: list[str] = []

    def installed(name: str, code: str, entries: dict[str, str], version: str = "1.0") -> None:
        module = next(iter(entries.values())).partition(":")[0]
        modules.append(module)
        (tmp_path / f"{module}.py").write_text(code)
        folder = tmp_path / f"{module}-{version}.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        lines = [f"{key} = {value}" for key, value in entries.items()]
        (folder / "entry_points.txt").write_text("\n".join(["[budgeteer.formats]", *lines, ""]))
        monkeypatch.syspath_prepend(tmp_path)
        registry.cache_clear()

    yield installed
    monkeypatch.undo()
    for module in modules:
        sys.modules.pop(module, None)
    registry.cache_clear()


def example() -> tuple[str, dict[str, str], list[str]]:
    """The code of the documentation's example, its entry points, and all its lines."""
    section = DOCS.read_text().partition("## A format of your own")[2]
    code, packaging = (re.findall(rf"```{kind}\n(.*?)```", section, re.DOTALL)[0] for kind in ("python", "toml"))
    entries = tomllib.loads(packaging)["project"]["entry-points"]["budgeteer.formats"]
    return code, entries, [*code.splitlines(), *packaging.splitlines()]


ROW = """
from budgeteer.formats.api import Conversation, Document, Format, FormatError, Imported, Message, TextPart
def mine(document): return "is mine" if "MINE" in document.text else None
def chat(document): return Imported("", "", "conversation", conversations=[Conversation("", "", [])])
def broken(document): raise ZeroDivisionError("oh no")
def wrong(document): return {"messages": []}
def other(document): return Imported("", "", "text", text="x")
def refused(document): raise FormatError("The robot sleeps", mend="Wake it")
"""


def test_the_example_of_the_documentation_is_a_format_like_ours(install: Install) -> None:
    code, entries, lines = example()
    assert len(lines) < 60
    install("budgeteer-robot", code, entries)
    found = import_bytes(LOG, name="robot.jsonl")
    assert (found.format, found.reason) == ("robot-log", "It is JSON lines with a `speaker` and `words`.")
    (chat,) = found.conversations
    assert [message.role for message in chat.messages] == ["user", "assistant", "tool", "assistant"]
    assert [message.id for message in chat.messages] == ["m1", "m2", "m3", "m4"]
    assert (chat.id, chat.title) == ("c1", "Take the cup")
    assert [(item.where, item.why) for item in found.skipped] == [("line 3", "nobody knows the speaker 'PARROT'")]
    assert found.warnings == ("Grips read as calls: 1",)
    assert import_bytes(LOG, as_format="robot-log").reason == "It was chosen by name."
    packed = import_bytes(zipped({"one.jsonl": LOG, "two.jsonl": LOG}))
    assert (packed.format, len(packed.conversations)) == ("transcripts", 2)
    assert import_bytes(dumps(OPENAI_CHAT)).format == "openai-chat"
    with pytest.raises(FormatError, match="The log holds no words"):
        import_bytes(jsonl(*[{"speaker": "PARROT", "words": "cup"}] * 2))


def test_the_example_imports_nothing_but_the_public_names() -> None:
    code, _, _ = example()
    assert set(re.findall(r"^(?:from|import) (\S+)", code, re.MULTILINE)) == {"budgeteer.formats.api"}
    assert all(hasattr(api, name) for name in api.__all__)
    assert sorted(api.__all__) == api.__all__


@pytest.mark.parametrize(("before", "behind"), [("", "pasted-chat"), ("skills", "skills"), ("transcripts", "usage")])
def test_a_format_stands_before_the_row_it_names(install: Install, before: str, behind: str) -> None:
    install("a", f"{ROW}\nR = Format('mine', 'M', 'conversation', mine, chat, before={before!r})", {"r": "mod_a:R"})
    names = format_names()
    assert names[names.index("mine") + 1] == ("transcripts" if before == "transcripts" else behind)
    assert [name for name in names if name != "mine"][:3] == ["skills", "features", "claude-code"]
    assert registry().warnings == ()


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ("Format('codex', 'C', 'conversation', mine, chat)", "the name `codex` is taken; its author must choose"),
        ("Format('transcripts', 'C', 'conversation', mine, chat)", "the name `transcripts` is taken"),
        ("Format('Bad Name', 'C', 'conversation', mine, chat)", "its name is not of small letters"),
        ("Format('mine', 'C', 'poem', mine, chat)", "it makes no known kind"),
        ("Format('mine', 'C', 'text', 'mine', chat)", "its `detect` and `read` must be functions"),
        ("('mine', mine, chat)", "it is no Format but of the type tuple"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
    ],
)
def test_a_format_that_cannot_be_used_is_left_out_with_its_reason(install: Install, row: str, why: str) -> None:
    install("bad-one", f"{ROW}\nR = {row}", {"r": "mod_bad:R"}, version="2.1")
    assert len(format_names()) == len(OUR_FORMATS) + 1
    (warning,) = import_bytes(dumps(OPENAI_CHAT)).warnings
    assert warning.startswith(f"The format `r` of bad-one 2.1 is left out: {why}")


def test_a_format_that_names_no_row_stands_before_plain_text_and_says_so(install: Install) -> None:
    install("a", f"{ROW}\nR = Format('mine', 'M', 'conversation', mine, chat, before='no-such')", {"r": "mod_n:R"})
    names = format_names()
    assert names[names.index("mine") + 1] == "pasted-chat"
    (warning,) = registry().warnings
    assert "asks to stand before `no-such`, which there is not" in warning


def test_of_two_packages_with_one_name_the_first_stays(install: Install) -> None:
    row = "Format('mine', 'M', 'conversation', mine, chat)"
    install("b-first", f"{ROW}\nR = {row}", {"r": "mod_one:R"})
    install("c-second", f"{ROW}\nR = {row}", {"r": "mod_two:R"})
    assert [each.package for each in registry().formats if each.name == "mine"] == ["b-first 1.0"]
    (warning,) = registry().warnings
    assert warning.startswith("The format `r` of c-second 1.0 is left out: the name `mine` is taken")


def test_what_raises_while_it_looks_is_passed_over(install: Install) -> None:
    install("a", f"{ROW}\nR = Format('mine', 'M', 'conversation', broken, chat, before='skills')", {"r": "mod_l:R"})
    found = import_bytes(dumps(OPENAI_CHAT))
    assert found.format == "openai-chat"
    why = "failed to look at the file and was passed over: ZeroDivisionError: oh no"
    assert found.warnings == (f"The format `mine` of a 1.0 {why}",)


@pytest.mark.parametrize(
    ("reading", "why"),
    [
        ("broken", "ZeroDivisionError: oh no"),
        ("wrong", "it returned no Imported but dict"),
        ("other", "it returned the kind 'text' where 'conversation' was announced"),
        ("lambda _: Imported('', '', 'conversation')", "it returned no conversation"),
        ("lambda _: Imported('', '', 'conversation', conversations=[{}])", "its conversations must be of the type"),
        (
            "lambda _: Imported('', '', 'conversation', conversations=[Conversation('', '', ['hi'])])",
            "its messages must be of the type Message",
        ),
    ],
)
def test_what_fails_while_it_reads_leaves_the_file_to_the_next_row(install: Install, reading: str, why: str) -> None:
    install("a", f"{ROW}\nR = Format('mine', 'M', 'conversation', mine, {reading}, before='skills')", {"r": "mod_r:R"})
    data = b"User: MINE\nAssistant: yours\n"
    found = import_bytes(data)
    assert found.format == "pasted-chat"
    said = f"The format `mine` of a 1.0 failed to read the file: {why}"
    assert any(warning.startswith(said) and warning.endswith("; it was passed over") for warning in found.warnings)
    with pytest.raises(FormatError) as refused:
        import_bytes(data, name="chat.txt", as_format="mine")
    assert refused.value.what.startswith(said)
    assert refused.value.where == "chat.txt"
    assert refused.value.mend == "Tell its author, or choose another format by name"


def test_a_refusal_of_its_own_is_the_end_of_the_import(install: Install) -> None:
    install("a", f"{ROW}\nR = Format('mine', 'M', 'conversation', mine, refused, before='skills')", {"r": "mod_f:R"})
    with pytest.raises(FormatError, match="The robot sleeps"):
        import_bytes(b"MINE")


def test_the_file_of_an_archive_that_it_fails_on_is_listed(install: Install) -> None:
    detects = "lambda document: 'is mine' if document.shape == 'json' and 'MINE' in document.text else None"
    row = f"Format('mine', 'M', 'conversation', {detects}, broken, in_archives=True, before='skills')"
    install("a", f"{ROW}\nR = {row}", {"r": "mod_z:R"})
    found = import_bytes(zipped({"a.json": '{"MINE": 1}', "b.json": dumps(OPENAI_CHAT)}))
    assert (found.format, len(found.conversations)) == ("transcripts", 1)
    (skipped,) = found.skipped
    assert skipped.where == "a.json"
    assert "of a 1.0 failed to read the file: ZeroDivisionError" in skipped.why
