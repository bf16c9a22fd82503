"""The texts of the corpus count as the references count them: each file and member of an archive, line by line."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from budgeteer.engine.counting.open_counter import OPEN_VOCABULARIES
from budgeteer.engine.counting.tokenizers import counter_for, reference_for
from tests.conformance.counting import open_reference, reference

pytestmark = pytest.mark.corpus

#: Characters of a line that ctok counts too, and of how many different lines one is taken; ctok takes ten seconds for a
#: megabyte.
LONGEST, ONE_OF = 2_000, 40


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


@pytest.mark.parametrize("name", reference.CLAUDE_VERSIONS)
def test_a_sample_of_the_different_lines_counts_as_ctok_counts_them(corpus: Path, name: str) -> None:
    counter = counter_for(name)
    seen: set[str] = set()
    for path, lines in texts(corpus):
        fresh = sorted({line[:LONGEST] for line in lines} - seen)[::ONE_OF]
        seen.update(fresh)
        assert not [line[:200] for line in fresh if counter.count(line) != reference.count(line, name)], path
    assert len(seen) > 1_000


@pytest.mark.parametrize("name", OPEN_VOCABULARIES)
def test_a_sample_of_the_different_lines_counts_as_its_reference_counts_them(corpus: Path, name: str) -> None:
    counter = counter_for(name)
    seen: set[str] = set()
    for path, lines in texts(corpus):
        fresh = sorted({line[:LONGEST] for line in lines} - seen)[::ONE_OF]
        seen.update(fresh)
        assert not [line[:200] for line in fresh if counter.count(line) != open_reference.count(line, name)], path
    assert len(seen) > 1_000
