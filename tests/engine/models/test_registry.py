"""The model table: what the seeds say, what tiktoken says, what genai-prices says."""

from __future__ import annotations

import ast
import datetime as dt
import re
import subprocess
import sys
from decimal import Decimal
from importlib.util import find_spec
from pathlib import Path

import pytest
import tiktoken.model
from ctok.main import _family
from genai_prices import types
from genai_prices.data_snapshot import get_snapshot

from budgeteer.engine.counting.open_counter import OPEN_VOCABULARIES
from budgeteer.engine.errors import ConfigError
from budgeteer.engine.models.model_table import DATE, TABLE
from budgeteer.engine.models.registry import MODELS, ModelRow, known_model, model

PROVIDER_IDS = {
    "OpenAI": "openai",
    "Anthropic": "anthropic",
    "Google": "google",
    "Mistral": "mistral",
    "DeepSeek": "deepseek",
    "Meta": "meta",
    "xAI": "x-ai",
    "Moonshot AI": "moonshotai",
    "Z.ai": "zai",
    "MiniMax": "minimax",
}

OPEN_WEIGHTS = "open weights: every host sets its own price, so the row has none"
SEED = "the seed's on-device limit, smaller than what the weights allow"
ROUNDED = "genai-prices rounds the window to a million; the provider's page states the exact figure"
NO_WINDOW = "genai-prices states no window; the provider's page does"

PRICE_DIFFERENCES = {
    "gpt-oss-120b": OPEN_WEIGHTS,
    "gpt-oss-20b": OPEN_WEIGHTS,
}
WINDOW_DIFFERENCES = {
    **dict.fromkeys(("gpt-4.1", "gpt-4.1-mini", "gpt-4.1-nano"), ROUNDED),
    **dict.fromkeys(("gemini-3.8-flash", "gemini-3.5-flash", "gemini-3.5-flash-lite"), ROUNDED),
    **dict.fromkeys(("gemini-2.5-flash-lite", "gemini-2.0-flash"), ROUNDED),
    **dict.fromkeys(("gemini-3.1-pro-preview", "gemini-2.5-pro"), NO_WINDOW),
    **dict.fromkeys(("gemma-3n-e2b", "gemma-3n-e4b"), NO_WINDOW + "; " + SEED),
}
NOT_IN_GENAI_PRICES = {
    **dict.fromkeys(("gemma-270m", "gemma-1b"), SEED),
    "gemma-4-31b": "listed there under the id gemma-4-31b-it only",
    **dict.fromkeys(("llama-4-maverick", "llama-3.3-70b", "llama-3.1-8b"), OPEN_WEIGHTS),
    **dict.fromkeys(("qwen3.8-max", "qwen3.6-27b", "qwen3-32b"), OPEN_WEIGHTS),
}

TITLE_DIFFERENCES = {
    "gpt-4o-2024-05-13": "the month in words",
    "o4-mini": "genai-prices names the effort that it found the price under",
    "gemini-3.1-pro-preview": "a title does not say that it is a preview",
    **dict.fromkeys(("gemma-3n-e2b", "gemma-3n-e4b"), "genai-prices has one row for both sizes"),
    **dict.fromkeys(("mistral-large-2512", "ministral-8b-2512", "codestral-2508"), "the month of a release left out"),
}


def find_listed(row: ModelRow) -> types.ModelInfo | None:
    provider_id = PROVIDER_IDS.get(row.maker)
    provider = next((one for one in get_snapshot().providers if one.id == provider_id), None)
    return provider.find_model(row.name) if provider else None


def base_price(price: Decimal | types.TieredPrices | None) -> float | None:
    """The price of a short prompt: the first tier."""
    if price is None:
        return None
    return float(price.base if isinstance(price, types.TieredPrices) else price)


def standing_prices(listed: types.ModelInfo) -> types.ModelPrice:
    """The prices that hold on the table's date outside peak hours: the last entry that is in force by date."""
    if isinstance(listed.prices, types.ModelPrice):
        return listed.prices
    today = dt.date.fromisoformat(DATE)
    in_force = [
        entry.prices
        for entry in listed.prices
        if entry.constraint is None
        or (isinstance(entry.constraint, types.StartDateConstraint) and entry.constraint.start_date <= today)
    ]
    return in_force[-1]


@pytest.mark.parametrize(
    ("name", "window"), [("gemma-270m", 1024), ("gemma-1b", 2048), ("gemma-3n-e2b", 4096), ("gemma-3n-e4b", 8192)]
)
def test_the_small_models_have_the_windows_of_the_seed(name: str, window: int) -> None:
    assert model(name).context_window == window


@pytest.mark.xdist_group("genai-prices")  # reading its table takes seconds in each process that does
@pytest.mark.parametrize("row", MODELS.values(), ids=lambda row: row.name)
def test_window_and_prices_are_those_of_genai_prices_or_the_difference_has_a_reason(row: ModelRow) -> None:
    listed = find_listed(row)
    if listed is None:
        assert NOT_IN_GENAI_PRICES[row.name]
        return
    assert row.name not in NOT_IN_GENAI_PRICES
    assert (row.context_window != listed.context_window) == (row.name in WINDOW_DIFFERENCES)
    prices = standing_prices(listed)
    theirs = tuple(map(base_price, (prices.input_mtok, prices.cache_read_mtok, prices.output_mtok)))
    ours = (row.input_price, row.cached_input_price, row.output_price)
    assert (ours != theirs) == (row.name in PRICE_DIFFERENCES)


def test_every_row_of_the_table_has_a_name_of_its_own() -> None:
    assert [line[0] for _, lines in TABLE for line in lines] == list(MODELS)


def test_every_named_difference_belongs_to_a_row() -> None:
    assert {*PRICE_DIFFERENCES, *WINDOW_DIFFERENCES, *TITLE_DIFFERENCES, *NOT_IN_GENAI_PRICES} <= set(MODELS)


def words_of(name: str) -> list[str]:
    """The words and numbers of a name, in any order: "gemini-2.5-pro" is "Gemini 2.5 Pro"."""
    return sorted(re.findall(r"[a-z]+|[0-9]+", name.lower()))


@pytest.mark.xdist_group("genai-prices")
@pytest.mark.parametrize("row", MODELS.values(), ids=lambda row: row.name)
def test_a_title_is_that_of_genai_prices_or_else_the_name_in_words(row: ModelRow) -> None:
    listed = find_listed(row)
    theirs = row.name if listed is None or listed.name is None else listed.name
    assert (words_of(row.title) != words_of(theirs)) == (row.name in TITLE_DIFFERENCES)


def test_no_two_rows_have_one_title() -> None:
    assert len({row.title for row in MODELS.values()}) == len(MODELS)


def test_a_name_is_as_the_makers_write_theirs() -> None:
    assert [name for name in MODELS if not re.fullmatch(r"[a-z0-9]+(?:[.-][a-z0-9]+)*", name)] == []


def ctok_family(row: ModelRow) -> str:
    """The tokenizer that ctok has for a model of this version, which is the numbers in its name."""
    return f"claude-{_family('.'.join(re.findall('[0-9]+', row.name)))}"


@pytest.mark.parametrize("row", MODELS.values(), ids=lambda row: row.name)
def test_a_tokenizer_is_exact_only_where_tiktoken_names_it(row: ModelRow) -> None:
    try:
        known = tiktoken.model.encoding_name_for_model(row.name)
    except KeyError:
        known = None
    if row.tokenizer_is_stand_in:
        expected = {ctok_family(row)} if row.maker == "Anthropic" else {"o200k_base", *OPEN_VOCABULARIES}
        assert row.tokenizer in expected
        assert known in (None, "o200k_harmony")
    else:
        assert row.tokenizer == known
        assert row.tokenizer_is_own


def googles_vocabularies() -> dict[str, str]:
    """Model -> the vocabulary that google-genai's local tokenizer reads for it; importing that needs sentencepiece."""
    package = find_spec("google.genai")
    assert package is not None
    assert package.submodule_search_locations
    source = Path(package.submodule_search_locations[0], "_local_tokenizer_loader.py").read_text(encoding="utf-8")
    tables = [
        ast.literal_eval(node.value)
        for node in ast.parse(source).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]).endswith("_TOKENIZER_NAMES")
    ]
    assert len(tables) == 3
    return {name: vocabulary for table in tables for name, vocabulary in table.items()}


def test_a_model_of_googles_has_its_own_vocabulary_where_google_says_so() -> None:
    told = googles_vocabularies()
    ours = {row.name for row in MODELS.values() if row.provider == "gemini" and row.tokenizer_is_own}
    assert ours == {row.name for row in MODELS.values() if row.name in told}
    # Gemma 3's and Gemma 4's vocabularies count alike (tests/engine/counting/test_open_counter.py).
    assert {told[name] for name in ours} == {"gemma3", "gemma4"}


@pytest.mark.parametrize("row", MODELS.values(), ids=lambda row: row.name)
def test_the_limits_of_a_row_agree_with_each_other(row: ModelRow) -> None:
    assert row.max_input is None or row.max_input < row.context_window
    assert row.max_output is None or row.max_output <= row.context_window
    assert 0 < row.output_reserve <= row.context_window // 4
    if row.max_input is not None and row.max_output is not None:
        assert row.max_input + row.max_output == row.context_window
    assert re.fullmatch(r"\d{4}-\d{2}-\d{2}", row.date)
    assert row.source
    assert row.title


def test_gpt_4o_keeps_4096_for_the_reply_and_gemma_270m_a_quarter() -> None:
    assert model("gpt-4o").output_reserve == 4096
    assert model("gemma-270m").output_reserve == 256


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("openai/gpt-4o", "gpt-4o"),
        ("GPT-4o", "gpt-4o"),
        ("claude-sonnet-4-5-20250929", "claude-sonnet-4-5"),
        ("gpt-4o-2024-08-06", "gpt-4o"),
        ("gpt-4o-2024-05-13", "gpt-4o-2024-05-13"),
        ("claude-3-5-haiku-latest", "claude-3-5-haiku"),
        ("claude-sonnet-4.5", "claude-sonnet-4-5"),
        ("anthropic/claude-opus-4.6", "claude-opus-4-6"),
        ("claude-sonnet-4-0", "claude-sonnet-4"),
        ("claude-opus-4-6[1m]", "claude-opus-4-6"),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5"),
        ("deepseek/deepseek-v3.2:free", "deepseek-v3.2"),
        ("claude-haiku-4-5@20251001", "claude-haiku-4-5"),
        ("models/gemini-2.5-pro-preview-06-05", "gemini-2.5-pro"),
        ("gpt-5-2025-08-07", "gpt-5"),
        ("gpt-4.1", "gpt-4.1"),
    ],
)
def test_provider_prefixes_and_dates_lead_to_the_row(written: str, name: str) -> None:
    assert model(written).name == name


@pytest.mark.parametrize(
    "written",
    [
        *("", "<redacted>", "opus", "gpt-4o-audio-preview", "gpt-4-1106-preview", "gpt-5.1-codex", "gpt", "claude"),
        *("gpt-5-2025-08-07gpt-5-2025-08-07", "o1-preview", ":", "-0", "[1m]", "/", "a." * 5_000, "[" * 50_000),
    ],
)
def test_no_other_model_is_taken_for_one_of_ours(written: str) -> None:
    assert known_model(written) is None


def test_no_two_rows_are_spelled_alike() -> None:
    assert len({name.replace(".", "-") for name in MODELS}) == len(MODELS)
    assert {known_model(name) for name in MODELS} == set(MODELS.values())


def test_an_unknown_model_is_refused_with_the_nearest_names() -> None:
    with pytest.raises(ConfigError) as caught:
        model("gpt4o")
    assert caught.value.where == "model"
    assert "gpt-4o" in caught.value.mend


def test_a_name_like_no_other_is_refused_with_all_names() -> None:
    with pytest.raises(ConfigError, match="Known models: gpt-4o, "):
        model("zzzzzzzz")


def test_importing_the_table_loads_no_price_package_and_no_django() -> None:
    heavy = "genai_prices", "django", "numpy", "tiktoken"
    code = f"import sys, budgeteer.engine.models.registry; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
