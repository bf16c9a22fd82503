"""`make accuracy`: counts held against what providers recorded, beside other counters, into docs/accuracy.md.

    python -m benchmarks.accuracy.recorded_counts [FILES...] [--quick]

FILES are sessions with recorded usage, or folders of them; without any, the folder that BUDGETEER_CORPUS names.
`--quick` prints the table and writes nothing.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from importlib import metadata
from typing import Any, Final

import click
import numpy as np
from numpy.typing import NDArray

from benchmarks.documents import ROOT, GeneratedPart
from benchmarks.packers import plot
from budgeteer.cli.source_files import read_recorded
from budgeteer.engine.analysis.cache.recorded_cache import RecordedCache, recorded_caches
from budgeteer.engine.analysis.calibration.calibration import (
    MIN_REQUESTS,
    Calibration,
    CountError,
    calibrate,
    count_error,
)
from budgeteer.engine.analysis.calibration.recorded_growth import RecordedGrowth
from budgeteer.engine.analysis.calibration.robust_regression import Floats
from budgeteer.engine.content.conversation import Conversation, Message, calls_of, results_of, text_of

PART: Final = GeneratedPart(ROOT / "docs" / "accuracy.md", "make accuracy")
PLOT: Final = ROOT / "docs" / "images" / "accuracy.svg"
#: What stands in where a model's own tokenizer is not at hand.
STAND_INS: Final = ("o200k_base", "chars/4")
#: What litellm adds for the reply, once a request.
LITELLM_PRIMING: Final = 3
POINTS: Final = 300
#: How often stretches are drawn anew for an interval, and from what seed.
DRAWS: Final = 4_000
SEED: Final = 20261124


def main(arguments: list[str]) -> int:
    """Hold, show, and write; status 1 where nothing was recorded."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.accuracy.recorded_counts", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("files", nargs="*", help="sessions with recorded usage, or folders of them")
    parser.add_argument("--quick", action="store_true", help="print the table and write nothing")
    options = parser.parse_args(arguments)
    files = options.files or [os.environ.get("BUDGETEER_CORPUS", "")]
    if not files[0]:
        parser.error("name files, or let BUDGETEER_CORPUS name a folder")
    read = read_recorded(files)
    found = [one for one in calibrate(read.conversations) if len(one.records.growths) >= MIN_REQUESTS]
    if not found:
        click.echo(f"No model has {MIN_REQUESTS} recorded requests that can be held against counts.", err=True)
        return 1
    caches = list(recorded_caches(read.conversations))
    tables = [_table(_rows(found, read.conversations)), _totals(found), _fits(found), _caches(caches)]
    text = "\n\n".join([_head(read.files), *tables])
    if options.quick:
        click.echo(text)
        return 0
    PART.write(text)
    PLOT.write_text(picture(found), encoding="utf-8")
    return 0


def _head(files: int) -> str:
    day = datetime.now(UTC).date().isoformat()
    versions = ", ".join(f"{name} {metadata.version(name)}" for name in ("ctok", "litellm", "tiktoken", "toktok-rs"))
    return f"Made on {day} from {files:,} files with recorded requests; {versions}."


def _rows(found: Sequence[Calibration], conversations: Sequence[Conversation]) -> Iterator[tuple[str, ...]]:
    stand_ins = {
        tokenizer: {one.records.model: one.counted for one in calibrate(conversations, tokenizer=tokenizer)}
        for tokenizer in STAND_INS
    }
    counter = _litellm()
    for one in found:
        model, own = one.records.model, one.records.tokenizer
        used = f"{len(one.records.growths):,} of {one.records.requests:,}"
        yield (f"`{model}`", used, f"**Budgeteer** ({own})", *_percents(one.counted))
        for tokenizer in STAND_INS:
            if tokenizer != own:
                yield ("", "", tokenizer, *_percents(stand_ins[tokenizer][model]))
        growths = one.records.growths
        counted = np.array([max(counter(model, growth.added), 1) for growth in growths], np.float64)
        recorded = np.array([growth.recorded_tokens for growth in growths], np.float64)
        yield ("", "", "litellm", *_percents(count_error(counted, recorded)))


def _litellm() -> Callable[[str, Sequence[Message]], int]:
    """What litellm's `token_counter` counts of messages for a model."""
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    from litellm import utils

    def count(model: str, messages: Sequence[Message]) -> int:
        said = [_chat_message(message) for message in messages]
        return int(utils.token_counter(model=model, messages=said)) - LITELLM_PRIMING

    return count


def _chat_message(message: Message) -> dict[str, Any]:
    """A message in the form that litellm counts; its words without the calls that stand beside them."""
    results = results_of(message)
    if results:
        return {"role": "tool", "content": text_of(message), "tool_call_id": results[0].call_id}
    calls = calls_of(message)
    words = Message(message.role, tuple(part for part in message.parts if part not in calls))
    data: dict[str, Any] = {"role": message.role, "content": text_of(words)}
    if calls:
        data["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in calls
        ]
    return data


def _percents(error: CountError | None) -> tuple[str, ...]:
    if error is None:
        return ("–", "–", "–")
    return (f"{error.total:+.1%}", f"{error.median:.1%}", f"{error.p95:.1%}")


def _table(rows: Iterator[tuple[str, ...]]) -> str:
    header = ("model", "requests", "counted by", "in all", "median request", "95 % of requests")
    lines = [header, ("---", "--:", "---", "--:", "--:", "--:"), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _totals(found: Sequence[Calibration]) -> str:
    """What was recorded of each model, as a sum: counted, not in the file, and what the count is off by beside it."""
    header = (
        *("model", "recorded", "counted", "of that known by its rule"),
        *("not in the file", "in how many requests", "off beside it", "in all", "95 % interval", "stretches"),
    )
    rows = []
    for one in found:
        growths = one.records.growths
        counted = np.array([growth.counted_tokens for growth in growths], np.float64)
        recorded = np.array([growth.recorded_tokens for growth in growths], np.float64)
        _, stretch = np.unique([growth.chain for growth in growths], return_inverse=True)
        low, high = interval(counted, recorded, stretch)
        total = one.recorded
        rows.append(
            (
                f"`{one.records.model}`",
                f"{total.recorded:,}",
                f"{total.counted:,}",
                f"{total.by_rule:,}",
                f"{total.not_in_file:,} ({total.not_in_file / total.recorded:.2%})",
                f"{total.unseen_requests:,}",
                f"{total.off:+,} ({total.off / total.recorded:+.2%})",
                f"{total.counted / total.recorded - 1:+.2%}",
                f"{low:+.1%} to {high:+.1%}" if stretch.max() else "–",
                f"{stretch.max() + 1:,}",
            )
        )
    lines = [header, ("---", *["--:"] * (len(header) - 1)), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def interval(counted: Floats, recorded: Floats, stretch: NDArray[np.int64]) -> tuple[float, float]:
    """Between which totals 95 of 100 lie where as many stretches are drawn again, each as often as chance has it.

    A stretch is what follows one another in a session without a compaction, a rewind or another model; its requests
    share what its program adds, so that only whole stretches are drawn.
    """
    sums = np.array([np.bincount(stretch, values) for values in (counted, recorded)])
    drawn = np.random.default_rng(SEED).integers(0, sums.shape[1], (DRAWS, sums.shape[1]))
    totals = sums[0][drawn].sum(axis=1) / sums[1][drawn].sum(axis=1) - 1
    low, high = np.quantile(totals, [0.025, 0.975])
    return float(low), float(high)


def _fits(found: Sequence[Calibration]) -> str:
    """Recorded tokens for each token counted, where everything beside the texts is fitted as well."""
    rows = [
        (
            f"`{one.records.model}`",
            one.records.tokenizer,
            *(f"{value:g}" for value in one.coefficients.to_json().values()),
            *_percents(one.fitted)[:2],
        )
        for one in found
        if one.coefficients is not None
    ]
    header = (
        *("model", "tokenizer", "per token", "per message", "per call and result", "per parameter"),
        *("in all, of stretches not fitted to", "median request of them"),
    )
    lines = [header, ("---", "---", *["--:"] * (len(header) - 2)), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _caches(found: Sequence[RecordedCache]) -> str:
    """One row a session: what was read from the cache as it was recorded and as it is simulated."""
    rows = [
        (
            f"`{one.model}`",
            one.rules.name,
            f"{one.requests:,}",
            f"{one.begun:,}",
            f"{one.recorded_read:,}",
            f"{one.error:+.1%}",
            f"{one.counted_error:+.1%}",
            "; ".join(f"{kind} ({count:,}: {tokens:+,})" for kind, count, tokens in one.differences),
        )
        for one in found
        if one.is_default
    ]
    header = (
        "model",
        "rules",
        "requests",
        "begun anew",
        "recorded reads",
        "simulated",
        "with counted sizes",
        "requests that differ by more than a twentieth: how many, and tokens",
    )
    lines = [header, ("---", "---", "--:", "--:", "--:", "--:", "--:", "---"), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def picture(found: Sequence[Calibration]) -> str:
    """Counted against recorded tokens of requests, both scales logarithmic: what is right lies on the diagonal."""
    growths = [(at, growth) for at, one in enumerate(found) for growth in _some(one.records.growths)]
    sizes = [size for _, growth in growths for size in (growth.recorded_tokens, growth.counted_tokens)]
    low, high = math.floor(math.log10(max(min(sizes), 1))), math.ceil(math.log10(max(sizes)))
    x = plot.LogScale(low, high, plot.LEFT, plot.WIDTH - plot.RIGHT)
    y = plot.LogScale(low, high, plot.HEIGHT - plot.BOTTOM, plot.TOP)
    names = [f"{one.records.model} ({one.records.tokenizer})" for one in found]
    told = "; ".join(
        f"{name}: median error of a request {_percents(one.counted)[1]}" for name, one in zip(names, found, strict=True)
    )
    drawn = [plot.opened("Tokens counted against tokens recorded, request by request", f"{told}.")]
    drawn += plot.axes(x, y, across="tokens recorded", label=lambda tokens: f"{tokens:,.0f}")
    drawn.append(f'<text class="ink" x="{plot.LEFT}" y="{plot.TOP - 6}">tokens counted</text>')
    drawn.append(
        f'<line class="line6" stroke-dasharray="4 4" x1="{x.at(10.0**low):.1f}" y1="{y.at(10.0**low):.1f}"'
        f' x2="{x.at(10.0**high):.1f}" y2="{y.at(10.0**high):.1f}"/>'
    )
    drawn += [
        f'<circle class="mark{at % len(plot.COLOURS)}" fill-opacity="0.55" cx="{x.at(growth.recorded_tokens):.1f}"'
        f' cy="{y.at(max(growth.counted_tokens, 1)):.1f}" r="2.5"/>'
        for at, growth in growths
    ]
    drawn += [
        f'<text class="mark{at % len(plot.COLOURS)}" x="{plot.WIDTH - plot.RIGHT + 16}" y="{plot.TOP + 20 + at * 22}">'
        f"{one.records.model}</text>"
        for at, one in enumerate(found)
    ]
    return "\n".join([*drawn, "</svg>", ""])


def _some(growths: Sequence[RecordedGrowth]) -> Sequence[RecordedGrowth]:
    """At most so many of them, spread over all."""
    return growths[:: max(1, -(-len(growths) // POINTS))]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
