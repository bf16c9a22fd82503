"""A cache answers as the slow, obvious one does that keeps every prefix of every request."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgeteer.engine.analysis.cache.cache_rules import RULES, CacheRules, RuleName, rule_names, rules_for
from budgeteer.engine.analysis.cache.prefix_cache import CacheUse, SentRequest, cache_of
from budgeteer.engine.errors import ConfigError
from budgeteer.engine.models.registry import MODELS, model

#: Requests: segments by a number each, and seconds since the request before.
SESSIONS = st.lists(
    st.tuples(st.lists(st.integers(1, 3), min_size=1, max_size=7), st.sampled_from([1, 100, 299, 301, 4_000])),
    min_size=1,
    max_size=14,
)


def sent(segments: list[int], seconds: float, *, tokens: int = 700, blocks: int = 1) -> SentRequest:
    count = len(segments)
    return SentRequest(
        keys=np.array(segments, np.uint64),
        tokens=np.full(count, tokens, np.int64),
        blocks=np.full(count, blocks, np.int64),
        marks={"tools": 0, "system": 1, "previous": max(count - 2, 0), "end": count},
        seconds=seconds,
        tail_tokens=3,
    )


def slow_steps(rules: CacheRules, session: list[tuple[list[int], int]]) -> list[int]:
    """What each request reads where every prefix of every request is kept with the time of its last use."""
    used: dict[tuple[int, ...], float] = {}
    now, reads = 0.0, []
    for segments, pause in session:
        now += pause
        prefixes = [tuple(segments[: at + 1]) for at in range(len(segments))]
        alive = [len(one) for one in prefixes if one in used and now - used[one] <= rules.lifetime_seconds]
        tokens = 700 * max(alive, default=0)
        reads.append(tokens // rules.step_tokens * rules.step_tokens if tokens >= rules.minimum_tokens else 0)
        used |= dict.fromkeys(prefixes, now)
    return reads


def slow_breakpoints(rules: CacheRules, session: list[tuple[list[int], int]], blocks: int) -> list[int]:
    """The same where only marked prefixes are kept, and looked for within reach of a mark."""
    used: dict[tuple[int, ...], float] = {}
    now, reads = 0.0, []
    for segments, pause in session:
        now += pause
        places = sent(segments, now).marks
        marks = [places[mark] for mark in rules.marks if places[mark] and places[mark] * 700 >= rules.minimum_tokens]
        found = 0
        for mark in marks:
            for at in range(mark, 0, -1):
                behind = (mark - at) * blocks
                near = rules.lookback_blocks is None or behind < rules.lookback_blocks
                one = tuple(segments[:at])
                if near and one in used and now - used[one] <= rules.lifetime_seconds:
                    found = max(found, at)
        reads.append(found * 700)
        for at in {*marks, found} - {0}:
            one = tuple(segments[:at])
            if rules.renewed or one not in used or now - used[one] > rules.lifetime_seconds:
                used[one] = now
    return reads


@pytest.mark.parametrize("name", list(RULES))
@given(session=SESSIONS, blocks=st.sampled_from([1, 7, 25]))
def test_reads_are_those_of_a_cache_that_keeps_everything(
    name: RuleName, session: list[tuple[list[int], int]], blocks: int
) -> None:
    rules = RULES[name]
    cache, now, reads = cache_of(rules), 0.0, []
    for segments, pause in session:
        now += pause
        request = sent(segments, now, blocks=blocks)
        use = cache.serve(request)
        assert use.read_tokens + use.written_tokens + use.neither_tokens == request.total_tokens
        assert min(use.read_tokens, use.written_tokens, use.neither_tokens, use.lost_tokens) >= 0
        reads.append(use.read_tokens)
    slow = slow_steps(rules, session) if rules.matching == "steps" else slow_breakpoints(rules, session, blocks)
    assert reads == slow


def served(name: RuleName, *requests: SentRequest) -> list[CacheUse]:
    cache = cache_of(RULES[name])
    return [cache.serve(request) for request in requests]


def test_a_request_that_goes_on_reads_all_of_the_one_before_in_steps() -> None:
    first, second = served("openai-24h", sent([1, 2], 0), sent([1, 2, 3], 60))
    assert (first.read_tokens, first.written_tokens, first.miss) == (0, 1_280, "first")
    assert (second.read_tokens, second.written_tokens, second.neither_tokens) == (1_280, 768, 55)
    assert second.miss is None


def test_why_less_is_read_is_told() -> None:
    start = sent([1, 2], 0)
    assert served("anthropic-5m", start, sent([1, 2, 3], 400))[1].miss == "expired"
    changed = served("anthropic-5m", start, sent([1, 4, 3], 60))[1]
    assert (changed.miss, changed.shared, changed.lost_tokens) == ("changed", 1, 1_400)
    assert served("anthropic-5m", sent([1], 0), sent([1, 2], 60))[1].miss == "tooShort"
    far = SentRequest(
        keys=np.array([1, 2, 3], np.uint64),
        tokens=np.array([700, 700, 700], np.int64),
        blocks=np.array([1, 1, 20], np.int64),
        marks={"end": 3},
        seconds=60,
    )
    assert served("anthropic-5m", start, far)[1].miss == "lookback"


def test_an_explicit_gemini_cache_lives_an_hour_however_often_it_is_read() -> None:
    uses = served("gemini-explicit", *(sent([1, number], 1_500 * number, tokens=2_000) for number in range(4)))
    assert [use.read_tokens for use in uses] == [0, 2_000, 2_000, 0]
    assert [use.written_tokens for use in uses] == [2_000, 0, 0, 2_000]


def test_every_model_with_cached_prices_of_a_maker_with_published_rules_has_them() -> None:
    for row in MODELS.values():
        names = rule_names(row)
        known = row.maker in ("OpenAI", "Anthropic", "Google") and row.cached_input_price is not None
        assert bool(names) == known, row.name
        for name in names:
            rules = rules_for(row, name)
            assert rules is not None
            assert rules.source.startswith("https://")
            assert rules.minimum_tokens >= 512
            assert (rules.matching == "steps") == (not rules.marks)


def test_rules_that_a_model_is_not_used_with_are_refused_with_those_it_is() -> None:
    with pytest.raises(ConfigError, match="anthropic-5m, anthropic-1h"):
        rules_for(model("claude-sonnet-4-5"), "openai-24h")
    with pytest.raises(ConfigError, match="not simulated"):
        rules_for(model("gemma-1b"), "openai-24h")
    assert rules_for(model("gemma-1b")) is None
