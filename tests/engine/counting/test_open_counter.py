"""Published vocabularies are counted as their reference implementations count; and where such counts add up."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import pairwise
from unittest import mock

import pytest
import splintr
from hypothesis import example, given, settings
from hypothesis import strategies as st

from budgeteer.engine.counting.open_counter import OPEN_VOCABULARIES, OpenCounter
from budgeteer.engine.counting.tokenizers import counter_for, ends_in_word, starts_safely
from budgeteer.engine.errors import InputError
from budgeteer.engine.models import extra_vocabularies
from budgeteer.engine.models.registry import MODELS
from tests.conformance.counting import open_reference
from tests.examples import examples

NAMES = tuple(OPEN_VOCABULARIES)

WORDS = (
    *(
        "don't",
        "it's",
        "WE'LL",
        "'S",
        "\u017f",
        "'\u017f",
        "HELLO",
        "Hello",
        "camelCase",
        "snake_case",
        " the",
        "caf\u00e9",
    ),
    *(
        "cafe\u0301",
        "\ud55c\uad6d",
        "\u6587\u5b57",
        "\u0e2a\u0e27\u0e31",
        "\u0939\u093f\u0928\u094d\u0926\u0940",
        "\u05e9\u05dc\u05d5\u05dd",
    ),
    *("123", "1234567", "\u0663\u0664", "\u2460", "\u2167", "\u00b2/", "m\u00b2/s", "==", "//", "</a>", "!!!\n", "/\n"),
    *("  ", "\n\n", "\r\n", " \n ", "\t\t", "\u00a0", "\u3000", "\u200d", "\ufe0f", "\U0001f44d\U0001f3fd", "\x00"),
    *("<|im_start|>", "<bos>", "[INST]", "\u1100\u1161", "\u2126"),
)
characters = st.characters(min_codepoint=0, max_codepoint=0x10FFFF).filter(open_reference.is_assigned_alike)
nasty = st.lists(
    st.sampled_from(WORDS) | st.text(characters, max_size=8) | st.builds(str.__mul__, characters, st.integers(2, 40)),
    max_size=10,
).map("".join)


def generated(number: int, seed: int) -> Iterator[str]:
    """Texts of every script, with what the patterns are about strewn in."""
    choose = random.Random(seed)
    blocks = (0, 0x80, 0x250, 0x600, 0x1000, 0x2000, 0x3400, 0xAC00, 0xE000, 0x10000, 0x20000, 0x30000)
    for _ in range(number):
        parts = []
        for _ in range(choose.randint(1, 12)):
            kind = choose.randrange(2 * len(blocks))
            if kind < len(blocks) - 1:
                parts.append(chr(choose.randrange(blocks[kind], blocks[kind + 1])))
            else:
                parts.append(choose.choice(WORDS) * choose.choice((1, 1, 1, 2, 7)))
        yield "".join(parts)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=examples(60), deadline=None)
@given(text=nasty)
@example(text="")
@example(text="a\ud800b")
@example(text="e\u0301\u1100\u1161")
def test_a_text_counts_as_its_reference_counts_it(name: str, text: str) -> None:
    assert counter_for(name).count(text) == open_reference.count(text, name)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_generated_texts_count_as_their_reference_counts_them(name: str) -> None:
    texts = list(generated(5_000, seed=7))
    counted = zip(texts, counter_for(name).count_all(texts), strict=True)
    assert [text for text, count in counted if count != open_reference.count(text, name)] == []


@pytest.mark.parametrize("name", open_reference.BY_RANKS)
def test_the_vocabulary_is_the_published_one(name: str) -> None:
    assert open_reference.digest_of(open_reference.ranks_of(name)) == open_reference.BY_RANKS[name][1]


def naively_merged(text: str, ids: dict[str, int]) -> int:
    """Tokens of a text as SentencePiece merges it: the pair whose piece is first in the vocabulary, leftmost first."""
    parts = list(text.replace(" ", "\u2581"))
    while True:
        pairs = [(ids[a + b], at) for at, (a, b) in enumerate(pairwise(parts)) if a + b in ids]
        if not pairs:
            return sum(1 if part in ids else len(part.encode()) for part in parts)
        at = min(pairs)[1]
        parts[at : at + 2] = [parts[at] + parts[at + 1]]


@pytest.fixture(scope="session")
def gemma_pieces() -> dict[str, int]:
    tokenizer = splintr.Tokenizer.from_pretrained("gemma3")
    found = {}
    for token in range(splintr.base_vocab_size("gemma3")):
        piece = tokenizer.decode_token_bytes(token)
        try:
            found.setdefault(piece.decode().replace(" ", "\u2581"), token)
        except UnicodeDecodeError:
            continue  # half of a character: a byte of its own
    return found


@pytest.mark.slow
def test_gemma_merges_as_sentencepiece_does(gemma_pieces: dict[str, int]) -> None:
    counter = counter_for("gemma3")
    texts = ["The quick brown fox jumps over 13 lazy dogs.", "def f(x):\n    return x + 1\n", *generated(300, seed=3)]
    texts = [text for text in texts if "<" not in text and "[" not in text and text.isprintable()]
    assert len(texts) > 50
    assert [text for text in texts if counter.count(text) != naively_merged(text, gemma_pieces)] == []


@pytest.mark.slow
def test_no_piece_of_gemma_crosses_a_line_end_or_a_slash_behind_a_word(gemma_pieces: dict[str, int]) -> None:
    assert [piece for piece in gemma_pieces if "\n" in piece and piece.strip("\n")] == []
    slashed = [piece for piece in gemma_pieces if any(ends_in_word(before) for before in piece.split("/")[:-1])]
    assert slashed == []


@pytest.mark.parametrize("name", NAMES)
@settings(deadline=None, max_examples=40)
@given(texts=st.lists(nasty, min_size=1, max_size=5))
@example(texts=["a!", "1b"])
@example(texts=["a", "\u0301"])
@example(texts=["it", "'s"])
def test_pieces_that_end_in_line_ends_and_start_safely_add_up(name: str, texts: list[str]) -> None:
    counter = counter_for(name)
    ruled = [f"{text}\n\n" for text in texts if starts_safely(text)]
    assert counter.count("".join(ruled)) == sum(counter.count(text) for text in ruled)


@pytest.mark.parametrize("name", NAMES)
@settings(deadline=None, max_examples=40)
@given(root=nasty, rest=nasty)
@example(root="m\u00b2", rest="s")
@example(root="and", rest="or")
def test_a_slash_after_a_word_starts_a_piece_of_its_own(name: str, root: str, rest: str) -> None:
    counter = counter_for(name)
    if ends_in_word(root):
        assert counter.count(f"{root}/{rest}") == counter.count(root) + counter.count(f"/{rest}")


@pytest.mark.parametrize("name", NAMES)
def test_special_token_text_is_ordinary_text(name: str) -> None:
    assert counter_for(name).count("<|endoftext|><|im_start|><|eot_id|></s>") > 4


@pytest.mark.parametrize("name", NAMES)
def test_many_texts_count_as_each_of_them(name: str) -> None:
    texts = ["", "Lamp", "caf\u00e9", "a\ud800b", *generated(20, seed=1)]
    counter = counter_for(name)
    assert counter.count_all(texts) == [counter.count(text) for text in texts]
    assert counter.count_parts(texts) == sum(counter.count_all(texts))
    assert (counter.kind, counter.per_message_overhead) == ("exact", True)


def test_every_row_that_needs_the_extra_names_a_vocabulary_of_it() -> None:
    used = {row.tokenizer for row in MODELS.values()}
    assert set(NAMES) <= used


def test_without_the_extra_the_error_says_how_to_install_it() -> None:
    counter_for.cache_clear()
    with mock.patch.object(extra_vocabularies.importlib.util, "find_spec", return_value=None):
        with pytest.raises(InputError) as raised:
            counter_for("gemma3")
        # Rows are counted with a stand-in then, and say so.
        from budgeteer.engine.models.registry import _rows

        rows = {row.name: row for row in _rows()}
    assert "pip install 'budgeteer[vocabularies]'" in raised.value.sentence
    assert rows["gemini-2.5-pro"].tokenizer == "o200k_base"
    assert rows["gemini-2.5-pro"].tokenizer_is_stand_in
    assert not rows["gemini-2.5-pro"].tokenizer_is_own
    assert rows["gpt-4o"].tokenizer_is_own
    assert isinstance(counter_for("gemma3"), OpenCounter)
