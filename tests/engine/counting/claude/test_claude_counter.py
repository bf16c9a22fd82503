"""Claude's tokens are counted as ctok counts them, fast and whatever the text; and where such counts add up."""

import random
import sys
import time
import unicodedata
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from unittest import mock

import ctok
import pytest
from ctok.constants import LITERAL_MARKER_ESCAPES, PUNCT_SYMS
from ctok.main import FAMILIES
from ctok.normalize import classify, nfc
from hypothesis import example, given, settings
from hypothesis import strategies as st

from budgeteer.engine.counting.claude import claude_counter, claude_segments, claude_vocabulary
from budgeteer.engine.counting.claude.claude_characters import (
    CHANGES,
    KIND_BITS,
    NO_LETTER,
    PUNCTUATION_LETTER,
    kinds_of,
    letter_and_kinds,
    normalize,
)
from budgeteer.engine.counting.claude.claude_counter import ClaudeCounter, SegmentCosts
from budgeteer.engine.counting.claude.claude_vocabulary import (
    BEGIN,
    CAPS,
    CLAUDE_FAMILIES,
    END,
    SHIFT,
    ClaudeVocabulary,
    vocabulary_file,
)
from budgeteer.engine.counting.tokenizers import counter_for, ends_in_word, starts_safely
from budgeteer.engine.errors import TokenizerUnavailable
from tests.conformance.counting import reference
from tests.examples import examples

NAMES = tuple(CLAUDE_FAMILIES)

#: One or two characters of each class that ctok's rules tell apart, and what folds, joins, or is taken out.
CLASSES = tuple(
    "\n\r \u00a0\t\u2028\u3000\u0085\u200b\u200d\ufeff\ufe0f7\u0663\u06f3\u2167\u00bd\u4e09A\u0416\u01c5"
    "astrevmld\u00df\u0436\u02b0\u3005\u05d0\u0e01\u4f60\u3042\uac00\u0301\u0940\u0bcd\u20dd'\u2019\u201c/-.$\u20ac"
    "\u00a9\u2705_\u0130\u0131\u212a\u017f\u1e9b\ufb05\U0001f600\U0001f3fd\U0001f1e9\U00020000\U0001d400"
    "\U00013000\U0001e922\u0378\U000323d5\ue000\x00\x01\ufdd0\ufdd1\ufdd3\u0711\u0731\u0e4d\u0e32\u0f73\uff08\uff09"
    "\u00b2\u2014\u2500\u2192\ud800\u1c89\ufffd\u03f4\u1e9e\u24b6\u24e9\u2177"
)
WORDS = (
    *("'s", "'t", "'ll", "'re", "'VE", "''s", "don't", "NASA's", " 's", "\u24e9's", " '", "' ", "the", " the", "HELLO"),
    *("Hello", "hELLO", "QQ", "Q", "camelCase", "a_b", "\u0416\u0423\u041a", "\u03a3\u0391\u03a3", "\u0130stanbul"),
    *("  ", "    ", "\n\n", "\r\n", " - ", "==", " ==", ". ", ", ", '"', "/", "//", "<a>", "*" * 9, "=-=-"),
    *("0", "12", "123", "4567", "0x1F", "12,345.67", "\u6587\u5b57", "\ud55c\uad6d", "\u0e2a\u0e27\u0e31", "\u00b2}."),
    *("\u2696\ufe0f", "\U0001f44d\U0001f3fd", " \u0301x", "\u0316\u0301", " \u2014 ", "\u2192"),
)
characters = st.characters(min_codepoint=0, max_codepoint=0x10FFFF)
pieces = st.sampled_from(WORDS) | st.sampled_from(CLASSES) | characters | st.text(characters, max_size=12)
nasty = st.lists(pieces | st.builds(str.__mul__, pieces, st.integers(2, 40)), max_size=12).map("".join)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=examples(100), deadline=None)
@given(text=nasty)
@example(text="")
@example(text="line\n\n\n")
@example(text="\u24e9's")
@example(text="\u0e4d\ue000\u0e32")
@example(text=" '" * 400 + "s")
@example(text="a" + "\u0301\u0316" * 80)
def test_a_text_counts_as_ctok_counts_it(name: str, text: str) -> None:
    assert counter_for(name).count(text) == reference.count(text, name)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=20, deadline=None)
@given(texts=st.lists(nasty, max_size=6))
def test_many_texts_count_as_each_of_them(name: str, texts: list[str]) -> None:
    counter = counter_for(name)
    assert counter.count_all(texts) == [counter.count(text) for text in texts]
    assert counter.count_parts(texts) == sum(counter.count_all(texts))


def generated(number: int, seed: int) -> Iterator[str]:
    """Texts of every script, with what ctok's rules are about strewn in."""
    choose = random.Random(seed)
    blocks = (0, 0x80, 0x250, 0x600, 0x1000, 0x2000, 0x3400, 0xD800, 0x10000, 0x20000, 0x110000)
    for _ in range(number):
        parts = []
        for _ in range(choose.randint(1, 10)):
            kind = choose.randrange(len(blocks) + 8)
            if kind < len(blocks) - 1:
                parts.append(chr(choose.randrange(blocks[kind], blocks[kind + 1])))
            elif kind % 4:
                parts.append(choose.choice(WORDS))
            else:
                parts.append(choose.choice(CLASSES) * choose.choice((1, 1, 2, 3, 30)))
        yield "".join(parts)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_generated_texts_count_as_ctok_counts_them(name: str) -> None:
    counter = counter_for(name)
    assert [text for text in generated(4_000, seed=7) if counter.count(text) != reference.count(text, name)] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_two_classes_of_characters_in_a_row_count_as_ctok_counts_them(name: str) -> None:
    counter = counter_for(name)
    texts = [frame.format("".join(two)) for two in product(CLASSES, repeat=2) for frame in ("{0}", "a{0} A'{0}s")]
    assert [text for text in texts if counter.count(text) != reference.count(text, name)] == []


@given(text=nasty, fold_quotes=st.booleans())
@example(text="\u0301\u0316\u0344\u0f73" * 200, fold_quotes=True)
@example(text="a" + "\u0301\u0316" * 300 + "b", fold_quotes=False)
def test_a_text_is_normalized_as_ctok_does_it(text: str, fold_quotes: bool) -> None:
    assert normalize(text, fold_quotes=fold_quotes) == nfc(text, fold_quotes=fold_quotes)


@pytest.mark.parametrize("name", NAMES)
@settings(deadline=None, max_examples=15)
@given(
    char=st.sampled_from(CLASSES) | st.sampled_from("aA.-=* \n\t#'_"),
    number=st.integers(450, 1_600),
    around=st.tuples(st.sampled_from(("", *WORDS)), st.sampled_from(("", *WORDS))),
)
@example(char="\U0001f600", number=1_000, around=("", "x"))
@example(char="\n", number=1_537, around=("a", "b"))
def test_a_long_run_of_one_character_counts_as_ctok_counts_it(
    name: str, char: str, number: int, around: tuple[str, str]
) -> None:
    text = f"{around[0]}{char * number}{around[1]}"
    assert counter_for(name).count(text) == reference.count(text, name)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("unit", [" ", "\n", "\t", "a", "A", ".", "-", "\u00e9", "\u200d", "\ufdd0", " '", ", "])
def test_a_text_of_one_repeated_unit_is_tiled_in_small_pieces_only(name: str, unit: str) -> None:
    counter, tiled = ClaudeCounter(name), []
    cost = ClaudeVocabulary.cost

    def watched(vocabulary: ClaudeVocabulary, rewritten: str) -> int:
        tiled.append(len(rewritten))
        return cost(vocabulary, rewritten)

    with mock.patch.object(ClaudeVocabulary, "cost", watched):
        assert counter.count(unit * 1_000_000) > 1_000_000 // 129
    assert sum(tiled) < 20_000


def test_no_more_segments_are_kept_than_there_is_room_for() -> None:
    counter = ClaudeCounter("claude-v4.8")
    with mock.patch.object(claude_counter, "_MOST_KEPT", 10):
        text = " ".join(f"word{letter}" * 3 for letter in "abcdefghijklmnopqrstuvwxyz")
        assert counter.count(text) == reference.count(text, "claude-v4.8")
        assert counter.count("z" * 65) == reference.count("z" * 65, "claude-v4.8")
    assert 0 < len(counter._costs) <= 10
    assert "z" * 65 not in counter._costs


def test_a_text_of_many_blocks_counts_as_a_whole() -> None:
    text = "It's a word, isn't it? 12 \u00e9t\u00e9s.\n" * 40
    with mock.patch.multiple(claude_counter, _BLOCK_CHARS=7, _MANY_CHARS=1):
        assert ClaudeCounter("claude-v3").count(text) == reference.count(text, "claude-v3")


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=examples(60), deadline=None)
@given(texts=st.lists(nasty, max_size=4))
@example(texts=["\u24e9's", "it's", "", "x"])
@example(texts=["\x01\x02a", "\u0301b", "\u201ca\u2019s\u201d"])
@example(texts=["\n0's\n\n00 0\n", "\n\n", "0\n0", "(1, 2)\n\n\n x'12't"])
@example(texts=[" '", "a 'b '\u4e00 ' (' 's", "\u2192's \u2192 \u2705's\t ' \u2705", "x \u2014\n \u2014  y"])
@example(texts=["b" * 90])
@example(texts=["\ufdd0"])
@example(texts=["-" * 17 + " ", " " + "=" * 16 + " a", "a" * 17 + "'s", "'s " + "b" * 90, " " * 300, "\ufdd0 \ufdd1a"])
def test_texts_as_arrays_count_as_ctok_counts_them(name: str, texts: list[str]) -> None:
    with mock.patch.object(claude_counter, "_MANY_CHARS", 0):
        assert counter_for(name).count_all(texts) == [reference.count(text, name) for text in texts]


def test_segments_that_share_a_place_of_the_tables_are_told_apart() -> None:
    text = " ".join(f"{first}{second}x, {second}'{first}" for first, second in product("abcdefgh", repeat=2))
    with (
        mock.patch.object(claude_segments, "_TABLE_BITS", 2),
        mock.patch.object(claude_counter, "_MANY_CHARS", 0),
        mock.patch.object(claude_counter, "_BLOCK_CHARS", 50),
    ):
        counter = ClaudeCounter("claude-v4.8")
        expected = reference.count(text, "claude-v4.8")
        assert [counter.count(text), counter.count_all([text, text])] == [expected, [expected] * 2]


@pytest.mark.slow
def test_whatever_may_compose_with_the_character_before_it_is_known_to_change_texts() -> None:
    seconds = set()
    for code in range(0x110000):
        decomposed = unicodedata.decomposition(chr(code))
        if decomposed and not decomposed.startswith("<"):
            seconds.update(int(part, 16) for part in decomposed.split()[1:])
    moved = {code for code in range(0x110000) if unicodedata.combining(chr(code))}
    composing = seconds | moved | set(range(0x1161, 0x1176)) | set(range(0x11A8, 0x11C3))
    assert [hex(code) for code in sorted(composing) if not kinds_of(code) & CHANGES] == []


# ------------------------------------------------------------------------- what the sum over segments is built on


def internal(name: str) -> frozenset[str]:
    vocabulary = claude_vocabulary.claude_vocabulary(name)
    return frozenset(piece for piece, whole in vocabulary.prefixes.items() if whole)


@pytest.mark.parametrize("name", NAMES)
def test_no_piece_crosses_the_edge_of_a_word(name: str) -> None:
    words = SegmentCosts(claude_vocabulary.claude_vocabulary(name))._is_word
    for piece in internal(name):
        assert END not in piece[:-1]
        assert BEGIN not in piece.lstrip(SHIFT + CAPS)[1:]
        assert not set(piece[1:]) & {SHIFT, CAPS}
        plain = piece.strip(BEGIN + END + SHIFT + CAPS)
        kinds = {words.match(char) is not None for char in plain}
        assert len(kinds) < 2 or plain in {f"'{suffix}" for suffix in ("s", "t", "d", "m", "ll", "re", "ve")}


@pytest.mark.parametrize("name", NAMES)
def test_digits_cost_by_their_number_alone(name: str) -> None:
    digits = {piece for piece in internal(name) if any(char in "0123456789" for char in piece)}
    assert digits == {f"{number:0{width}}" for width in (1, 2, 3) for number in range(10**width)}


@pytest.mark.parametrize("name", NAMES)
def test_line_ends_are_in_no_piece_with_anything_else(name: str) -> None:
    assert [piece for piece in internal(name) if "\n" in piece and piece.strip("\n")] == []


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("char", [" ", "\t"])
def test_blanks_and_tabs_are_in_no_piece_with_anything_else(name: str, char: str) -> None:
    assert [piece for piece in internal(name) if char in piece and piece.strip(char)] == []


def test_punctuation_outside_ascii_has_letters_of_its_own() -> None:
    letters = [letter_and_kinds(ord(char)) >> KIND_BITS for char in PUNCT_SYMS]
    assert len(set(letters)) == len(letters)
    assert all(PUNCTUATION_LETTER <= letter < NO_LETTER for letter in letters)
    assert all(classify(char) == "punct" for char in PUNCT_SYMS)


@pytest.mark.parametrize("name", NAMES)
def test_texts_that_are_tiled_at_once_cost_what_each_costs(name: str) -> None:
    vocabulary = claude_vocabulary.claude_vocabulary(name)
    choose = random.Random(5)
    pieces = sorted(internal(name))
    texts = ["".join(choose.choices(pieces, k=choose.randint(1, 9))) for _ in range(3_000)]
    texts += ["".join(choose.choices("abeinst.-= \u4e00\u0378", k=choose.randint(1, 99))) for _ in range(1_000)]
    assert vocabulary.costs(texts) == list(map(vocabulary.cost, texts))
    tiled = vocabulary.tiling.fewest(texts)
    assert 1_000 < sum(map(bool, tiled)) < len(texts)
    assert vocabulary.costs([]) == []


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("char", ["0", "\n", "\t", " "])
def test_a_run_costs_by_its_length(name: str, char: str) -> None:
    vocabulary = claude_vocabulary.claude_vocabulary(name)
    costs = vocabulary.costs_of_runs(char)
    assert len(costs) == claude_vocabulary.LONGEST_RUN + 1
    assert list(costs) == [vocabulary.cost(char * length) for length in range(len(costs))]


@pytest.mark.parametrize("name", NAMES)
def test_ideographs_syllables_and_what_lies_beyond_the_basic_plane_join_with_nothing(name: str) -> None:
    alone = claude_counter._alone()
    assert [piece for piece in internal(name) if len(piece) > 1 and alone.search(piece)] == []
    assert alone.match(reference.ALONE)


@pytest.mark.parametrize("name", NAMES)
def test_the_vocabulary_is_the_one_of_the_family(name: str) -> None:
    family = FAMILIES[CLAUDE_FAMILIES[name]]
    assert vocabulary_file(name).name == family.pieces
    assert internal(name) > {BEGIN, END, SHIFT}


def test_marks_have_the_spelling_of_ctok() -> None:
    assert {BEGIN, END, SHIFT, CAPS} < set(LITERAL_MARKER_ESCAPES)
    assert classify("a") == "wordy"


def test_a_missing_package_or_file_is_named() -> None:
    with mock.patch("importlib.util.find_spec", return_value=None), pytest.raises(TokenizerUnavailable, match="ctok"):
        vocabulary_file("claude-v3")
    nowhere = mock.Mock(submodule_search_locations=["/nowhere"])
    with (
        mock.patch("importlib.util.find_spec", return_value=nowhere),
        pytest.raises(TokenizerUnavailable, match=r"pieces_v3\.json"),
    ):
        vocabulary_file("claude-v3")


# ----------------------------------------------------------------------------------------- where counts add up


@pytest.mark.parametrize("name", NAMES)
@settings(deadline=None, max_examples=40)
@given(texts=st.lists(nasty, min_size=1, max_size=5))
@example(texts=["a!", "1b"])
@example(texts=["a", "\u4e00"])
@example(texts=["it", "'s"])
@example(texts=["x\r", "y"])
@example(texts=["\u0e4d", "\u0e32"])
def test_pieces_that_end_in_line_ends_and_start_safely_add_up(name: str, texts: list[str]) -> None:
    counter = counter_for(name)
    ruled = [f"{text}\n\n" for text in texts if starts_safely(text)]
    assert counter.count("".join(ruled)) == sum(counter.count(text) for text in ruled)


@pytest.mark.parametrize("name", NAMES)
@settings(deadline=None, max_examples=40)
@given(root=nasty, rest=nasty)
def test_a_slash_after_a_word_starts_a_piece_of_its_own(name: str, root: str, rest: str) -> None:
    counter = counter_for(name)
    if ends_in_word(root):
        assert counter.count(f"{root}/{rest}") == counter.count(root) + counter.count(f"/{rest}")


@pytest.mark.parametrize(
    ("left", "right"), [("a\n", "\nb"), ("a ", " b"), ("'", "t"), ("1", "2"), ("a", "b"), ("a.", " b")]
)
def test_the_counter_examples_of_the_boundary_rule_stand(left: str, right: str) -> None:
    counter = counter_for("claude-v3")
    assert counter.count(left + right) != counter.count(left) + counter.count(right)


@pytest.mark.parametrize(("name", "frame"), [("claude-v3", 7), ("claude-v4.7", 11), ("claude-v4.8", 6)])
@settings(deadline=None, max_examples=40)
@given(text=nasty)
@example(text="12")
@example(text="\n\n\n")
@example(text=" ")
def test_a_text_alone_in_a_message_differs_by_its_edges_only(name: str, frame: int, text: str) -> None:
    alone = ctok.token_count(text, reference.CLAUDE_VERSIONS[name]) - frame
    assert -2 <= alone - counter_for(name).count(text) <= 1


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("texts", [["a" * 200], ["\ue000"], ["a" * 200, "\ue000"], ["\ue000a", "b"]])
def test_words_of_which_nothing_is_found_at_once_are_tiled_one_by_one(name: str, texts: list[str]) -> None:
    vocabulary = claude_vocabulary.claude_vocabulary(name)
    assert vocabulary.costs(texts) == [vocabulary.cost(text) for text in texts]


@pytest.mark.parametrize("name", ["claude-v3", "claude-v4.8"])
def test_a_long_word_of_short_pieces_is_counted_in_linear_time(name: str) -> None:
    """A million letters; in the square of their number it would take minutes of processor time."""
    counter = counter_for(name)
    assert counter.count("zq" * 1_000) == 2_000
    before = time.process_time()
    assert counter.count("zq" * 500_000) == 1_000_000
    assert time.process_time() - before < 30


def test_threads_that_count_at_once_find_no_half_of_what_another_one_keeps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claude_segments, "_TABLE_BITS", 8)  # so that places are taken again and again
    dice = random.Random(5)
    words = ["".join(dice.choices("abcdefghijklmnopqrstuvwxyz", k=dice.randint(3, 12))) for _ in range(1_500)]
    texts = [" ".join(dice.choices(words, k=1_000)) for _ in range(24)]
    expected = [ClaudeCounter("claude-v3").count(text) for text in texts]
    shared = ClaudeCounter("claude-v3")
    shared.count(texts[0])
    patience = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(4) as threads:
            for _ in range(10):
                assert list(threads.map(shared.count, texts)) == expected
    finally:
        sys.setswitchinterval(patience)
