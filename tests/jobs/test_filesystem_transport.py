"""Messages as files: whole, in order, and taken by one consumer each.

kombu remembers the queues it bound for the life of the process, so each test has names of its own.
"""

from __future__ import annotations

import shutil
import threading
from collections import Counter
from pathlib import Path

import pytest
from kombu import Connection

MESSAGES = 200


@pytest.fixture
def broker(tmp_path: Path) -> dict[str, object]:
    for name in ("queue", "control"):
        (tmp_path / name).mkdir()
    folder = str(tmp_path / "queue")
    options = {"data_folder_in": folder, "data_folder_out": folder, "control_folder": str(tmp_path / "control")}
    return {"transport": "budgeteer.jobs.filesystem_transport:Transport", "transport_options": options}


def test_messages_come_out_in_the_order_they_went_in(broker: dict[str, object]) -> None:
    with Connection(**broker) as connection, connection.SimpleQueue("ordered") as queue:
        for number in range(5):
            queue.put({"number": number})
        assert [queue.get_nowait().payload["number"] for _ in range(5)] == list(range(5))


def test_a_folder_that_was_removed_is_made_again_with_the_next_message(
    broker: dict[str, object], tmp_path: Path
) -> None:
    with Connection(**broker) as connection, connection.SimpleQueue("removed") as queue:
        queue.put({"number": 1})
        shutil.rmtree(tmp_path / "queue")
        with pytest.raises(queue.Empty):
            queue.get_nowait()
        queue.put({"number": 2})
        assert queue.get_nowait().payload["number"] == 2


def test_every_message_is_taken_once_while_many_put_and_take(broker: dict[str, object]) -> None:
    taken: Counter[int] = Counter()
    everything_put = threading.Event()

    def put(start: int) -> None:
        with Connection(**broker) as connection, connection.SimpleQueue("crowded") as queue:
            for number in range(start, MESSAGES, 2):
                queue.put({"number": number})

    def take() -> None:
        with Connection(**broker) as connection, connection.SimpleQueue("crowded", no_ack=True) as queue:
            while True:
                last_look = everything_put.is_set()
                try:
                    taken[queue.get_nowait().payload["number"]] += 1
                except queue.Empty:
                    if last_look:
                        return

    # kombu calls a queue bound before its table says so; a thread that puts in that instant would find no queue. In
    # the product the reaper sends such a message again.
    with Connection(**broker) as connection, connection.SimpleQueue("crowded"):
        pass
    putting = [threading.Thread(target=put, args=(start,)) for start in (0, 1)]
    taking = [threading.Thread(target=take) for _ in range(3)]
    for thread in putting + taking:
        thread.start()
    for thread in putting:
        thread.join()
    everything_put.set()
    for thread in taking:
        thread.join()
    assert taken == Counter(range(MESSAGES))


def test_queues_do_not_mix(broker: dict[str, object]) -> None:
    with Connection(**broker) as connection:
        small, large = connection.SimpleQueue("small"), connection.SimpleQueue("large")
        large.put({"size": "large"})
        with pytest.raises(small.Empty):
            small.get_nowait()
        assert large.get_nowait().payload == {"size": "large"}
