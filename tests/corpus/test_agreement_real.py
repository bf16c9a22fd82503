"""Every text of the corpus counts as tiktoken counts it: each file, and each member of each archive, line by line."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from budgeteer.engine.counting.tokenizers import counter_for, reference_for

pytestmark = pytest.mark.corpus


def texts(corpus: Path) -> Iterator[tuple[Path, list[str]]]:
    """The files by path, each as its lines with their ends, invalid bytes replaced."""
    for path in sorted(path for path in corpus.rglob("*") if path.is_file()):
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                contents = [archive.read(name) for name in archive.namelist()]
        else:
            contents = [path.read_bytes()]
        yield path, [line for data in contents for line in data.decode(errors="replace").splitlines(keepends=True)]


@pytest.mark.parametrize("name", ["o200k_base", "cl100k_base"])
def test_every_line_counts_as_tiktoken_counts_it(corpus: Path, name: str) -> None:
    counter, encode = counter_for(name), reference_for(name).encode_ordinary
    seen = 0
    for path, lines in texts(corpus):
        seen += len(lines)
        wrong = [
            line[:200]
            for line, count in zip(lines, counter.count_all(lines), strict=True)
            if count != len(encode(line))
        ]
        assert not wrong, path
    assert seen > 100_000
