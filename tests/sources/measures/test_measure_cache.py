from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from budgeteer.engine.content.conversation import Conversation, Message, TextPart, ToolCallPart, ToolResultPart
from budgeteer.engine.content.library import Chunk, FeatureSpec, Skill, ToolDefinition
from budgeteer.engine.content.source_items import SourceItems
from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.jobs.models import Job
from budgeteer.sources import services
from budgeteer.sources.files.contents import counted_streams, row_of
from budgeteer.sources.measures import measure_cache, measure_cache_table
from budgeteer.sources.measures.measure_cache import Fingerprints
from budgeteer.sources.measures.measuring import Measures, dump_measures, known_rows_of, measure, own_tools_of
from budgeteer.sources.models import KnownRun
from tests.sources.material import chat, chats, imported, run_jobs, skills_zip

COUNTER = counter_for("o200k_base")

TEXTS = st.text(max_size=40) | st.sampled_from(["how deep is it", "the harbour\n\n", " ", "", "x" * 500])
PARTS = (
    st.builds(TextPart, TEXTS)
    | st.builds(ToolCallPart, st.sampled_from("abc"), TEXTS, st.sampled_from(["{}", '{"a": 1}']))
    | st.builds(lambda call, text: ToolResultPart(call, (TextPart(text),)), st.sampled_from("abc"), TEXTS)
)
MESSAGES = st.builds(
    Message,
    st.sampled_from(["system", "user", "assistant", "tool"]),
    st.lists(PARTS, max_size=3).map(tuple),
    name=st.sampled_from(["", "ada"]),
)
TALKS = st.builds(
    lambda messages, tools: Conversation("a", "A", messages, tools=tools),
    st.lists(MESSAGES, max_size=30),
    st.lists(st.sampled_from([{"name": "weather", "description": "d"}, {"name": "tide"}]), max_size=2).map(tuple),
)
WHATS = st.builds(
    SourceItems,
    conversations=st.lists(TALKS, max_size=3),
    skills=st.lists(st.builds(Skill, TEXTS, TEXTS, TEXTS, body=TEXTS), max_size=5),
    tools=st.lists(
        st.builds(
            lambda name, text: ToolDefinition(name, text, {"type": "object"}, "openai", {"name": name}), TEXTS, TEXTS
        ),
        max_size=5,
    ),
    features=st.lists(st.builds(lambda text: FeatureSpec("f.md", "F", "", text), TEXTS), max_size=5),
    chunks=st.lists(st.builds(Chunk, TEXTS), max_size=5),
    text=TEXTS,
)


class Memory(dict[bytes, bytes]):
    """A cache in memory."""

    def fetch(self, keys: Sequence[bytes]) -> Mapping[bytes, bytes]:
        return {key: self[key] for key in keys if key in self}

    def keep(self, values: Mapping[bytes, bytes]) -> None:
        self.update(values)


class Watched:
    """The real counter, and how many characters it was asked for."""

    name, kind, per_message_overhead = "o200k_base", "exact", True

    def __init__(self) -> None:
        self.characters = 0

    def count(self, text: str) -> int:
        self.characters += len(text)
        return COUNTER.count(text)

    def count_parts(self, texts: Sequence[str]) -> int:
        self.characters += sum(map(len, texts))
        return COUNTER.count_parts(texts)

    def count_all(self, texts: Sequence[str]) -> list[int]:
        self.characters += sum(map(len, texts))
        return COUNTER.count_all(texts)


def counted(what: SourceItems, memory: Memory, counter: Watched | None = None) -> Measures:
    prints = Fingerprints()
    for stream, items in counted_streams(what).items():
        prints.add_all(stream, items)
    prints.add_all("own_tools", map(row_of, own_tools_of(what)))
    rows_of = known_rows_of(prints, tokenizer="o200k_base", cache=memory)
    return measure(what, counter=counter or COUNTER, rows_of=rows_of)


def numbers(measures: Measures) -> bytes:
    return dump_measures(measures)


def talk(count: int, *, start: int = 0) -> SourceItems:
    texts = (f"Message {number}: " + f"the tide turns {number} times. " * 20 for number in range(start, start + count))
    return SourceItems(conversations=[Conversation("a", "A", [Message("user", (TextPart(text),)) for text in texts])])


@pytest.mark.slow
@given(st.lists(WHATS, min_size=1, max_size=4))
def test_numbers_found_are_the_numbers_counted_whatever_was_counted_before(whats):
    memory = Memory()
    for what in [*whats, *whats]:
        assert numbers(counted(what, memory)) == numbers(measure(what, counter=COUNTER))


@pytest.mark.slow
@given(st.lists(MESSAGES, min_size=2, max_size=60), st.data())
def test_a_message_that_pairs_up_otherwise_is_counted_again(messages, data):
    memory = Memory()
    cut = data.draw(st.integers(0, len(messages)))
    for part in (messages, messages[cut:], messages[:cut], messages[cut:] + messages[:cut]):
        what = SourceItems(conversations=[Conversation("a", "A", part)])
        assert numbers(counted(what, memory)) == numbers(measure(what, counter=COUNTER))


def test_a_second_counting_reads_no_text():
    memory, watched = Memory(), Watched()
    counted(talk(300), memory)
    counted(talk(300), memory, watched)
    assert watched.characters == 0


@pytest.mark.parametrize(("what", "most"), [(talk(1050), 0.12), (talk(1000, start=3), 0.3), (talk(950), 0.1)])
def test_a_list_that_grew_or_lost_some_is_counted_where_it_changed(what, most):
    memory, cold, watched = Memory(), Watched(), Watched()
    counted(talk(1000), memory, cold)
    counted(what, memory, watched)
    assert 0 < watched.characters + 1 < cold.characters * most


def test_another_version_or_tokenizer_knows_nothing_of_this_one(monkeypatch):
    memory, watched = Memory(), Watched()
    counted(talk(10), memory)
    monkeypatch.setattr(measure_cache, "COUNTING_VERSION", measure_cache.COUNTING_VERSION + 1)
    counted(talk(10), memory, watched)
    assert watched.characters > 0


@pytest.mark.parametrize("damage", ["flipped", "cut", "foreign", "empty"])
def test_a_damaged_or_foreign_row_is_counted_anew(damage):
    memory = Memory()
    counted(talk(40), memory)
    other = Memory()
    counted(talk(40, start=7000), other)
    for key, value, foreign in zip(list(memory), list(memory.values()), other.values(), strict=False):
        flipped = value[:-1] + bytes([value[-1] ^ 1])
        memory[key] = {"flipped": flipped, "cut": value[:-3], "foreign": foreign, "empty": b""}[damage]
    assert numbers(counted(talk(40), memory)) == numbers(measure(talk(40), counter=COUNTER))


def test_another_installation_makes_other_keys(settings):
    mine, theirs = Memory(), Memory()
    counted(talk(40), mine)
    settings.SECRET_KEY = "another"
    counted(talk(40), theirs)
    assert not set(mine) & set(theirs)


def test_items_and_prints_that_do_not_match_are_a_mistake_found_at_once():
    rows = known_rows_of(Fingerprints(), tokenizer="o200k_base", cache=Memory())("messages")
    with pytest.raises(ValueError, match="1 rows"):
        rows(1, lambda at: [at])


def counting_of(monkeypatch) -> Watched:
    watched = Watched()
    monkeypatch.setattr(
        measure_cache_table, "counter_for", lambda name: watched if name == "o200k_base" else counter_for(name)
    )
    return watched


@pytest.mark.django_db
def test_the_same_items_of_another_owner_or_after_a_deletion_are_not_counted_again(owner, other, monkeypatch):
    first = imported(owner, chats(9))
    watched = counting_of(monkeypatch)
    second = imported(other, chats(9))
    first_counts = first.counts
    services.delete(first)
    services.purge(before=timezone.now() + timedelta(days=1))
    third = imported(owner, chats(9))
    services.import_again(third)
    run_jobs()
    assert watched.characters == 0
    assert second.counts == third.counts == first_counts


@pytest.mark.django_db
def test_the_same_items_in_other_bytes_are_not_counted_again(owner, monkeypatch):
    imported(owner, chat(9))
    watched = counting_of(monkeypatch)
    again = imported(owner, json.dumps(json.loads(chat(9)), indent=1).encode(), name="indented.json")
    assert again.state == "ready"
    assert watched.characters == 0


@pytest.mark.django_db
def test_another_tokenizer_is_counted_once_for_two_owners(owner, other, monkeypatch):
    sources = [imported(owner, skills_zip()), imported(other, skills_zip())]
    services.ensure_measured(sources[0], "cl100k_base")
    run_jobs()
    monkeypatch.setattr(measure_cache_table, "counter_for", lambda _name: watched)
    watched = Watched()
    services.ensure_measured(sources[1], "cl100k_base")
    run_jobs()
    assert watched.characters == 0
    mine, theirs = (services.measures_of(source, "cl100k_base") for source in sources)
    assert numbers(mine) == numbers(theirs)


@pytest.mark.django_db
def test_no_text_is_kept(owner):
    imported(owner, chat(3, opening="Plan the secret harbour"))
    for row in KnownRun.objects.all():
        assert b"secret" not in bytes(row.key) + bytes(row.rows)


@pytest.mark.django_db
def test_an_import_asks_little_of_the_database(owner):
    source = imported(owner, chats(40))
    Job.objects.all().delete()
    services.import_again(source)
    with CaptureQueriesContext(
        connection,
    ) as queries:
        run_jobs()
    assert len(queries) < 45, "\n".join(query["sql"][:120] for query in queries)


@pytest.mark.django_db
def test_runs_that_nobody_used_for_long_are_swept_and_used_ones_stay(owner):
    imported(owner, chat(3))
    today = timezone.now().date()
    KnownRun.objects.update(used_on=today - timedelta(days=40))
    kept = KnownRun.objects.count()
    imported(owner, chat(3) + b" ")
    assert measure_cache_table.sweep(unused_since=today - timedelta(days=30)) == 0
    assert KnownRun.objects.count() == kept
    KnownRun.objects.update(used_on=today - timedelta(days=40))
    assert measure_cache_table.sweep(unused_since=today - timedelta(days=30)) == kept


@pytest.mark.django_db(transaction=True)
def test_many_may_keep_and_mark_the_same_runs_at_once():
    values = {bytes([number]) * 32: b"proof" + bytes([number]) for number in range(200)}
    today = timezone.now().date()
    errors: list[BaseException] = []

    def work(turn: int) -> None:
        try:
            table = measure_cache_table.MeasureCacheTable()
            for _ in range(3):
                table.keep(dict(sorted(values.items(), reverse=bool(turn % 2))))
                assert table.fetch(list(values)) == values
                KnownRun.objects.filter(key=bytes([turn]) * 32).update(used_on=today - timedelta(days=9))
        except BaseException as error:  # noqa: BLE001 - shown by the assertion below
            errors.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=work, args=(turn,)) for turn in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert KnownRun.objects.count() == len(values)
