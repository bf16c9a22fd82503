from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from budgeteer.engine.config.schema import load_config
from budgeteer.engine.content.conversation import Conversation, Message, TextPart, ToolCallPart, ToolResultPart
from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.engine.inputs.bundle import Inputs, build_bundle
from budgeteer.engine.inputs.history_index import index_of, known_index, label, message_id
from budgeteer.engine.packing.pack import pack

COUNTER = counter_for("o200k_base")


class Counting(Sequence):
    """A conversation that says how many of its messages were looked at."""

    def __init__(self, messages):
        self.messages, self.looked = messages, 0

    def __len__(self):
        return len(self.messages)

    def __getitem__(self, index):
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        self.looked += 1
        return self.messages[index]


def talk():
    messages = []
    for turn in range(6):
        call = ToolCallPart(f"c{turn}", ("read", "write", "search")[turn % 3], "{}")
        messages.append(Message("user", (TextPart(f"Question\nnumber {turn}"),), id=f"u{turn}"))
        messages.append(Message("assistant", (TextPart("Looking."), call)))
        messages.append(Message("assistant", (TextPart("Found it."),)))
    return messages


@pytest.fixture
def bundle():
    counted = Counting(talk())
    made = build_bundle(Inputs(conversation=Conversation("c", "Talk", counted)), counter=COUNTER)
    counted.looked = 0
    return made, counted


def test_ids_labels_and_called_tools_are_those_of_the_messages(bundle):
    made, _ = bundle
    index = index_of(made)
    assert index.ids == tuple(message_id(message, row) for row, message in enumerate(made.history))
    said = (0, 2)  # the others call a tool, and one of them says something
    assert [index.labels[at] for at in said] == [label(made.history[at]) for at in said]
    assert index.labels[0] == "Question number 0"
    kept = np.zeros(len(made.history), np.bool_)
    assert index.called_by(kept) == frozenset()
    kept[[1, 4]] = True
    assert index.called_by(kept) == {"read", "write"}
    assert index.called_by(np.ones(len(made.history), np.bool_)) == {"read", "write", "search"}


def test_a_history_is_read_once_and_packings_after_it_read_nothing(bundle):
    made, counted = bundle
    assert known_index(made) is None
    index = index_of(made)
    read = counted.looked
    assert read == len(made.history)
    assert index_of(made) is index is known_index(made)
    config = load_config({"model": "gpt-4o", "pins": ["message:u0"], "history": {"maxTokens": 40}})
    ledger = pack(made, config, counter=COUNTER).ledger
    said = [ledger.decision(at) for at in range(len(ledger))]
    assert counted.looked == read
    assert {decision.id for decision in said} >= {"message:u0", "message:2"}
    assert next(decision for decision in said if decision.id == "message:u0").pinned


def test_another_history_has_another_index(bundle):
    made, _ = bundle
    index = index_of(made)
    shorter = replace(made, history=made.history[:4], history_measures=made.history_measures.taken(slice(0, 4)))
    assert known_index(shorter) is None
    assert index_of(shorter).ids == index.ids[:4]


def test_a_result_is_named_by_its_call_and_linked_with_it() -> None:
    read, run = (
        ToolCallPart("c1", "Read", '{"file_path": "src/boats.py"}'),
        ToolCallPart("c2", "Bash", '{"command": "pytest"}'),
    )
    messages = [
        Message("user", (TextPart("Look at the boats"),), line=1),
        Message("assistant", (read, run), line=3),
        Message("tool", (ToolResultPart("c1", (TextPart("1→class Boat"),)),), line=4),
        Message("tool", (ToolResultPart("c2", (TextPart("===== test session"),)),), line=5),
        Message("assistant", (TextPart("Once more."), ToolCallPart("c3", "Read", '{"path": "src/boats.py"}'))),
        Message("tool", (ToolResultPart("elsewhere", (TextPart("lost"),)),)),
    ]
    made = build_bundle(Inputs(conversation=Conversation("c", "Talk", messages)), counter=COUNTER)
    index = index_of(made)
    assert index.labels[1:] == (
        "Call: Read src/boats.py and 1 more",
        "Read src/boats.py",
        "Bash pytest",
        "Once more.",
        "lost",
    )
    assert index.call_row.tolist() == [-1, -1, 1, 1, -1, -1]
    assert index.answers_to(1) == (2, 3)
    assert index.lines.tolist() == [1, 3, 4, 5, 0, 0]
    assert [index.subjects[at].file for at in index.subject.tolist() if at >= 0] == ["src/boats.py", ""]
    ledger = pack(made, load_config({"model": "gpt-4o"}), counter=COUNTER).ledger
    assert ledger.decision(2).name == "Read src/boats.py"


def test_a_name_is_as_long_as_a_wide_list_has_room_for_and_says_how_many_calls_there_are() -> None:
    long = "rg -n tide " + "src/harbour/ " * 20
    call = ToolCallPart("c1", "Bash", json.dumps({"command": long}))
    messages = [
        Message("user", (TextPart("How deep is the basin? " * 20),)),
        Message("assistant", (call,)),
        Message("tool", (ToolResultPart("c1", (TextPart("src/harbour/tides.py"),)),)),
        Message("assistant", (ToolCallPart("c2", "Bash", call.arguments), ToolCallPart("c3", "Read", "{}"))),
    ]
    index = index_of(build_bundle(Inputs(conversation=Conversation("c", "Talk", messages)), counter=COUNTER))
    assert [len(name) for name in index.labels[:3]] == [160, 160, 160]
    assert index.labels[2].startswith("Bash rg -n tide src/harbour/ src/harbour/")
    assert index.labels[3].endswith("… and 1 more")
    assert len(index.labels[3]) < 80


def test_a_result_of_a_look_at_a_running_command_is_named_after_the_command() -> None:
    run = ToolCallPart("c1", "exec_command", '{"cmd": "make tests"}')
    look = ToolCallPart("c2", "write_stdin", '{"session_id": 54893, "chars": ""}')
    messages = [
        Message("assistant", (run,)),
        Message("tool", (ToolResultPart("c1", (TextPart("Process running with session ID 54893"),)),)),
        Message("assistant", (look,)),
        Message("tool", (ToolResultPart("c2", (TextPart("4 passed"),)),)),
    ]
    index = index_of(build_bundle(Inputs(conversation=Conversation("c", "Talk", messages)), counter=COUNTER))
    assert index.labels[2:] == ("Call: write_stdin make tests", "write_stdin make tests")
