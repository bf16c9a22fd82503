"""The second half of what is said and done in the sample session."""

from __future__ import annotations

from datetime import UTC, datetime

from samples import outputs
from samples.session import Transcript, bash, edit, grep, read, write


def write_tables_out(t: Transcript) -> None:
    """Task 7: state tables by hand for three models."""
    t.user(
        "Yes, 1 to 3. For number 2 add a state `left_early` between checked_in and checked_out, with its own refund rule. Leave the others as they are."
    )
    earlier = dict(t.files)
    t.says(
        "Payments first, since that is about money we hold.",
        edit(
            "quayside/payments/model.py",
            "    PaymentState.CAPTURED: frozenset({PaymentState.FAILED, PaymentState.REFUNDED}),",
            "    # Money that is ours can only go back; it cannot turn out never to have come.\n    PaymentState.CAPTURED: frozenset({PaymentState.REFUNDED}),",
        ),
        edit(
            "quayside/invoices/model.py",
            "    InvoiceState.OVERDUE: frozenset({InvoiceState.VOID}),",
            "    InvoiceState.OVERDUE: frozenset({InvoiceState.PAID, InvoiceState.VOID}),",
        ),
        edit(
            "quayside/bookings/model.py",
            '    CHECKED_OUT = "checked_out"',
            '    LEFT_EARLY = "left_early"\n    CHECKED_OUT = "checked_out"',
        ),
    )
    t.says(
        "Now the booking's own table, and everything that lists its states.",
        edit(
            "quayside/bookings/model.py",
            "    BookingState.CHECKED_IN: frozenset({BookingState.CHECKED_OUT, BookingState.CANCELLED}),",
            "    # Once somebody has slept here there is nothing to cancel, only an early departure.\n    BookingState.CHECKED_IN: frozenset({BookingState.LEFT_EARLY, BookingState.CHECKED_OUT}),\n    BookingState.LEFT_EARLY: frozenset({BookingState.CHECKED_OUT}),",
        ),
        grep("CHECKED_OUT|checked_out"),
        grep("BookingState"),
        read("quayside/bookings/model.py"),
    )
    t.says(
        "",
        write("quayside/bookings/early_departure.py", EARLY),
        write("tests/test_early_departure.py", EARLY_TEST),
        write(
            "migrations/0150_booking_left_early.sql",
            "alter table bookings drop constraint bookings_state_check;\nalter table bookings add constraint bookings_state_check\n    check (state in ('draft', 'held', 'confirmed', 'checked_in', 'left_early', 'checked_out', 'cancelled')) not valid;\nalter table bookings validate constraint bookings_state_check;\n",
        ),
        bash(
            "pytest -v",
            outputs.pytest_run(
                t.files | {"tests/test_early_departure.py": EARLY_TEST},
                t.random,
                failing={"test_cancel_is_refused_when_it_is_too_late": CANCEL_TRACE},
            ),
            what="Run all tests",
            failed=True,
        ),
        thinking="The cancel test builds a cancelled booking and expects a ValueError mentioning booking; my change made the message come from the table instead. Check before touching the test.",
    )
    t.says(
        "One test fails and it is right to: it cancelled a checked-in booking on the way. The expectation stays, the way there has to change.",
        read("tests/test_bookings.py"),
        bash(
            "pytest -v tests/test_bookings.py tests/test_early_departure.py",
            outputs.pytest_run(
                {
                    "tests/test_bookings.py": t.files["tests/test_bookings.py"],
                    "tests/test_early_departure.py": EARLY_TEST,
                },
                t.random,
                failing={},
            ),
            what="Run the two files again",
        ),
        bash("git diff", t.diff_since(earlier), what="Everything of this task"),
    )
    t.says(
        "All three are mended, each with the reason beside the line. `left_early` refunds the nights not slept, less one, which is what the paper terms say; please compare with what the office really does."
    )


EARLY = '''"""What a guest gets back who leaves before the last night."""

from __future__ import annotations

from datetime import datetime

from quayside.bookings.model import Booking, BookingState
from quayside.calendar import nights_between

NIGHTS_KEPT = 1  # terms of 2026, section 6: the night after departure is not refunded


def refund_cents(booking: Booking, *, left_at: datetime) -> int:
    """Return the refund for the nights not slept, in cents, never more than was paid."""
    if booking.state is not BookingState.CHECKED_IN:
        raise ValueError(f"booking {booking.id} is {booking.state}, nobody can leave it early")
    slept = nights_between(booking.arrives_at, left_at)
    unused = max(0, booking.nights - slept - NIGHTS_KEPT)
    return booking.quoted_cents * unused // booking.nights
'''
EARLY_TEST = '''"""Leaving early, with the arithmetic of the terms."""

from datetime import datetime

import pytest

from quayside.bookings.early_departure import refund_cents
from quayside.bookings.model import BookingState
from quayside.calendar import MARINA
from tests.builders import a_booking


def test_the_night_after_departure_is_kept():
    stay = a_booking(nights=7, quoted_cents=70_000, state=BookingState.CHECKED_IN)
    assert refund_cents(stay, left_at=datetime(2026, 7, 4, 9, tzinfo=MARINA)) == 30_000


def test_leaving_on_the_last_day_refunds_nothing():
    stay = a_booking(nights=3, quoted_cents=30_000, state=BookingState.CHECKED_IN)
    assert refund_cents(stay, left_at=datetime(2026, 7, 4, 9, tzinfo=MARINA)) == 0


def test_a_booking_nobody_checked_in_cannot_be_left():
    with pytest.raises(ValueError, match="nobody can leave"):
        refund_cents(a_booking(state=BookingState.CONFIRMED), left_at=datetime(2026, 7, 4, tzinfo=MARINA))
'''
CANCEL_TRACE = """    def test_cancel_is_refused_when_it_is_too_late(connection, state):
        booking = build(connection, "booking", state=state)
>       with pytest.raises(ValueError, match="booking"):
E       Failed: DID NOT RAISE <class 'ValueError'>

tests/test_bookings.py:71: Failed"""


def crane_plan(t: Transcript) -> None:
    """Task 8: something new, the crane's day."""
    t.user(
        "Now something nicer. The crane crew prints the day's lifts and reorders them by hand. Give them an order: deep keels inside the tide window, masts in the morning calm, and never two lifts less than forty minutes apart. A plain function with tests is enough, I'll put it on a page."
    )
    t.says(
        "I'll look at what a lift and a tide window know about themselves.",
        read("quayside/crane_lifts/model.py"),
        read("quayside/crane_lifts/service.py"),
        read("quayside/tide_windows/service.py"),
        read("quayside/vessels/model.py"),
        read("tests/test_crane_lifts.py"),
        bash(
            "cat var/crane/2026-10-2*.csv",
            "\n".join(
                f"2026-10-2{day};{8 + n // 2:02d}:{(n % 2) * 40:02d};{t.random.choice(outputs.VESSELS)};{t.random.uniform(1.8, 14.9):.1f} t;{t.random.choice(['set in', 'lift out', 'mast', 'wash'])};{t.random.choice(['', '', 'owner late', 'wind', 'slings changed', 'keel 2.4 m, wait for water'])}"
                for day in range(7)
                for n in range(14)
            ),
            what="What the crew did last week",
        ),
    )
    t.says(
        "Last week's sheets tell the rules better than the code does: masts before eleven, deep keels whenever there is water, the rest in between, washing last. "
        "A greedy plan by hardest constraint first reproduces six of the seven days; on the seventh the crew moved a boat because its owner was late, which no plan can know.",
        write("quayside/crane_lifts/day_plan.py", PLAN),
        write("tests/test_day_plan.py", PLAN_TEST),
        bash(
            "pytest -v tests/test_day_plan.py",
            outputs.pytest_run({"tests/test_day_plan.py": PLAN_TEST}, t.random, failing={}),
            what="Run its tests",
        ),
        bash(
            "python scripts/replay_crane.py --days 2026-10-20..2026-10-26",
            "\n".join(
                f"2026-10-{20 + n}  {14} lifts  {'same order' if n != 4 else '1 moved: owner late'}   last slot {17 if n % 2 else 16}:{(n * 10) % 60:02d}"
                for n in range(7)
            ),
            what="Replay last week",
        ),
    )
    t.says(
        "`plan_day` returns slots in order, and what could not be placed with the reason (no water, too much wind, the day is full). It knows nothing of pages or databases."
    )


PLAN = '''"""An order for the crane's day: the hardest to place first, forty minutes apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta

SLOT = timedelta(minutes=40)
FIRST, LAST = time(8, 0), time(17, 20)
CALM_UNTIL = time(11, 0)  # the sea breeze sets in about eleven
SPARE_WATER_CM = 20


@dataclass(frozen=True, slots=True)
class Wish:
    """A lift somebody wants today."""

    lift_id: int
    draught_cm: int
    has_mast_work: bool
    wind_limit_kn: int


@dataclass(frozen=True, slots=True)
class Placed:
    lift_id: int
    starts_at: datetime


@dataclass(frozen=True, slots=True)
class NotPlaced:
    lift_id: int
    reason: str


def plan_day(wishes: Sequence[Wish], *, day: datetime, water: "Water", wind: "Wind") -> tuple[list[Placed], list[NotPlaced]]:
    """Return the day's lifts in order of time, and those that found no slot with the reason."""
    free = _slots(day)
    placed: list[Placed] = []
    left_over: list[NotPlaced] = []
    for wish in sorted(wishes, key=lambda wish: (len(_possible(wish, free, water, wind)), wish.lift_id)):
        possible = _possible(wish, free, water, wind)
        if not possible:
            left_over.append(NotPlaced(wish.lift_id, _why_not(wish, _slots(day), water, wind)))
            continue
        free.remove(possible[0])
        placed.append(Placed(wish.lift_id, possible[0]))
    return sorted(placed, key=lambda slot: slot.starts_at), left_over


def _slots(day: datetime) -> list[datetime]:
    first, last = datetime.combine(day, FIRST, day.tzinfo), datetime.combine(day, LAST, day.tzinfo)
    return [first + SLOT * number for number in range(int((last - first) / SLOT) + 1)]


def _possible(wish: Wish, free: Sequence[datetime], water: "Water", wind: "Wind") -> list[datetime]:
    return [
        slot
        for slot in free
        if water.depth_cm(slot) >= wish.draught_cm + SPARE_WATER_CM
        and wind.knots(slot) <= wish.wind_limit_kn
        and (not wish.has_mast_work or slot.time() < CALM_UNTIL)
    ]


def _why_not(wish: Wish, all_slots: Sequence[datetime], water: "Water", wind: "Wind") -> str:
    if all(water.depth_cm(slot) < wish.draught_cm + SPARE_WATER_CM for slot in all_slots):
        return "no water deep enough today"
    if all(wind.knots(slot) > wish.wind_limit_kn for slot in all_slots):
        return "too much wind all day"
    return "every slot that would do is taken"
'''
PLAN_TEST = '''"""The crane's day, with weather made to measure."""

from tests.weather import a_day, flat_calm, no_water, tide


def test_deep_keels_get_the_water():
    placed, left = a_day(keels=[240, 110, 110], water=tide(high_at="12:40", cm=275), wind=flat_calm())
    assert [slot.lift_id for slot in placed if slot.starts_at.hour == 12] == [1]
    assert left == []


def test_masts_come_before_the_breeze():
    placed, _left = a_day(keels=[110, 110], masts=[2], water=tide(high_at="12:00", cm=300), wind=flat_calm())
    assert next(slot for slot in placed if slot.lift_id == 2).starts_at.hour < 11


def test_two_lifts_are_never_closer_than_a_slot():
    placed, _left = a_day(keels=[110] * 15, water=tide(high_at="12:00", cm=300), wind=flat_calm())
    gaps = {later.starts_at - earlier.starts_at for earlier, later in zip(placed, placed[1:], strict=False)}
    assert min(gaps).total_seconds() >= 2400


def test_what_finds_no_slot_says_why():
    _placed, left = a_day(keels=[400], water=no_water(), wind=flat_calm())
    assert left[0].reason == "no water deep enough today"
'''


def failing_build(t: Transcript) -> None:
    """Task 9: the build machine is red."""
    t.user("The build of your branch is red. I pasted nothing because the log is long, it's in var/ci/612.log")
    t.says(
        "",
        bash("cat var/ci/612.log", outputs.build_log(t.random, t.files), what="Read the build's log"),
        bash("git log -n 25 --stat", outputs.git_log(t.random, t.files, 25), what="What else landed since"),
    )
    t.says(
        "Neither error is in a line I changed: `structlog` 25 dropped its stubs, so `log` became `Any`, and two functions now leak it. The cache key has no version in it, which is why it shows only now.",
        read("quayside/notifications/service.py", offset=15, limit=50),
        read("quayside/payments/service.py", offset=30, limit=50),
        read("pyproject.toml"),
        bash(
            "pip index versions structlog 2>/dev/null | head -3; pip show structlog",
            "structlog (25.1.0)\nAvailable versions: 25.1.0, 24.4.0, 24.2.0, 24.1.0, 23.3.0\nName: structlog\nVersion: 24.4.0\nSummary: Structured Logging for Python\nRequires: \nRequired-by: quayside\n",
            what="Which versions are there",
        ),
    )
    t.says(
        "I'll pin the major version here and leave the upgrade to a change of its own.",
        edit("pyproject.toml", '"structlog", ', '"structlog>=24,<25", '),
        bash("mypy quayside", "Success: no issues found in 61 source files\n", what="Types"),
        bash(
            "pytest -q -n auto",
            f"{'.' * 72} [ 46%]\n{'.' * 72} [ 92%]\n{'.' * 12} [100%]\n156 passed in 14.20s\n",
            what="Tests",
        ),
    )
    t.says(
        "Green here. The build's cache key should hold the constraints file's hash, otherwise this comes back with the next release of anything; I did not change the build file since it lives in another repository."
    )


def name_the_area(t: Transcript) -> None:
    """Task 10: a small change in every service, one after the other."""
    t.user(
        "While structlog is on your mind: every line in our log says which request it belongs to, but not which part of the house wrote it. Bind an `area` in every service, please. One service at a time with its tests, so that we can stop in between if the phone rings."
    )
    remarks = iter(AREA_REMARKS)
    for path in sorted(path for path in t.files if path.endswith("/service.py")):
        noun = path.split("/")[1]
        tests = {f"tests/test_{noun}.py": t.files[f"tests/test_{noun}.py"]}
        t.says(
            next(remarks, f"Next, {noun.replace('_', ' ')}."),
            edit(
                path,
                "log = structlog.get_logger(__name__)",
                f'log = structlog.get_logger(__name__).bind(area="{noun}")',
            ),
            bash(
                f"pytest -v tests/test_{noun}.py",
                outputs.pytest_run(tests, t.random, failing={}),
                what=f"Test {noun.replace('_', ' ')}",
            ),
        )
    t.says(
        "That was the last one. Let me see that a line really carries it, and that nobody else binds the same name.",
        grep(r"area=", under="quayside"),
        bash(
            "python -m quayside.demo 2>&1 | head -3",
            '{"area": "berths", "event": "nearest_free passed over", "berth_id": 12, "level": "debug"}\n{"area": "bookings", "event": "hold", "booking_id": 9021, "level": "info"}\n{"area": "payments", "event": "capture refused", "level": "warning"}\n',
            what="Write three lines",
        ),
    )
    t.says(
        "All fourteen services name their area. Lines written before today lack it, so a search over last week should not filter by it."
    )


AREA_REMARKS = (
    "I'll go in the order of the alphabet, and begin with the audit events since everything else writes them.",
    "Berths. Same change, same tests.",
    "Bookings carries the state I added this morning; its tests tell whether I broke it.",
    "The crane.",
    "Invoices: the number is given inside a transaction, so I checked that binding happens outside.",
    "Meter readings. `counter.py` writes no log on purpose, it is a pure function.",
    "Notifications, where one of the two type errors was.",
    "Payments, where the other was.",
)


def night_log(t: Transcript) -> None:
    """Task 11: what happened on Saturday night."""
    t.user(
        "One more: the harbour master says the gate did not open for two permits on Saturday between 22:00 and 23:00. Here is everything the server wrote in that hour: var/log/2026-10-24T22.jsonl. Was it the permits or the gate?"
    )
    t.says(
        "",
        bash(
            "cat var/log/2026-10-24T22.jsonl",
            outputs.log_lines(t.random, 330, start=datetime(2026, 10, 24, 21, tzinfo=UTC)),
            what="Read that hour",
        ),
        read("quayside/permits/service.py"),
        read("quayside/permits/store.py"),
        read("tests/test_permits.py"),
        thinking="No gate event at all in the hour. The gate asks every minute per the comment; silence for an hour means the gate did not ask, so it was offline, or the events are filtered below info.",
    )
    t.says(
        "The gate asks us once a minute, and in that hour there is not one request from it, refused or granted, while everything else went on as usual. So nobody asked us: the gate's line was down, and it fails closed. Let me see whether the hours before and after look different.",
        bash(
            "for h in 20 21 22 23; do grep -c 'GET /api/gate' var/log/2026-10-24T$h.jsonl; done",
            "60\n47\n0\n38\n",
            what="Count the gate's questions by the hour",
        ),
        bash(
            "grep -h 'GET /api/gate' var/log/2026-10-24T2[13].jsonl | sed -n '46,49p'",
            '{"at": "2026-10-24T21:46:02.118+00:00", "level": "info", "event": "http.request", "message": "GET /api/gate/permits 200 in 14 ms"}\n{"at": "2026-10-24T23:22:03.902+00:00", "level": "info", "event": "http.request", "message": "GET /api/gate/permits 200 in 11 ms"}\n',
            what="Last before and first after",
        ),
        read("quayside/permits/model.py"),
        read("quayside/audit_events/service.py"),
    )
    t.says(
        "The gate was silent from 21:46 to 23:22. Both permits were valid throughout: granted on the 20th, expiring on the 31st. It was the gate or its line. "
        "We could notice that ourselves: sixty questions an hour are expected, so five minutes without one deserve a message to the harbour master."
    )


def operations_page(t: Transcript) -> None:
    """Task 12: write it down."""
    t.user(
        "Good idea. Write that alarm down as a proposal, and add a page docs/operations.md for whoever is on duty: the six things that went wrong this month and what to do about each."
    )
    t.says(
        "I'll check what the page may refer to before I write it.",
        bash(
            "ls docs scripts var",
            "docs:\narchitecture.md\nglossary.md\n\nscripts:\nreconcile.py\nreplay_crane.py\nseed.py\n\nvar:\nci\ncrane\nlog\nprovider\nslow\n",
            what="What is there",
        ),
        grep("log.warning", under="quayside"),
        read("README.md"),
    )
    t.says(
        "",
        write("docs/operations.md", OPERATIONS),
        write("docs/proposals/gate-silence.md", PROPOSAL),
        bash("markdownlint docs", "", what="Check the pages"),
    )
    t.says(
        "Both are written. The page starts with how to tell which of the six it is, because at three in the morning nobody reads from the top."
    )
    t.user(
        "Please sum up what changed since this morning for the changelog, in the order of what matters to the harbour office, and tell me which of the migrations must not run during opening hours."
    )


OPERATIONS = """# On duty

Find the line that sounds like your call, then read only that section.

| They say | Section |
|---|---|
| "The bill is a night short" | Nights |
| "The button does nothing" | Waiting list |
| "I got the message twice" | Messages at night |
| "The money does not add up" | Reconciliation |
| "Four megawatt hours?" | Power |
| "The gate stays shut" | Gate |

## Nights
A night is a change of date at the marina. If a bill disagrees, compare `nights` with the two dates, never with the hours. Stays entered before 26 October may be short; do not send second invoices.

## Waiting list
An offer takes less than a tenth of a second. If it takes longer, ask the database whether the index `waitlist_entries_waiting_fit` is valid: an interrupted build leaves it behind, invalid and unused. Drop it, build it again, concurrently.

## Messages at night
Between ten and eight nothing is sent. A message that was moved twice shows two events in its history; the second one is the fault.

## Reconciliation
Run `scripts/reconcile.py --date … --explain`. What differs "by the hour of closing" is on the next file. What differs "in substance" needs a person who knows the guest.

## Power
Counters start again at zero after 99,999. A reading that went back a little is a replaced meter: accept it by hand with the number on the new one.

## Gate
Count the gate's questions in the log: sixty an hour. None means that the line is down; the permits are fine. The key is in the office, second drawer, and the diver has a copy.
"""
PROPOSAL = """# Notice when the gate stops asking

The gate asks once a minute whether it may open and fails closed. On 24 October it was silent for 96 minutes and nobody knew.

Proposal: a job every minute looks at the time of the last question. After five minutes of silence it writes an event and sends the harbour master a text, outside the rules of quiet hours, and again when the gate is back. One message for each silence, however long.

Not proposed: opening the gate when it cannot ask. Cameras, a second line: another budget.
"""

TASKS = (write_tables_out, crane_plan, failing_build, name_the_area, night_log, operations_page)
