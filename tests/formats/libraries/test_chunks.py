"""Retrieval chunks: texts, scores, ids and sources as tools write them; what is no chunk; damaged and hostile files."""

import contextlib
import json
from typing import Any

import pytest

from budgeteer.engine.content.library import Chunk
from budgeteer.engine.errors import FormatError
from budgeteer.formats.detect import import_bytes


def dumps(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def jsonl(*rows: Any) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


@pytest.mark.parametrize(
    ("data", "chunks"),
    [
        (dumps([{"text": "a", "score": 0.4}, {"text": "b", "score": 1}]), [Chunk("a", "", 0.4), Chunk("b", "", 1.0)]),
        (jsonl({"page_content": "x", "metadata": {"source": "s.md"}}), [Chunk("x", source="s.md")]),
        (
            dumps({"query": "q", "results": [{"content": "x", "raw_content": "whole", "score": 0.5, "title": "T"}]}),
            [Chunk("x", "", 0.5, "T")],
        ),
        (
            dumps({"results": [{"query": "q", "retrieved_context": [{"doc_id": "000", "text": "x"}]}] * 2}),
            [Chunk("x", "000")] * 2,
        ),
        (
            dumps([{"doc_id": "d", "content": "a b", "chunks": [{"chunk_id": "c", "content": "a"}]}]),
            [Chunk("a", "c")],
        ),
        (dumps({"sourceNodes": [{"node": {"text": "x", "id_": "n"}, "score": 0.7}]}), [Chunk("x", "n", 0.7)]),
        (dumps([{"metadata": {"text": "x", "chunk_id": 3}, "score": "0.25"}] * 2), [Chunk("x", "3", 0.25)] * 2),
        (
            b'\xef\xbb\xbfpassage_id,Passage,score\r\np1,"One, and\ntwo",0.5\r\np2,Three,\r\n',
            [Chunk("One, and\ntwo", "p1", 0.5), Chunk("Three", "p2")],
        ),
        (b"id\tcontent\n1\tOne\n", [Chunk("One", "1")]),
        (
            dumps({"result": {"points": [{"id": 7, "score": 0.3, "payload": {"text": "x"}, "vector": [0.1, 0.2]}]}}),
            [Chunk("x", "7", 0.3)],
        ),
        (dumps({"hits": {"hits": [{"_id": "a", "_score": 2.5, "_source": {"text": "x"}}]}}), [Chunk("x", "a", 2.5)]),
        (jsonl({"question": "q", "contexts": ["one", "two", " "]}), [Chunk("one"), Chunk("two")]),
        (dumps({"ids": [["a"]], "documents": [["x"]], "distances": [[0.4]]}), [Chunk("x")]),
        (
            dumps([{"golden_chunks": [{"content": "x", "doc_uuid": "d"}], "golden_documents": [{"content": "x y"}]}]),
            [Chunk("x", source="d")],
        ),
    ],
    ids=[
        *("array", "JSONL", "web search", "evaluation", "documents", "nodes", "metadata", "CSV", "tabs"),
        *("points", "hits", "texts", "columns", "golden"),
    ],
)
def test_chunks_are_read_with_what_is_said_about_them(data: bytes, chunks: list[Chunk]) -> None:
    assert list(import_bytes(data, as_format="chunks").chunks) == chunks


@pytest.mark.parametrize(
    "data",
    [
        dumps([{"text": "a", "score": 0.4}, {"text": "b", "score": 1}]),
        jsonl({"page_content": "x", "metadata": {}}, {"page_content": "y", "metadata": {}}),
        dumps({"query": "q", "results": [{"content": "x", "score": 0.5}]}),
        b"\xef\xbb\xbfquery_id,query,passage\n1,what,Blackholes\n",
    ],
    ids=["array", "JSONL", "web search", "CSV"],
)
def test_a_chunk_set_is_told_by_its_content(data: bytes) -> None:
    imported = import_bytes(data)
    assert (imported.format, imported.kind) == ("chunks", "chunks")
    assert imported.reason.startswith("It is a ")


def test_search_results_inside_an_answer_are_read_when_the_format_is_named() -> None:
    found = {"object": "response", "output": [{"results": [{"text": "x", "score": 0.9, "file_id": "f"}]}]}
    grounded = {"candidates": [{"groundingMetadata": {"groundingChunks": [{"retrievedContext": {"text": "y"}}]}}]}
    assert import_bytes(dumps(found), as_format="chunks").chunks == (Chunk("x", "f", 0.9),)
    assert import_bytes(dumps(grounded), as_format="chunks").chunks == (Chunk("y"),)


@pytest.mark.parametrize("score", [True, "high", None, [0.5], float("nan"), float("inf"), "nan"])
def test_what_is_no_finite_number_is_no_score(score: Any) -> None:
    (chunk,) = import_bytes(dumps([{"text": "x", "chunk_id": "c", "score": score}]), as_format="chunks").chunks
    assert chunk.score is None


def test_a_row_without_a_passage_is_skipped_and_named() -> None:
    data = jsonl({"text": "x", "score": 1}, {"score": 2, "text": "  "}, {"text": "y"})
    imported = import_bytes(data, as_format="chunks")
    assert [chunk.text for chunk in imported.chunks] == ["x", "y"]
    assert [(one.where, one.why) for one in imported.skipped] == [("line 2", "no passage in it")]
    assert any("without a score" in warning for warning in imported.warnings)


def test_an_embedding_is_not_text() -> None:
    with pytest.raises(FormatError, match="No passage was found"):
        import_bytes(dumps([{"chunk_id": "c", "embedding": [0.1, 0.2]}]), as_format="chunks")


def test_a_set_that_only_names_its_chunks_holds_none() -> None:
    with pytest.raises(FormatError, match=r"No passage was found .* Each needs a text under text, content"):
        import_bytes(dumps([{"question": "q", "correct_chunks": ["https://example.org"]}] * 2))


@pytest.mark.parametrize("whole", [dumps([{"text": "x", "score": 1}] * 50), jsonl(*[{"text": "x", "score": 1}] * 50)])
@pytest.mark.parametrize("share", [0.2, 0.5, 0.99])
def test_a_file_that_was_cut_off_is_read_in_part_or_refused(whole: bytes, share: float) -> None:
    read = []
    with contextlib.suppress(FormatError):
        read = list(import_bytes(whole[: int(len(whole) * share)], as_format="chunks").chunks)
    assert read == [Chunk("x", "", 1.0)] * len(read)
    assert len(read) < 50


def test_what_is_left_out_beside_the_passages_is_said() -> None:
    rows = [
        {"query": "one", "content": "a b", "chunks": [{"content": "a", "embedding": [0.1, 0.2]}, {"content": "b"}]},
        {"query": "two", "results": [{"content": "c", "raw_content": "c d", "score": 1, "vector": {"x": [1, 2]}}]},
    ]
    imported = import_bytes(jsonl(*rows), as_format="chunks")
    assert [chunk.text for chunk in imported.chunks] == ["a", "b", "c"]
    assert set(imported.warnings) >= {
        "The file holds 2 queries; the passages of all of them are read as one set",
        "Embedding vectors, which are no text, left out: 2",
        "Whole documents beside the passages cut from them, left out: 1",
        "Whole pages beside the passages found in them, left out: 1",
    }


def test_entries_that_are_no_objects_are_listed() -> None:
    imported = import_bytes(dumps([{"text": "x", "score": 1}, {"text": "y", "score": 2}, 7]))
    assert [(one.where, one.why, one.line) for one in imported.skipped] == [
        ("element 3", "a JSON number, not an object", "7")
    ]


def test_hostile_nesting_ends() -> None:
    deep: Any = {"text": "deep"}
    for _ in range(40):
        deep = {"results": [deep]}
    with pytest.raises(FormatError):
        import_bytes(dumps(deep), as_format="chunks")


def test_a_field_too_long_for_a_table_ends_it() -> None:
    data = b"id,text\n1,one\n2," + b"x" * 200_000 + b"\n"
    imported = import_bytes(data, as_format="chunks")
    assert imported.chunks == (Chunk("one", "1"),)
    assert [(one.where, one.why.split(":")[0]) for one in imported.skipped] == [("after line 2", "no line of a table")]
