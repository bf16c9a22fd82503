"""What programs of the made-up marina print: test runs, query plans, logs, build logs, exports, histories."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from random import Random

PEOPLE = ("Inês Duarte", "Tomasz Wilk", "Oluwaseun Ade", "Mireille Caron", "Bao Linh", "Kjersti Moen")
VESSELS = (
    "Second Breakfast", "Lady Ampère", "Kittiwake", "Plan B", "Maré Alta", "Ohm's Law", "Grey Heron", "Tern Again",
    "Saltimbanque", "No Comment", "Penelope's Loom", "Barnacle Bill", "Quiet Please", "Nordlys", "Fair Copy",
    "Half Tide", "Wet Signature", "Compass Rose", "Leeway", "Undo", "Sea Change", "Dry Wit", "Borrowed Time",
)  # fmt: skip
EVENTS = (
    ("booking.confirmed", "info", "booking {number} confirmed for {vessel}, berth {berth}"),
    ("booking.extended", "info", "booking {number} extended by {small} nights, next guest due in {small} days"),
    ("payment.captured", "info", "captured {cents} cents for invoice 2026-{number:05d}"),
    ("payment.failed", "warning", "provider said {failure} for invoice 2026-{number:05d}, try {small} of 5"),
    ("waitlist.offered", "info", "berth {berth} offered to {vessel} until {clock}"),
    ("tide.corrected", "info", "gauge {small} cm under the table, window for {vessel} shortened by {number} s"),
    ("meter.jump", "warning", "pedestal {berth} jumped by {number} kWh in an hour, reading held back"),
    ("notification.retry", "warning", "text gateway answered 503, message {number} waits {small} minutes"),
    ("crane.postponed", "warning", "lift of {vessel} postponed: {small}9 kn at the mast, limit 18"),
    ("http.request", "info", "GET /api/berths/{berth} 200 in {number} ms"),
    ("http.request", "info", "POST /api/bookings 409 in {number} ms: berth {berth} is held"),
)
FAILURES = ("card_expired", "insufficient_funds", "do_not_honour", "issuer_unavailable")


def numbered(text: str, *, offset: int = 1, limit: int = 2000) -> str:
    """A file as the reading tool shows it: every line behind its number and an arrow."""
    lines = text.splitlines()[offset - 1 : offset - 1 + limit]
    return "\n".join(f"{number:>6}→{line}" for number, line in enumerate(lines, start=offset))


def grep(files: Mapping[str, str], pattern: str, *, under: str = "", limit: int = 80) -> str:
    """Search the repository for real and print `path:line:text`, cut at a limit the tool announces."""
    found = [
        f"{path}:{number}:{line}"
        for path, text in files.items()
        if path.startswith(under)
        for number, line in enumerate(text.splitlines(), start=1)
        if re.search(pattern, line)
    ]
    if not found:
        return "No matches found"
    more = f"\n(Results are truncated: showing {limit} of {len(found)} matches.)" if len(found) > limit else ""
    return "\n".join(found[:limit]) + more


def pytest_run(files: Mapping[str, str], random: Random, *, failing: Mapping[str, str], slow: bool = False) -> str:
    """A verbose test run over the repository's own tests; `failing` maps a test's name to its traceback."""
    names = [
        (path, match)
        for path, text in files.items()
        if path.startswith("tests/")
        for match in re.findall(r"^def (test_\w+)", text, re.MULTILINE)
    ]
    lines = ["============================= test session starts ==============================",
             "platform linux -- Python 3.12.8, pytest-8.3.4, pluggy-1.5.0", "rootdir: /home/ines/quayside",
             "configfile: pyproject.toml", "plugins: xdist-3.6.1, time-machine-2.16.0, cov-6.0.0",
             f"collected {len(names)} items", ""]  # fmt: skip
    for place, (path, name) in enumerate(names, start=1):
        word = "FAILED" if name in failing else "PASSED"
        lines.append(f"{path}::{name} {word} [{100 * place // len(names):>3}%]")
    if failing:
        lines += ["", "=================================== FAILURES ==================================="]
        for name, trace in failing.items():
            lines += [f"{' ' + name + ' ':_^80}", trace, ""]
    if slow:
        lines += ["============================= slowest 12 durations ============================="]
        for path, name in random.sample(names, min(12, len(names))):
            lines.append(f"{random.uniform(0.3, 6.0):.2f}s {random.choice(['call', 'setup'])}     {path}::{name}")
    failed = sum(name in failing for _path, name in names)
    tail = f"{failed} failed, {len(names) - failed} passed" if failed else f"{len(names)} passed"
    lines.append(f"{f' {tail} in {random.uniform(9, 31):.2f}s ':=^80}")
    return "\n".join(lines)


def log_lines(random: Random, count: int, *, start: datetime) -> str:
    """Structured log lines of a working day, one JSON object a line."""
    moment, lines = start, []
    for _ in range(count):
        moment += timedelta(milliseconds=random.randrange(40, 90_000))
        event, level, text = random.choice(EVENTS)
        message = text.format(
            number=random.randrange(11, 940), small=random.randrange(2, 9), vessel=random.choice(VESSELS),
            berth=f"{random.choice('ABCDEF')}{random.randrange(1, 64):02d}", cents=random.randrange(1200, 98_000),
            failure=random.choice(FAILURES), clock=f"{random.randrange(8, 22):02d}:{random.randrange(0, 60):02d}",
        )  # fmt: skip
        record = {
            "at": moment.isoformat(timespec="milliseconds"),
            "level": level,
            "event": event,
            "message": message,
            "request": f"{random.getrandbits(40):010x}",
            "worker": f"web-{random.randrange(1, 5)}",
        }
        lines.append(json.dumps(record, ensure_ascii=False))
    return "\n".join(lines)


def payments_export(random: Random, count: int) -> str:
    """The provider's nightly file: one row a movement, with the gaps the reconciliation is about."""
    lines = ["provider_ref;booked_at;kind;gross_cents;fee_cents;net_cents;invoice;card_country;state"]
    moment = datetime(2026, 10, 24, 0, 4, tzinfo=UTC)
    for number in range(count):
        moment += timedelta(seconds=random.randrange(20, 700))
        gross = random.randrange(900, 140_000)
        fee = 25 + gross * 14 // 1000
        kind = random.choices(["capture", "refund", "chargeback"], weights=[30, 4, 1])[0]
        sign = 1 if kind == "capture" else -1
        lines.append(
            f"qp_{random.getrandbits(48):012x};{moment:%Y-%m-%dT%H:%M:%SZ};{kind};{sign * gross};{fee};"
            f"{sign * gross - fee};2026-{4100 + number // 2:05d};{random.choice(['PT', 'FR', 'NO', 'GB', 'DE', 'ES'])};"
            f"{random.choices(['settled', 'pending'], weights=[12, 1])[0]}"
        )
    return "\n".join(lines)


def git_log(random: Random, files: Mapping[str, str], count: int) -> str:
    """A history with statistics, newest first."""
    subjects = (
        "Keep the deposit when a hold lapses twice", "Read the gauge every six minutes, not every hour",
        "Say which rule refused an extension", "Give the crane its own calendar", "Stop mailing people who moved ashore",
        "Round a started metre up, once", "Quote in the marina's zone", "Let the office override a tide window",
        "Number invoices inside the transaction", "Let residents see their position on the list",
        "Show the pedestal beside the berth", "Log the version that lost a race", "Accept insurance from the new form",
        "Drop the second audit table", "Send the departure digest at seven", "Move winter plans to halls A and B",
    )  # fmt: skip
    moment, lines, paths = datetime(2026, 10, 23, 17, 40, tzinfo=UTC), [], sorted(files)
    for _ in range(count):
        moment -= timedelta(minutes=random.randrange(50, 2600))
        who = random.choice(PEOPLE)
        lines += [f"commit {random.getrandbits(160):040x}", f"Author: {who} <{who.split()[0].lower()}@quayside.example>",
                  f"Date:   {moment:%a %b %d %H:%M:%S %Y} +0000", "", f"    {random.choice(subjects)}", ""]  # fmt: skip
        touched = random.sample(paths, random.randrange(1, 5))
        for path in sorted(touched):
            plus = random.randrange(2, 70)
            lines.append(f" {path:<44} | {plus:>3} {'+' * min(30, plus // 2)}{'-' * random.randrange(0, 9)}")
        lines += [
            f" {len(touched)} files changed, {random.randrange(9, 140)} insertions(+), {random.randrange(1, 60)} deletions(-)",
            "",
        ]
    return "\n".join(lines)


def build_log(random: Random, files: Mapping[str, str]) -> str:
    """The log of a failing build: set-up, layers, type errors, and the step that broke."""
    lines, moment = [], datetime(2026, 10, 26, 9, 2, 11, tzinfo=UTC)

    def say(text: str) -> None:
        nonlocal moment
        moment += timedelta(milliseconds=random.randrange(5, 900))
        lines.append(f"{moment:%H:%M:%S.%f}"[:-3] + f" {text}")

    for text in (
        "Runner image ubuntu-24.04, 4 cores",
        "Checking out quayside at refs/pull/612/merge",
        "Restoring cache pip-3.12-9f2b (hit)",
    ):
        say(text)
    for name, version in (("psycopg", "3.2.3"), ("structlog", "25.1.0"), ("starlette", "0.41.3"), ("pydantic", "2.10.4"),
                          ("uvicorn", "0.34.0"), ("httpx", "0.28.1"), ("pytest", "8.3.4"), ("mypy", "1.14.1")):  # fmt: skip
        say(f"Using cached {name}-{version}-py3-none-any.whl")
    say("Successfully installed 41 packages")
    for path in sorted(files):
        if path.endswith(".py"):
            say(f"ruff  {path} ok" if random.random() > 0.04 else f"ruff  {path} ok (2 fixes would be safe)")
    for path in sorted(path for path in files if path.endswith("service.py")):
        say(f'mypy  {path}:{random.randrange(12, 90)}: note: "log" has type "Any" since structlog 25 dropped its stubs')
    say(
        'mypy  quayside/notifications/service.py:44: error: Argument 1 to "bind" has incompatible type "int"; expected "str"  [arg-type]'
    )
    say(
        'mypy  quayside/payments/service.py:61: error: Returning Any from function declared to return "Payment"  [no-any-return]'
    )
    say("Found 2 errors in 2 files (checked 61 source files)")
    say("##[error]Process completed with exit code 1.")
    return "\n".join(lines)


def query_plan(*, indexed: bool) -> str:
    """What the database says about the waiting list's query, before and after the index."""
    if indexed:
        return """ Limit  (cost=0.42..31.77 rows=20 width=96) (actual time=0.061..0.418 rows=20 loops=1)
   ->  Index Scan using waitlist_entries_waiting_fit on waitlist_entries w  (cost=0.42..812.30 rows=518 width=96) (actual time=0.059..0.409 rows=20 loops=1)
         Index Cond: ((wanted_from <= '2026-07-04'::date) AND (wanted_to >= '2026-07-11'::date))
         Filter: (length_cm <= 1120)
         Rows Removed by Filter: 7
         Buffers: shared hit=29
 Planning Time: 0.302 ms
 Execution Time: 0.451 ms"""
    return """ Limit  (cost=48211.90..48211.95 rows=20 width=96) (actual time=2874.512..2874.530 rows=20 loops=1)
   ->  Sort  (cost=48211.90..48214.41 rows=1004 width=96) (actual time=2874.510..2874.521 rows=20 loops=1)
         Sort Key: w.priority DESC, w.created_at
         Sort Method: top-N heapsort  Memory: 31kB
         ->  Hash Join  (cost=1904.00..48185.18 rows=1004 width=96) (actual time=61.208..2870.933 rows=1187 loops=1)
               Hash Cond: (w.vessel_id = v.id)
               ->  Seq Scan on waitlist_entries w  (cost=0.00..45102.00 rows=60214 width=64) (actual time=0.021..2701.455 rows=59876 loops=1)
                     Filter: ((state = 'waiting'::text) AND (wanted_from <= '2026-07-04'::date) AND (wanted_to >= '2026-07-11'::date))
                     Rows Removed by Filter: 1140233
               ->  Hash  (cost=1402.00..1402.00 rows=40160 width=40) (actual time=59.871..59.872 rows=40160 loops=1)
                     Buckets: 65536  Batches: 1  Memory Usage: 3301kB
                     ->  Seq Scan on vessels v  (cost=0.00..1402.00 rows=40160 width=40) (actual time=0.010..41.377 rows=40160 loops=1)
 Planning Time: 1.118 ms
 Execution Time: 2874.702 ms"""


def find_listing(random: Random, files: Mapping[str, str]) -> str:
    """`ls -l` over the whole tree."""
    lines = []
    for path, text in files.items():
        moment = datetime(2026, 10, 23, 8, 0, tzinfo=UTC) - timedelta(minutes=random.randrange(0, 90_000))
        lines.append(f"-rw-r--r-- 1 ines staff {len(text.encode()):>7} {moment:%b %d %H:%M} {path}")
    return "\n".join(lines)
