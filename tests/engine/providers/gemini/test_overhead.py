"""What Gemini charges beside the texts, against the figures that Google published."""

from tests.engine.packs import bundle_of, packed, user


def test_googles_example_is_counted_as_it_is_billed() -> None:
    """Source: https://ai.google.dev/api/tokens, checked 2026-11-24: countTokens 10, prompt_token_count 11."""
    asked = user("The quick brown fox jumps over the lazy dog.")
    packing = packed(bundle_of(asked, tokenizer="gemma3"), {"model": "gemini-2.5-flash"})
    assert packing.bundle.tokenizer == "gemma3"
    assert packing.total.tokens == 11
