"""Tokens of a text one by one: their characters are the text, their number is the counter's."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgeteer.engine.counting.token_pieces import DIVIDING, token_pieces
from budgeteer.engine.counting.tokenizers import counter_for

TEXTS = st.lists(st.sampled_from(["harbour ", "Größe", "日本語", "🚢", "\n\n", "   ", "x=1;", "'s", "a", " "])).map(
    "".join
)


@pytest.mark.parametrize("tokenizer", DIVIDING)
@given(text=TEXTS)
def test_the_pieces_are_the_text_and_their_tokens_its_count(tokenizer: str, text: str) -> None:
    found = token_pieces(tokenizer, text)
    assert "".join(piece.text for piece in found.pieces) == text
    assert found.tokens == counter_for(tokenizer).count(text)
    assert all(piece.text and piece.tokens for piece in found.pieces)


@pytest.mark.parametrize("tokenizer", DIVIDING)
def test_windows_of_a_long_text_join_without_gap_or_repeat(tokenizer: str) -> None:
    text = "The crane waits at the north berth; Größe 日本語 🚢.\n" * 2_000
    whole = token_pieces(tokenizer, text)
    step, joined = 7_001, []
    for start in range(0, len(text), step):
        window = token_pieces(tokenizer, text, start=start, stop=start + step)
        assert window.before == sum(piece.tokens for piece in joined)
        joined += window.pieces
    assert tuple(joined) == whole.pieces


def test_a_character_of_several_tokens_is_one_piece() -> None:
    found = token_pieces("cl100k_base", "🦑")
    assert [piece.text for piece in found.pieces] == ["🦑"]
    assert found.pieces[0].tokens > 1


def test_white_space_too_long_for_the_encoder_is_a_piece() -> None:
    text = f"a{' ' * 1_200_000}b"
    found = token_pieces("o200k_base", text)
    assert "".join(piece.text for piece in found.pieces) == text
    assert found.tokens == counter_for("o200k_base").count(text)


def test_a_tokenizer_that_only_counts_is_refused() -> None:
    with pytest.raises(ValueError, match="does not divide"):
        token_pieces("chars/4", "Hello")
