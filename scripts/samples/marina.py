"""A made-up repository: `quayside`, the booking system of a marina, as a mapping from path to text.

The sample session reads, greps and edits these files. They are written from a table of the marina's nouns, so that
a search finds what the files hold and a diff is a diff of something.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random


@dataclass(frozen=True)
class Noun:
    """One thing the marina keeps: its fields as (name, type, note), its states, its rules as (verb, what, reason)."""

    name: str
    plural: str
    about: str
    fields: tuple[tuple[str, str, str], ...]
    states: tuple[str, ...]
    rules: tuple[tuple[str, str, str], ...]


def _noun(text: str) -> Noun:
    head, fields, states, *rules = [line.strip() for line in text.strip().splitlines()]
    name, plural, about = [part.strip() for part in head.split("|")]
    columns = tuple(_triple(column, ":") for column in fields.split(";"))
    verbs = tuple(_triple(rule, "|") for rule in rules)
    return Noun(name, plural, about, columns, tuple(states.split()), verbs)


def _triple(text: str, mark: str) -> tuple[str, str, str]:
    first, second, third = (piece.strip() for piece in text.split(mark))
    return first, second, third


NOUNS = tuple(
    _noun(text)
    for text in (
        """berth | berths | A numbered place on a pontoon where one vessel may lie
        pontoon_code: str: painted on the pile; length_cm: int: usable length between fingers; beam_cm: int: clear width; draught_cm: int: depth at lowest tide; has_power: bool: a pedestal within reach; closed_until: date | None: under repair
        open reserved occupied closed
        close_for_repair | Take a berth out of sale until a date | the electrician needs the pontoon empty
        fits_vessel | Say whether a hull fits with its fenders out | thirty centimetres a side have saved many a gelcoat
        nearest_free | Find the free berth closest to the harbour office | late arrivals are tired and it is dark""",
        """booking | bookings | A stay of one vessel in one berth from arrival to departure
        vessel_id: int: who comes; berth_id: int: where; arrives_at: datetime: local time of the marina; departs_at: datetime: local time of the marina; nights: int: what is charged; quoted_cents: int: promised when booked
        draft held confirmed checked_in checked_out cancelled
        hold | Keep a berth for twenty minutes while the skipper pays | two people press the button in the same second
        confirm | Turn a hold into a promise | the deposit has arrived
        extend | Stay longer if the next guest is not yet due | weather keeps people in port
        cancel | Give the berth back and work out what is refunded | the terms changed in March and old bookings keep the old ones""",
        """vessel | vessels | A boat with the measures that decide where it may lie
        name: str: as painted on the stern; registration: str: flag state and number; length_cm: int: over all, with bowsprit; beam_cm: int: widest point; draught_cm: int: fully laden; insurance_ends: date: no cover, no berth
        known visiting resident sold
        verify_insurance | Refuse a vessel whose cover ends during the stay | the harbour master signs for it
        merge_duplicates | Join two records of the same hull | people type their registration three different ways
        change_owner | Hand a vessel to another skipper and keep its history | boats are sold in spring""",
        """tariff | tariffs | What a night costs by length, season and power
        season: str: high, shoulder or low; metre_cents: int: per started metre and night; power_cents: int: flat fee a night; minimum_cents: int: the smallest bill; valid_from: date: first night it applies; valid_to: date | None: last night
        draft published retired
        price_night | Price one night of one hull | a started metre is a whole metre
        publish | Make a tariff the one that is quoted | quotes already given keep their number
        overlap_error | Refuse two tariffs for the same night | the season table is edited by hand each January""",
        """invoice | invoices | A bill with its lines, numbered without gaps
        number: str: year and running number; skipper_id: int: who pays; issued_on: date: the day it got its number; net_cents: int: before tax; tax_cents: int: at the rate of the day; due_on: date: fourteen days later
        draft issued paid overdue void
        issue | Give an invoice its number | the tax office wants a gapless series
        add_line | Put one more thing on an unissued bill | crane and power are billed at departure
        void_with_note | Cancel an invoice by a second one | an issued number can never disappear""",
        """payment | payments | Money that came in, or a try that failed
        invoice_id: int: what it pays; provider_ref: str: the id the card provider gave; amount_cents: int: never negative; captured_at: datetime | None: when it was really ours; failure_code: str | None: in the provider's words
        pending authorised captured failed refunded
        capture | Take authorised money at check-in | authorisations lapse after seven days
        reconcile | Match the provider's nightly file with ours | one in four hundred webhooks never arrives
        refund_part | Give back what the terms allow | the fee of the provider stays with us""",
        """waitlist_entry | waitlist_entries | Someone who would take a berth if one came free
        vessel_id: int: measures decide what is offered; wanted_from: date: earliest night; wanted_to: date: latest night; offered_until: datetime | None: an offer lapses; priority: int: residents first, then by time
        waiting offered accepted lapsed withdrawn
        offer_next | Offer a freed berth to the first vessel that fits | the list is not strictly first come first served
        lapse_offers | Take back offers nobody answered | the next one on the list has already packed
        explain_position | Tell a skipper why others are before them | it saves the office forty phone calls a week""",
        """tide_window | tide_windows | The hours in which a hull of some draught can pass the sill
        opens_at: datetime: sill covered deep enough; closes_at: datetime: and no longer; sill_depth_cm: int: over the sill at the start; source: str: table or gauge; confidence: float: how far the gauge agreed
        predicted measured superseded
        passable | Say whether a draught can pass now | two hundred centimetres is an opinion, the gauge is a fact
        import_table | Read the yearly table of the hydrographic office | it comes as a text file with page numbers in it
        correct_by_gauge | Shift the prediction by what the gauge shows | a week of wind from the east takes away thirty centimetres""",
        """meter_reading | meter_readings | Kilowatt hours drawn from a pedestal
        pedestal: str: label on the pedestal; berth_id: int: whom it serves; kwh: float: counter, not difference; read_at: datetime: when the pedestal said so; quality: str: good, estimated or rolled_over
        received accepted rejected
        consumption | Work out what a stay drew | counters roll over at 99,999
        flag_jump | Hold back a reading that jumps | lightning made one pedestal claim four megawatts
        bill_period | Sum the accepted readings of a stay | power is billed at departure""",
        """crane_lift | crane_lifts | A hull lifted out or set in at a booked hour
        vessel_id: int: what hangs in the slings; starts_at: datetime: slot of forty minutes; tonnes: float: laden; sling_plan: str: which slings at which frames; wind_limit_kn: int: above that nobody lifts
        requested planned lifting done postponed
        plan_day | Put the day's lifts in an order | deep keels need the tide, masts need still air
        postpone_for_wind | Move what cannot be lifted | eighteen knots is the crane's limit, not ours
        check_slings | Refuse a lift without a plan for that hull | the rudder is where you least expect it""",
        """notification | notifications | A message to a skipper by the way they chose
        skipper_id: int: to whom; channel: str: mail, text or app; template: str: which text; payload: dict: what fills it; send_after: datetime: quiet hours end; attempts: int: five and we give up
        queued sending sent failed muted
        respect_quiet_hours | Move a message out of the night | nobody wants to hear about fenders at three
        retry_with_backoff | Try again later and later | the text gateway fails in clusters
        digest | Join several messages to one person | departure day produced six messages""",
        """permit | permits | Leave to do something in the harbour: dive, film, fish, hold a regatta
        holder_id: int: who asked; kind: str: what for; starts_on: date: first day; ends_on: date: last day; conditions: str: what the harbour master wrote; fee_cents: int: may be nothing
        requested granted refused expired
        grant | Say yes with conditions | a diver under a running propeller is nobody's wish
        expire_due | Close what has run out | the gate asks us every minute
        conflicts | Find what else happens in the same water | a regatta and a dredger met once""",
        """storage_rack | storage_racks | A place ashore where a hull spends the winter
        hall: str: A, B or outside; rack_length_cm: int: between posts; max_tonnes: float: of the cradle; assigned_vessel: int | None: who lies here; plug: bool: for the dehumidifier
        free assigned blocked
        assign_winter | Place a season's hulls in the halls | first in is last out
        move_chain | Say what must move to get one hull out | in February someone always wants to sail
        inspect | Record a look at cradle and covers | a loose tarpaulin cost a window""",
        """audit_event | audit_events | Who did what to what, never changed
        actor: str: user or job; action: str: verb in past tense; subject: str: noun and id; before: dict | None: what it was; after: dict | None: what it became; at: datetime: in UTC
        written
        record | Write one event in the caller's transaction | what is rolled back did not happen
        redact_person | Remove a person's data and keep the event | the law says both
        replay_subject | Show the life of one thing in order | support asks this every day""",
    )
)


def _class_name(noun: Noun) -> str:
    return "".join(part.capitalize() for part in noun.name.split("_"))


def model_file(noun: Noun) -> str:
    """The dataclass of a noun, its states and its guard against impossible transitions."""
    lines = [
        f'"""{noun.about}."""',
        "",
        "from __future__ import annotations",
        "",
        "from dataclasses import dataclass, replace",
    ]
    lines += [
        "from datetime import date, datetime",
        "from enum import StrEnum",
        "",
        "from quayside.errors import WrongState",
        "",
        "",
    ]
    lines += [
        f"class {_class_name(noun)}State(StrEnum):",
        f'    """Where a {noun.name.replace("_", " ")} stands in its life."""',
        "",
    ]
    lines += [f'    {state.upper()} = "{state}"' for state in noun.states]
    lines += [
        "",
        "",
        "@dataclass(frozen=True, slots=True)",
        f"class {_class_name(noun)}:",
        f'    """{noun.about}."""',
        "",
        "    id: int",
    ]
    lines += [f"    {name}: {kind}  # {note}" for name, kind, note in noun.fields]
    lines += [f"    state: {_class_name(noun)}State = {_class_name(noun)}State.{noun.states[0].upper()}", ""]
    if len(noun.states) > 1:
        lines += [f'    def moved_to(self, state: {_class_name(noun)}State) -> "{_class_name(noun)}":']
        lines += [
            '        """Return the same thing in another state, or refuse."""',
            "        if state not in NEXT[self.state]:",
        ]
        lines += [
            f'            raise WrongState("{noun.name}", self.id, self.state, state)',
            "        return replace(self, state=state)",
            "",
            "",
        ]
        lines += ["NEXT = {"]
        for place, state in enumerate(noun.states):
            following = ", ".join(
                f"{_class_name(noun)}State.{other.upper()}" for other in noun.states[place + 1 : place + 3]
            )
            lines.append(f"    {_class_name(noun)}State.{state.upper()}: frozenset({{{following}}}),")
        lines.append("}")
    return "\n".join(lines) + "\n"


def store_file(noun: Noun) -> str:
    """The SQL of a noun: one function a question, rows in, dataclasses out."""
    title, table = _class_name(noun), noun.plural
    columns = [name for name, _kind, _note in noun.fields]
    first, second = columns[0], columns[1]
    dated = next((name for name, kind, _ in noun.fields if kind.startswith(("date", "datetime"))), "id")
    return f'''"""How {noun.plural.replace("_", " ")} are kept: the only module that knows the table `{table}`."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from quayside.database import Connection, Row
from quayside.errors import NotFound, Stale
from quayside.{noun.plural}.model import {title}, {title}State

COLUMNS = "id, {", ".join(columns)}, state, version"


def get(connection: Connection, {noun.name}_id: int) -> {title}:
    """Return one {noun.name.replace("_", " ")} or raise NotFound."""
    row = connection.one(f"select {{COLUMNS}} from {table} where id = %s", [{noun.name}_id])
    if row is None:
        raise NotFound("{noun.name}", {noun.name}_id)
    return _from_row(row)


def by_{first}(connection: Connection, {first}: object, *, limit: int = 200) -> list[{title}]:
    """Return those with this {first.replace("_", " ")}, newest first."""
    sql = f"select {{COLUMNS}} from {table} where {first} = %s order by {dated} desc, id desc limit %s"
    return [_from_row(row) for row in connection.all(sql, [{first}, limit])]


def in_state(connection: Connection, *states: {title}State) -> Iterator[{title}]:
    """Stream everything in one of the states without holding it all in memory."""
    with connection.cursor(name="{table}_in_state") as cursor:
        cursor.execute(f"select {{COLUMNS}} from {table} where state = any(%s) order by id", [list(states)])
        for row in cursor:
            yield _from_row(row)


def save(connection: Connection, {noun.name}: {title}, *, version: int) -> None:
    """Write it back if nobody else did in between."""
    changed = connection.execute(
        """update {table}
              set {", ".join(f"{name} = %({name})s" for name in columns)},
                  state = %(state)s, version = version + 1
            where id = %(id)s and version = %(version)s""",
        {{**_to_row({noun.name}), "version": version}},
    )
    if changed == 0:
        raise Stale("{noun.name}", {noun.name}.id)


def count_by_{second}(connection: Connection, *, since: date) -> dict[object, int]:
    """Count the rows of each {second.replace("_", " ")} since a day; the dashboard asks this every minute."""
    sql = "select {second}, count(*) from {table} where {dated if dated != "id" else "created_at"} >= %s group by 1"
    return dict(connection.all(sql, [since]))


def _from_row(row: Row) -> {title}:
    return {title}(
        id=row["id"],
{chr(10).join(f'        {name}=row["{name}"],' for name in columns)}
        state={title}State(row["state"]),
    )


def _to_row({noun.name}: {title}) -> dict[str, object]:
    return {{
        "id": {noun.name}.id,
{chr(10).join(f'        "{name}": {noun.name}.{name},' for name in columns)}
        "state": {noun.name}.state.value,
    }}
'''


BODIES = (
    """    {noun} = store.get(connection, {noun}_id)
    log.info("{verb}", {noun}_id={noun}_id, state={noun}.state, {field}={noun}.{field})
    if {noun}.state is {title}State.{last}:
        raise WrongState("{noun}", {noun}_id, {noun}.state, {title}State.{first})
    before = {noun}
    {noun} = replace({noun}, {field}=clean_{field}({noun}.{field}, rules=rules))
    with connection.transaction():
        store.save(connection, {noun}, version=before_version(connection, "{plural}", {noun}_id))
        audit.record(connection, action="{verb}", subject=f"{noun}:{{{noun}_id}}", before=before, after={noun})
    return {noun}""",
    """    found = []
    for {noun} in store.in_state(connection, {title}State.{first}, {title}State.{second}):
        margin = rules.margin_for({noun}.{field})
        if margin is None or margin < rules.smallest_margin:
            log.debug("{verb} passed over", {noun}_id={noun}.id, margin=margin)
            continue
        found.append((margin, {noun}.id, {noun}))
        if len(found) >= rules.enough:
            break
    # Sorted by id as well, so that two equal margins never make the answer depend on the database's mood.
    found.sort(key=lambda entry: (entry[0], entry[1]))
    return [entry[2] for entry in found]""",
    """    now = clock.now()
    candidates = store.by_{field0}(connection, {field0}, limit=rules.look_at_most)
    if not candidates:
        return Outcome.nothing_to_do("{verb}", {field0}={field0})
    problems = [problem for {noun} in candidates for problem in _problems({noun}, now=now, rules=rules)]
    if problems:
        log.warning("{verb} refused", problems=[str(problem) for problem in problems])
        return Outcome.refused("{verb}", problems)
    done = 0
    for {noun} in candidates:
        with connection.transaction():
            moved = {noun}.moved_to({title}State.{second})
            store.save(connection, moved, version=before_version(connection, "{plural}", {noun}.id))
            notifications.enqueue(connection, about=moved, template="{plural}/{verb}")
            done += 1
    return Outcome.done("{verb}", count=done, took=clock.now() - now)""",
)


def service_file(noun: Noun, random: Random) -> str:
    """The rules of a noun, one public function a rule."""
    title = _class_name(noun)
    states = [state.upper() for state in noun.states]
    lines = [
        f'"""The rules of {noun.plural.replace("_", " ")}. {noun.about}."""',
        "",
        "from __future__ import annotations",
        "",
    ]
    lines += ["from dataclasses import replace", "", "import structlog", ""]
    lines += [
        "from quayside import audit, clock, notifications",
        "from quayside.database import Connection, before_version",
    ]
    lines += [
        "from quayside.errors import WrongState",
        "from quayside.outcome import Outcome",
        "from quayside.rules import Rules",
    ]
    lines += [
        f"from quayside.{noun.plural} import store",
        f"from quayside.{noun.plural}.model import {title}, {title}State",
        "",
    ]
    lines += ["log = structlog.get_logger(__name__)", ""]
    for place, (verb, what, reason) in enumerate(noun.rules):
        body = BODIES[(place + random.randrange(2)) % 3]
        subject = (
            f"{noun.fields[0][0]}: {noun.fields[0][1]}"
            if "by_" in body
            else ("" if "found" in body else f"{noun.name}_id: int")
        )
        answer = "Outcome" if "Outcome" in body else (f"list[{title}]" if "found" in body else title)
        head = f"def {verb}(connection: Connection, {subject + ', ' if subject else ''}*, rules: Rules) -> {answer}:"
        lines += ["", head, f'    """{what}: {reason}."""']
        lines += [
            body.format(
                noun=noun.name,
                plural=noun.plural,
                title=title,
                verb=verb,
                first=states[0],
                second=states[min(1, len(states) - 1)],
                last=states[-1],
                field=noun.fields[place % len(noun.fields)][0],
                field0=noun.fields[0][0],
            ),
            "",
        ]
    if any("_problems" in line for line in lines):
        name, kind, note = noun.fields[-1]
        lines += [
            "",
            f"def _problems({noun.name}: {title}, *, now: object, rules: Rules) -> list[str]:",
            "    problems = []",
        ]
        lines += [
            f'    if not rules.allows("{noun.plural}", {noun.name}.state):',
            f'        problems.append(f"{noun.name} {{{noun.name}.id}} is {{{noun.name}.state}}")',
        ]
        lines += [
            f"    if rules.is_unusual({noun.name}.{name}):  # {kind}: {note}",
            f'        problems.append(f"{name} of {noun.name} {{{noun.name}.id}} looks wrong: {{{noun.name}.{name}}}")',
            "    return problems",
            "",
        ]
    return "\n".join(lines)


def test_file(noun: Noun, random: Random) -> str:
    """Tests whose names are sentences, with a builder for the noun."""
    title = _class_name(noun)
    lines = [
        f'"""{title}: what the harbour office relies on."""',
        "",
        "from __future__ import annotations",
        "",
        "import pytest",
        "",
    ]
    lines += [
        f"from quayside.{noun.plural} import service, store",
        f"from quayside.{noun.plural}.model import {title}State",
        "from tests.builders import a_rule_book, build",
        "",
        "",
    ]
    for verb, what, reason in noun.rules:
        words = what.lower().split(" ")
        stem = "_".join(word.strip(",'s") if word.endswith("'s") else word.strip(",") for word in words[:6])
        number, other = random.randrange(3, 90), random.randrange(100, 900)
        lines += [f"def test_{verb}_will_{stem}(connection, frozen_clock):", f'    """Because {reason}."""']
        lines += [
            f'    {noun.name} = build(connection, "{noun.name}", {noun.fields[0][0]}={number!r})',
            f'    build(connection, "{noun.name}", {noun.fields[0][0]}={other!r})',
        ]
        lines += [
            f"    service.{verb}(connection, {noun.name}.id, rules=a_rule_book())",
            f"    assert store.get(connection, {noun.name}.id).state in set({title}State)",
            "",
            "",
        ]
        lines += [
            f'@pytest.mark.parametrize("state", [{title}State.{noun.states[-1].upper()}])',
            f"def test_{verb}_is_refused_when_it_is_too_late(connection, state):",
        ]
        lines += [
            f'    {noun.name} = build(connection, "{noun.name}", state=state)',
            f'    with pytest.raises(ValueError, match="{noun.name}"):',
            f"        service.{verb}(connection, {noun.name}.id, rules=a_rule_book())",
            "",
            "",
        ]
    return "\n".join(lines).rstrip() + "\n"


CALENDAR = '''"""Nights, seasons and quiet hours. Times are kept in UTC and thought about in the marina's own zone."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

MARINA = ZoneInfo("Europe/Lisbon")
CHECK_IN_HOUR = 14
CHECK_OUT_HOUR = 11


def nights_between(arrives_at: datetime, departs_at: datetime) -> int:
    """Return how many nights a stay is charged."""
    stay = departs_at - arrives_at
    return max(1, int(stay.total_seconds() // 86_400))


def nights_of(arrives_at: datetime, departs_at: datetime) -> list[date]:
    """Return the date of every night, in order; a night belongs to the day it begins."""
    first = arrives_at.date()
    return [first + timedelta(days=number) for number in range(nights_between(arrives_at, departs_at))]


def season_of(night: date) -> str:
    """Return the tariff season of a night."""
    if (6, 15) <= (night.month, night.day) <= (9, 15):
        return "high"
    if night.month in {4, 5, 6, 9, 10}:
        return "shoulder"
    return "low"


def in_quiet_hours(moment: datetime) -> bool:
    """Say whether a message sent now would wake somebody."""
    local = moment.astimezone(MARINA)
    return local.hour >= 22 or local.hour < 8
'''

EXTRA = {
    "quayside/calendar.py": CALENDAR,
    "quayside/clock.py": '"""The one place that asks what time it is."""\n\nfrom datetime import UTC, datetime\n\n\ndef now() -> datetime:\n    """Return the present moment in UTC."""\n    return datetime.now(UTC)\n',
    "quayside/errors.py": '"""What can go wrong, as a small tree."""\n\n\nclass QuaysideError(Exception):\n    """The root."""\n\n\nclass NotFound(QuaysideError):\n    """There is no such thing."""\n\n\nclass Stale(QuaysideError):\n    """Somebody else changed it first."""\n\n\nclass WrongState(QuaysideError, ValueError):\n    """It is too late, or too early, for that."""\n',
    "pyproject.toml": '[project]\nname = "quayside"\nversion = "4.11.0"\nrequires-python = ">=3.12"\ndependencies = ["psycopg>=3.1", "structlog", "starlette", "uvicorn", "pydantic>=2", "httpx"]\n\n[tool.pytest.ini_options]\ntestpaths = ["tests"]\naddopts = "-ra --strict-markers"\n\n[tool.ruff]\nline-length = 110\n',
    "README.md": "# Quayside\n\nBerths, bookings, tides and bills for marinas with up to two thousand berths.\n\n- `make dev` starts everything with a seeded database\n- `make test` runs the tests; the database ones need Docker or a `DATABASE_URL`\n- `docs/operations.md` says what to do at three in the morning\n",
}


def repository(random: Random) -> dict[str, str]:
    """Return every file of the repository, by path, in a fixed order."""
    files = dict(EXTRA)
    for noun in NOUNS:
        files[f"quayside/{noun.plural}/model.py"] = model_file(noun)
        files[f"quayside/{noun.plural}/store.py"] = store_file(noun)
        files[f"quayside/{noun.plural}/service.py"] = service_file(noun, random)
        files[f"tests/test_{noun.plural}.py"] = test_file(noun, random)
    return dict(sorted(files.items()))
