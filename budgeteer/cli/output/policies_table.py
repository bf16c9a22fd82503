"""Output of `budgeteer policies` for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from budgeteer.cli.output.tables import table
from budgeteer.engine.analysis.cost_and_usage import money
from budgeteer.engine.analysis.replay.agent_harnesses import HARNESSES
from budgeteer.engine.analysis.replay.harness_replay import HarnessReplay
from budgeteer.engine.analysis.replay.policies import PolicyTotals, cheapest_policy

_HEADER = (
    "policy",
    "limit",
    "requests",
    "over",
    "cannot fit",
    "sent",
    "peak",
    "left out",
    "from cache",
    "breaks",
    "cost",
    "a request",
    "uncached",
    "a request",
)


def policies_table(found: Sequence[PolicyTotals], *, rules: str) -> str:
    """Each policy over all requests; `rules` names the cache that is simulated, "" for none."""
    lines = [table(_HEADER, [_row(one) for one in found])]
    about = f"Cache: {rules}." if rules else "No cache rules are known for this model; costs are without a cache."
    lines += ["", f"Tokens and list prices of the input of all requests. {about}"]
    cheapest = cheapest_policy(found)
    if cheapest is not None:
        settings = " ".join(f"--set {path}={value}" for path, value in cheapest.policy.settings.items())
        lines.append(f"Least cost: {cheapest.policy.name}. To use it: {settings}")
    return "\n".join(lines)


def _row(one: PolicyTotals) -> tuple[object, ...]:
    limit = "-" if one.policy.limit is None else f"{one.policy.limit.rpartition('.')[2]} {_value(one.limit_value)}"
    share = "-" if one.read_share is None else f"{one.read_share:.0%}"
    sizes = (one.sent_tokens, one.peak_tokens, one.left_out_tokens, share, "-" if one.breaks is None else one.breaks)
    costs = (one.cost, one.cost_per_request, one.uncached_cost, one.uncached_cost_per_request)
    shown = ("-" if cost is None else money(cost, "USD") for cost in costs)
    return (one.policy.name, limit, one.requests, one.overflowing, one.failing, *sizes, *shown)


def _value(value: int | str | None) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)


_AGENT_HEADER = (
    "agent",
    "compacts from",
    "compactions",
    "sent",
    "peak",
    "messages gone",
    "prompts",
    "results",
    "uncached",
)
_LISTED_REQUESTS = 4


def agents_table(found: Sequence[HarnessReplay]) -> str:
    """What each agent would have done, and which numbers stand in."""
    lines = ["", "What agents would have done:", table(_AGENT_HEADER, [_agent_row(one) for one in found])]
    unseen = found[0].not_in_file_tokens
    told = f"; {unseen:,} tokens that are not in the file count towards the trigger" if unseen else ""
    lines += ["", f"Nothing is packed here: messages as they came, no cache{told}. By agent:"]
    lines += [
        f"  {row.title}: {row.rule} ({row.source}; {row.date}). Assumed: {row.assumed}." for row in HARNESSES.values()
    ]
    return "\n".join(lines)


def _agent_row(one: HarnessReplay) -> tuple[object, ...]:
    where = [f"{compaction.request:,}" for compaction in one.compactions[:_LISTED_REQUESTS]]
    more = ", …" if len(one.compactions) > _LISTED_REQUESTS else ""
    times = f"{len(one.compactions)} (request {', '.join(where)}{more})" if where else "0"
    gone = [
        sum(getattr(compaction, part) for compaction in one.compactions) for part in ("messages", "prompts", "results")
    ]
    cost = "-" if one.uncached_cost is None else money(one.uncached_cost, "USD")
    name = next(row.title for row in HARNESSES.values() if row.name == one.name)
    return (name, one.trigger_tokens, times, one.sent_tokens, one.peak_tokens, *gone, cost)
