"""Feature libraries."""

from __future__ import annotations

from pathlib import Path

import pytest

from budgeteer.engine.errors import FormatError
from budgeteer.formats.detect import import_bytes, import_folder
from tests.formats.shapes import tarred, zipped

SPEC = """---
title: Login by link
status: done
---
# Something else

<!-- # not a heading -->
## Summary

People sign in with a link.

```md
# not a heading
```

## Details
More.
"""


def test_every_markdown_file_is_loaded_whole() -> None:
    files = {"repo-0a1b2c3/.specs/a.md": SPEC, "repo-0a1b2c3/bugs/b.markdown": "# Bug\n", "repo-0a1b2c3/k.yaml": "x: 1"}
    for data in (zipped(files), tarred(files)):
        found = import_bytes(data)
        assert (found.format, found.kind) == ("features", "features")
        assert [(each.path, each.title) for each in found.features] == [
            (".specs/a.md", "Login by link"),
            ("bugs/b.markdown", "Bug"),
        ]
        assert found.features[0].text == SPEC
        assert found.features[0].summary == "People sign in with a link.\n\n```md\n# not a heading\n```"
        assert found.warnings == ("Files that are not Markdown, not read: 1",)


@pytest.mark.parametrize(
    ("path", "text", "title", "summary"),
    [
        ("a/b.md", "## [KEP-1](x): `kubectl` **debug** ##\n", "KEP-1: kubectl debug", ""),
        ("a/b.md", "Title by underline\n=====\nText\n", "Title by underline", ""),
        ("login/README.md", "no heading at all\n", "login", ""),
        ("login/spec.md", "", "login", ""),
        ("notes.md", "no heading", "notes", ""),
        ("a.md", "---\ndescription: From the front\n---\nText", "a", "From the front"),
        ("a.md", "# A\r\n\r\n### Summary:\r\nShort.\r\n# B\r\n", "A", "Short."),
        ("a.md", "# A\n## Summary\n", "A", ""),
        ("a.md", "~~~\n# in a fence\n~~~\n# Real\n", "Real", ""),
    ],
)
def test_title_and_summary_come_from_front_matter_or_headings(path: str, text: str, title: str, summary: str) -> None:
    (found,) = import_bytes(zipped({path: text or " "}), as_format="features").features
    assert (found.title, found.summary) == (title, summary)


def test_a_broken_front_matter_does_not_lose_the_spec() -> None:
    text = "---\ntitle: [a: b\n---\n# Heading\n"
    found = import_bytes(zipped({"x/a.md": text}))
    assert found.features[0].text == text
    assert found.features[0].title == "Heading"
    assert found.warnings[0].startswith("x/a.md: the front matter is not YAML")


def test_a_binary_file_named_md_is_listed() -> None:
    found = import_bytes(zipped({"x/a.md": b"\x00\x01" * 99, "x/b.md": "# B"}))
    assert [each.path for each in found.features] == ["x/b.md"]
    assert found.skipped[0].where == "x/a.md"


def test_a_folder_and_a_single_file_are_read_too(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a.md").write_text(SPEC)
    assert [each.path for each in import_folder(tmp_path).features] == ["deep/a.md"]
    (found,) = import_bytes(SPEC.encode(), name="a.md", as_format="features").features
    assert (found.path, found.title) == ("a.md", "Login by link")


def test_nothing_to_read_is_an_error() -> None:
    with pytest.raises(FormatError, match="No Markdown feature spec"):
        import_bytes(zipped({"a.yaml": "x"}), as_format="features")
