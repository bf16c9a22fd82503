"""What is said and done in the sample session, task by task. The first six tasks; the rest are in `story_later.py`."""

from __future__ import annotations

from datetime import UTC, datetime

from samples import outputs
from samples.session import Transcript, bash, edit, grep, read, write

NIGHTS_OLD = """    stay = departs_at - arrives_at
    return max(1, int(stay.total_seconds() // 86_400))"""
NIGHTS_NEW = """    first, last = (moment.astimezone(MARINA).date() for moment in (arrives_at, departs_at))
    return max(1, (last - first).days)"""
NIGHTS_TEST = '''"""A night is a change of date at the marina, whatever the clocks do."""

from datetime import datetime

import pytest

from quayside.calendar import MARINA, nights_between, nights_of


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=MARINA)


@pytest.mark.parametrize(
    ("arrives", "departs", "nights"),
    [
        ("2026-10-24T18:00", "2026-10-26T11:00", 2),  # the clocks go back in between: 42 hours
        ("2026-03-28T14:00", "2026-03-30T11:00", 2),  # and forward: 44 hours
        ("2026-07-01T23:50", "2026-07-02T00:10", 1),  # twenty minutes over midnight are a night
        ("2026-07-01T10:00", "2026-07-01T18:00", 1),  # a day visit is charged as one
        ("2026-12-31T14:00", "2027-01-02T11:00", 2),
    ],
)
def test_nights_are_changes_of_date(arrives, departs, nights):
    assert nights_between(at(arrives), at(departs)) == nights


def test_every_night_has_the_date_it_begins_on():
    assert [str(night) for night in nights_of(at("2026-10-24T18:00"), at("2026-10-26T11:00"))] == ["2026-10-24", "2026-10-25"]
'''
NIGHTS_TRACE = """    def test_nights_are_changes_of_date(arrives, departs, nights):
>       assert nights_between(at(arrives), at(departs)) == nights
E       AssertionError: assert 1 == 2
E        +  where 1 = nights_between(datetime.datetime(2026, 10, 24, 18, 0, tzinfo=zoneinfo.ZoneInfo(key='Europe/Lisbon')), datetime.datetime(2026, 10, 26, 11, 0, tzinfo=zoneinfo.ZoneInfo(key='Europe/Lisbon')))

tests/test_calendar.py:27: AssertionError"""


def clock_change(t: Transcript) -> None:
    """Task 1: a stay over the change of clocks is a night short."""
    t.user(
        "Three skippers were charged one night too few last weekend. All three stayed from Saturday evening to Monday morning. "
        "My guess is the clocks going back. Please find out why, mend it, and make sure that it cannot come back. The office "
        "opens at nine, so start with whatever tells us whether other bookings are wrong as well."
    )
    t.says(
        "I'll look at how nights are counted, and who relies on it, before I touch anything.",
        bash(
            "ls -lR --time-style=long-iso quayside tests | head -200",
            outputs.find_listing(t.random, t.files),
            what="List the repository",
        ),
        grep(r"nights|season_of"),
        read("quayside/calendar.py"),
        thinking="Saturday evening to Monday morning is about 41 hours of wall clock. Floor division of that by a day gives 1, "
        "clocks or no clocks. So the guess may be only half of it: every stay that leaves earlier in the day than it arrived is short?",
    )
    t.says(
        "The clocks are only part of it. `nights_between` divides elapsed seconds by a day and rounds down, so **any** stay that "
        "leaves earlier in the day than it arrived loses a night; check-out at 11:00 after check-in at 14:00 is the normal case. "
        "Let me see what hides that for most bookings.",
        read("quayside/bookings/service.py"),
        read("quayside/bookings/store.py"),
        read("quayside/tariffs/service.py"),
        read("tests/test_bookings.py"),
        read("quayside/invoices/service.py"),
    )
    t.says(
        "Bookings made through the website arrive with both times set to noon, so they come out right; only those the office enters "
        "with real times are short. I'll confirm that on the replica.",
        bash(
            "psql $REPLICA -c \"select source, count(*), count(*) filter (where nights < (departs_at::date - arrives_at::date)) as short from bookings where arrives_at > now() - interval '1 year' group by 1\"",
            "  source  | count | short \n----------+-------+-------\n office   |  3127 |   418\n phone    |   611 |    93\n web      | 18540 |     0\n waitlist |   402 |     0\n(4 rows)\n",
            what="Count short stays by how they were booked",
        ),
        bash(
            'python -c "from quayside.calendar import *; from datetime import datetime as d; print(nights_between(d(2026,7,1,14,tzinfo=MARINA), d(2026,7,3,11,tzinfo=MARINA)))"',
            "1\n",
            what="Reproduce with an ordinary July stay",
        ),
    )
    t.says(
        "Confirmed: 511 stays in the past year, and an ordinary July stay of two nights counts as one. First the test that fails.",
        write("tests/test_calendar.py", NIGHTS_TEST),
        bash(
            "pytest tests/test_calendar.py -x",
            outputs.pytest_run(
                {"tests/test_calendar.py": NIGHTS_TEST},
                t.random,
                failing={"test_nights_are_changes_of_date": NIGHTS_TRACE},
            ),
            what="See the test fail",
            failed=True,
        ),
    )
    t.says(
        "It fails for the right reason. A night is a change of date at the marina, so that is what I'll count.",
        edit("quayside/calendar.py", NIGHTS_OLD, NIGHTS_NEW),
    )
    t.says(
        "Now everything, because prices and invoices stand on this.",
        bash("pytest -v", outputs.pytest_run(t.files, t.random, failing={}, slow=True), what="Run all tests"),
        bash(
            "git diff --stat",
            " quayside/calendar.py | 4 ++--\n 1 file changed, 2 insertions(+), 2 deletions(-)\n",
            what="What changed",
        ),
    )
    t.says(
        "Done. `nights_between` counts changes of date in the marina's own zone; five cases, both clock changes among them, pin it "
        "down. 511 stays of the past year were charged one night too few (418 from the office, 93 by phone). I have not touched "
        "those: whether to send second invoices is yours to decide. The query is above if you want the list."
    )


def slow_waitlist(t: Transcript) -> None:
    """Task 2: the waiting list takes three seconds."""
    t.user(
        "Thanks. We'll let the old ones go. Next: when a berth comes free, the offer to the waiting list takes about three seconds and the button looks dead. Can you see what it does?"
    )
    t.says(
        "I'll read the path from the button to the database and look at the logs of the last hours beside it.",
        read("quayside/waitlist_entries/service.py"),
        read("quayside/waitlist_entries/store.py"),
        read("quayside/waitlist_entries/model.py"),
        bash(
            "tail -n 120 var/log/quayside.jsonl",
            outputs.log_lines(t.random, 120, start=datetime(2026, 10, 26, 6, tzinfo=UTC)),
            what="Read the recent log",
        ),
    )
    t.says(
        "",
        bash(
            "psql $REPLICA -f var/slow/offer_next.sql", outputs.query_plan(indexed=False), what="Explain the slow query"
        ),
        bash("psql $REPLICA -c '\\d waitlist_entries'", WAITLIST_TABLE, what="See the table and its indexes"),
        thinking="Sequential scan over 1.2 million rows, nearly all of them in a final state. A partial index on the waiting ones is tiny.",
    )
    t.says(
        "The table keeps 1.2 million entries and all but 60,000 are finished, yet the query reads every one. A partial index over the "
        "waiting ones answers both date conditions. I'll add it concurrently so that nobody waits for the migration.",
        write(
            "migrations/0148_waitlist_waiting_fit.sql",
            "-- no transaction: an index built concurrently refuses one\ncreate index concurrently if not exists waitlist_entries_waiting_fit\n    on waitlist_entries (wanted_from, wanted_to, length_cm)\n    where state = 'waiting';\n",
        ),
        bash(
            "make migrate DATABASE_URL=$SCRATCH && psql $SCRATCH -f var/slow/offer_next.sql",
            outputs.query_plan(indexed=True),
            what="Explain it again on a copy",
        ),
        grep("in_state", under="quayside"),
    )
    t.says(
        "From 2,875 ms to 0.45 ms on a copy of the data. While I was there: the same pattern, a stream over one state of a table that "
        "mostly holds finished rows, stands in every store, so I'll check which of those tables are large."
    )
    for group in (
        ("berths", "bookings", "vessels", "tariffs"),
        ("invoices", "payments", "tide_windows"),
        ("meter_readings", "crane_lifts", "notifications"),
    ):
        t.says(
            ""
            if group[0] != "invoices"
            else "Those four are small or short-lived. The next ones hold money and measurements.",
            *(read(f"quayside/{name}/store.py") for name in group),
        )
    t.says(
        "Only notifications and meter readings grow without end; both are read by primary key in the hot paths and streamed by the "
        "nightly jobs, where a scan is fine. One index is enough. The offer should feel instant after the deployment.",
    )


WAITLIST_TABLE = """                         Table "public.waitlist_entries"
    Column     |           Type           | Nullable |              Default
---------------+--------------------------+----------+------------------------------------
 id            | bigint                   | not null | generated always as identity
 vessel_id     | bigint                   | not null |
 wanted_from   | date                     | not null |
 wanted_to     | date                     | not null |
 length_cm     | integer                  | not null |
 offered_until | timestamp with time zone |          |
 priority      | integer                  | not null | 0
 state         | text                     | not null | 'waiting'::text
 version       | integer                  | not null | 1
 created_at    | timestamp with time zone | not null | now()
Indexes:
    "waitlist_entries_pkey" PRIMARY KEY, btree (id)
    "waitlist_entries_vessel" btree (vessel_id)
Foreign-key constraints:
    "waitlist_entries_vessel_id_fkey" FOREIGN KEY (vessel_id) REFERENCES vessels(id)
"""


def flaky_test(t: Transcript) -> None:
    """Task 3: a test that fails now and then."""
    t.user(
        "`test_respect_quiet_hours_will_move_a_message_out_of_the` fails about once a day on the build machines and never here. It has been ignored for a month. Please look."
    )
    trace = "    service.respect_quiet_hours(connection, notification.id, rules=a_rule_book())\nE   quayside.errors.Stale: ('notification', 4471)\n\nquayside/notifications/store.py:51: Stale"
    t.says(
        "Once a day and only there sounds like the time of day or the order of tests. I'll run it many times, at different hours, and read what it touches.",
        read("tests/test_notifications.py"),
        read("quayside/notifications/service.py"),
        read("quayside/notifications/model.py"),
        bash(
            'for h in $(seq 0 23); do faketime "2026-10-26 $h:30" pytest -q tests/test_notifications.py; done',
            "\n".join(
                f"{hour:02d}:30  {'6 passed' if hour not in (22, 23, 0, 7) else '1 failed, 5 passed'} in {t.random.uniform(0.6, 1.9):.2f}s"
                for hour in range(24)
            )
            + "\n",
            what="Run it at every hour of the day",
        ),
    )
    t.says(
        "Not a race at all: it fails at 22, 23, 0 and 7 o'clock. The build machines keep UTC and the nightly build starts at 22:15.",
        bash(
            "TZ=UTC faketime '2026-10-26 22:30' pytest -v tests/test_notifications.py",
            outputs.pytest_run(
                {"tests/test_notifications.py": t.files["tests/test_notifications.py"]},
                t.random,
                failing={"test_respect_quiet_hours_will_move_a_message_out_of_the": trace},
            ),
            what="See one failure whole",
            failed=True,
        ),
        grep("frozen_clock|clock.now", under=""),
    )
    t.says(
        "`frozen_clock` freezes `quayside.clock.now`, but `in_quiet_hours` is handed `datetime.now` by the database's default for "
        "`send_after`. Inside quiet hours the row is moved once by the default and once by the rule, and the second write finds a newer "
        "version. So the test found something real: a message created at night by a trigger would be moved twice. I'll let the service set the time.",
        bash(
            "git log -n 12 --stat -- quayside/notifications",
            outputs.git_log(t.random, t.files, 12),
            what="Who set the default, and why",
        ),
    )
    t.says(
        "The default came in for an import that no longer exists, so nothing else relies on it.",
        write(
            "migrations/0149_notifications_no_default_time.sql",
            "alter table notifications alter column send_after drop default;\n",
        ),
        bash(
            'for h in $(seq 0 23); do faketime "2026-10-26 $h:30" pytest -q tests/test_notifications.py; done',
            "\n".join(f"{hour:02d}:30  6 passed in {t.random.uniform(0.6, 1.9):.2f}s" for hour in range(24)) + "\n",
            what="Every hour again",
        ),
    )
    t.says(
        "Twenty-four hours, no failure. The test was right and the table was wrong; I removed the `ignore` mark from the build file's list as well."
    )


def reconcile(t: Transcript) -> None:
    """Task 4: the provider's file and the invoices disagree."""
    t.user(
        "The nightly reconciliation says 4 payments differ. The file of last night is var/provider/2026-10-25.csv. Which four, and is it us or them?"
    )
    t.says(
        "",
        bash(
            "cat var/provider/2026-10-25.csv", outputs.payments_export(t.random, 330), what="Read the provider's file"
        ),
        read("quayside/payments/service.py"),
        read("quayside/payments/store.py"),
        read("quayside/payments/model.py"),
    )
    t.says(
        "The file is in UTC and closes at 00:04, ours closes at midnight of the marina. On the night the clocks change those are an hour apart. Let me list what falls between.",
        bash(
            "python scripts/reconcile.py --date 2026-10-25 --explain",
            "\n".join(
                f"qp_{t.random.getrandbits(48):012x}  invoice 2026-{number}  ours: {ours}  theirs: {theirs}"
                for number, ours, theirs in (
                    (4188, "captured 23:58 local, 25 Oct", "booked 2026-10-25T23:58Z, counted on the 26th"),
                    (4191, "captured 00:01 local, 26 Oct", "booked 2026-10-26T00:01Z, counted on the 26th"),
                    (4203, "refunded 00:41 local, 26 Oct", "booked 2026-10-25T23:41Z, counted on the 25th"),
                    (4207, "pending", "chargeback without a capture"),
                )
            )
            + "\n\n3 differ by the hour of closing, 1 differs in substance.\n",
            what="Explain the differences",
        ),
        thinking="Lisbon in winter is UTC+0. So after the change both are the same; before it, UTC+1. The refund at 00:41 local before the change... fine, three are explained by the closing hour.",
    )
    t.says(
        "Three of the four are the closing hour: the file ends at midnight UTC, our day ended at midnight in Lisbon, and on that night they were "
        "an hour apart. Nothing is missing, they are on the next file. **The fourth is real**: invoice 2026-4207 has a chargeback at the "
        "provider and is still pending with us, because the webhook for its capture never arrived and `capture` refuses to go from pending to refunded.",
        read("quayside/payments/service.py", offset=18, limit=60),
        grep("PENDING|REFUNDED", under="quayside/payments"),
        read("tests/test_payments.py"),
    )
    t.says(
        "I would rather not write a transition that skips the capture. The honest record is: captured by them on the 22nd (their file of that day has it), "
        "then charged back. I'll replay both in order.",
        bash(
            "grep 2026-04207 var/provider/2026-10-2*.csv",
            "var/provider/2026-10-22.csv:qp_8be01f7a22c4;2026-10-22T15:20:11Z;capture;38400;562;37838;2026-04207;GB;settled\nvar/provider/2026-10-25.csv:qp_8be01f7a22c4;2026-10-25T09:02:40Z;chargeback;-38400;562;-38962;2026-04207;GB;settled\n",
            what="Find both movements",
        ),
        bash(
            "python scripts/reconcile.py --replay qp_8be01f7a22c4 --dry-run",
            "would capture 384.00 as of 2026-10-22T15:20:11Z\nwould record chargeback 384.00, fee 5.62, as of 2026-10-25T09:02:40Z\nwould notify office (template payments/chargeback)\nnothing written\n",
            what="Replay without writing",
        ),
    )
    t.says(
        "The replay does what it should. I left it as a dry run: run it without `--dry-run` when you have seen the guest's name on that invoice, they may be standing in your office."
    )


def meters(t: Transcript) -> None:
    """Task 5: a bill for four megawatt hours."""
    t.user(
        "Pedestal C17 billed 99,412 kWh to a nine metre boat. Obviously the counter rolled over. Didn't we handle that?"
    )
    t.says(
        "There is a quality value `rolled_over`, so somebody meant to. I'll look at who sets it.",
        read("quayside/meter_readings/service.py"),
        read("quayside/meter_readings/model.py"),
        grep("rolled_over|quality"),
        read("tests/test_meter_readings.py"),
        bash(
            "psql $REPLICA -c \"select read_at, kwh, quality, state from meter_readings where pedestal = 'C17' order by read_at desc limit 60\"",
            METER_HEAD
            + "\n".join(
                f" 2026-10-{25 - n // 3:02d} {(18 - 6 * (n % 3)):02d}:00:00+00 | {(412.6 - 9.7 * n) if n < 12 else (99999 - 11.3 * (n - 11)):>9.1f} | {'good':<11} | accepted"
                for n in range(60)
            )
            + "\n(60 rows)\n",
            what="The readings of that pedestal",
        ),
    )
    t.says(
        "Nobody sets it. The pedestals' old firmware did; the new one sends `good` for everything, so the rule that looks for `rolled_over` "
        "never fires, and `consumption` takes the absolute difference. I'll recognise the roll-over by the numbers: smaller than before, and both near the ends of the range.",
        read("quayside/meter_readings/store.py"),
        bash(
            'psql $REPLICA -c "select max(kwh) from meter_readings group by left(pedestal,1)"',
            "   max    \n----------\n 99998.20\n 99999.00\n 99997.70\n 99998.90\n(4 rows)\n",
            what="Do all pedestals roll over at the same number?",
        ),
    )
    t.says(
        "All of them roll over at 99,999. Smaller than the reading before, by more than half the range, is a roll-over; smaller by less is a replaced or broken meter and goes to the office.",
        write("quayside/meter_readings/counter.py", COUNTER),
        write("tests/test_counter.py", COUNTER_TEST),
        bash(
            "pytest -v",
            outputs.pytest_run(t.files | {"tests/test_counter.py": COUNTER_TEST}, t.random, failing={}),
            what="Run all tests",
        ),
    )
    t.says(
        "C17's bill comes out at 412.6 kWh over six days, which is a cold cabin with two heaters and quite believable. Readings that shrink a little are held back now and shown to the office."
    )


METER_HEAD = "        read_at         |    kwh    |   quality   |  state\n------------------------+-----------+-------------+----------\n"
COUNTER = '''"""What a counter that starts again at zero has counted."""

from __future__ import annotations

from quayside.errors import QuaysideError

RANGE_KWH = 100_000.0  # the pedestals show five digits


class CounterWentBack(QuaysideError):
    """A reading is a little smaller than the one before: replaced or broken, for a person to decide."""


def consumed_kwh(before: float, after: float) -> float:
    """Return what was drawn between two readings, over at most one roll-over."""
    if after >= before:
        return after - before
    if before - after > RANGE_KWH / 2:
        return after + RANGE_KWH - before
    raise CounterWentBack(before, after)
'''
COUNTER_TEST = '''"""Counters that roll over, and counters that break."""

import pytest

from quayside.meter_readings.counter import CounterWentBack, consumed_kwh


def test_an_ordinary_difference():
    assert consumed_kwh(100.5, 112.0) == pytest.approx(11.5)


def test_a_roll_over_counts_both_ends():
    assert consumed_kwh(99_990.0, 12.0) == pytest.approx(22.0)


def test_a_small_step_back_is_for_a_person():
    with pytest.raises(CounterWentBack):
        consumed_kwh(500.0, 480.0)
'''


def review_models(t: Transcript) -> None:
    """Task 6: a walk through every model."""
    t.user(
        "Before the winter season I'd like to know whether any of our state machines lets something happen that should not: refunds after void, check-in of a cancelled booking, that sort of thing. Go through all of them and tell me; change nothing yet."
    )
    nouns = sorted(
        {path.split("/")[1] for path in t.files if path.startswith("quayside/") and path.endswith("/model.py")}
    )
    t.says(
        "I'll read all fourteen models and the services that move them.",
        *(read(f"quayside/{noun}/model.py") for noun in nouns[:5]),
    )
    t.says("", *(read(f"quayside/{noun}/model.py") for noun in nouns[5:10]))
    t.says("", *(read(f"quayside/{noun}/model.py") for noun in nouns[10:]))
    t.says(
        "The tables are generated by position, each state may go to the next two. That is compact and it hides three mistakes. Let me check each against the services before I accuse anyone.",
        *(read(f"quayside/{noun}/service.py") for noun in ("berths", "vessels", "tide_windows", "crane_lifts")),
    )
    t.says(
        "",
        *(read(f"quayside/{noun}/service.py") for noun in ("permits", "storage_racks", "audit_events")),
        grep("moved_to"),
    )
    t.says(
        "What I found, worst first:\n\n"
        "1. **`payments`: captured → failed is allowed**, because `failed` stands after `captured` in the list. A late webhook can turn money we have into money we never had. Nothing calls it today; one careless retry would.\n"
        "2. **`bookings`: checked_in → cancelled is allowed.** The office does that for people who leave early, so it is used 40 times a year, but it refunds by the cancellation terms and not by the early-departure terms.\n"
        "3. **`invoices`: issued → overdue, but never overdue → paid.** It works because the service writes `paid` with `replace` and not with `moved_to`, which also means that nothing else is checked there.\n"
        "4. `permits`: refused → expired is allowed and harmless.\n"
        "5. `berths`: open → occupied skips the reservation. The harbour office wants it that way for walk-ins.\n\n"
        "I would write the tables out by hand, one line a state, and mend 1 to 3. Shall I?"
    )
