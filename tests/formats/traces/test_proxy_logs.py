"""Logs of proxies and streamed answers: every way a body or an event stands in a file."""

from __future__ import annotations

import copy
import gzip
import json
from base64 import b64encode
from typing import Any

import pytest

from budgeteer.engine.content.conversation import ReasoningPart, ToolCallPart, calls_of, text_of
from budgeteer.engine.errors import FormatError
from budgeteer.formats.detect import import_bytes
from budgeteer.formats.reading.decoding import text_of_wire
from tests.formats.makers.recordings import ANSWERED, ASKED, MOCKED, aws_frame, wire
from tests.formats.makers.traces import PROXY_LOG, STREAM, STREAMED
from tests.formats.shapes import OPENAI_CHAT, dumps, jsonl

CHUNKS: tuple[dict[str, Any], ...] = tuple(
    {"id": given, "object": "chat.completion.chunk", "model": "gpt-x", "choices": [{"index": 0, "delta": delta}]}
    for given, delta in (
        ("a", {"role": "assistant", "content": ""}),
        ("a", {"content": "Tw"}),
        ("a", {"content": "o."}),
        ("b", {"content": "Three."}),
    )
)


@pytest.mark.parametrize(
    "data", [STREAMED.encode(), jsonl(*STREAM), dumps(list(STREAM)), b"\xef\xbb\xbf" + STREAMED.encode()]
)
def test_a_streamed_answer_alone_is_the_message_it_came_to(data: bytes) -> None:
    found = import_bytes(data)
    (chat,) = found.conversations
    assert (found.format, chat.model) == ("proxy-log", "claude-x")
    (message,) = chat.messages
    assert text_of(message).startswith("I look.\nfind")
    assert [(call.name, json.loads(call.arguments)) for call in calls_of(message)] == [("find", {"q": 2})]


def test_chunks_of_several_answers_are_several_answers() -> None:
    found = import_bytes("".join(f"data: {json.dumps(one)}\n\n" for one in CHUNKS).encode() + b"data: [DONE]\n\n")
    assert [text_of(chat.messages[0]) for chat in found.conversations] == ["Two.", "Three."]
    assert import_bytes(jsonl(*CHUNKS)).format == found.format == "proxy-log"


def test_bodies_may_be_texts_and_what_a_later_request_begins_with_is_left_out() -> None:
    first = copy.deepcopy(PROXY_LOG[0])
    second = copy.deepcopy(first)
    body = second["request"]["body"]
    body["messages"] += [{"role": "assistant", "content": "I look."}, {"role": "user", "content": "And?"}]
    second["response"] = {
        "body": json.dumps({"type": "message", "role": "assistant", "content": [{"type": "text", "text": "No."}]})
    }
    second["request"]["body"] = json.dumps(body)
    del first["response"]["body_raw"]
    found = import_bytes(jsonl(first, second))
    assert [text_of(message) for message in found.conversations[-1].messages][-2:] == ["And?", "No."]
    assert found.findings.counted[0] == ("Answers that are neither JSON nor a stream of a known form, left out", 1)
    assert ("Calls that a later call goes on from, left out", 1) in found.findings.counted


def test_lines_of_ollama_are_one_answer_until_it_is_done() -> None:
    lines: list[dict[str, Any]] = [
        {"model": "m", "message": {"role": "assistant", "content": text}, "done": done}
        for text, done in (("Tw", False), ("o.", False), ("", True), ("Three.", False), ("", True))
    ]
    found = import_bytes(jsonl(*lines))
    assert found.format == "proxy-log"
    assert [text_of(chat.messages[0]) for chat in found.conversations] == ["Two.", "Three."]
    whole = {"model": "m", "message": {"role": "assistant", "content": "Two."}, "done": True}
    assert import_bytes(jsonl(whole, whole)).format == "openai-chat"


def test_a_response_that_broke_off_is_read_as_far_as_it_came() -> None:
    item = {"type": "function_call", "id": "f", "call_id": "k", "name": "find", "arguments": "{}"}
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": {"id": "r", "object": "response", "output": []}},
        {"type": "response.output_item.done", "item": item},
        *({"type": "response.output_text.delta", "item_id": "m", "delta": text} for text in ("Tw", "o")),
    ]
    found = import_bytes("".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in events).encode())
    (message,) = found.conversations[0].messages
    assert ([one.name for one in calls_of(message)], text_of(message).split("\n")[-1]) == (["find"], "Two")


def test_cassettes_keep_bodies_as_texts() -> None:
    request = {"method": "POST", "uri": "u", "body": json.dumps({"model": "m", "messages": OPENAI_CHAT[:2]})}
    answer = {"choices": [{"message": {"role": "assistant", "content": "Not late."}}]}
    cassette = {
        "interactions": [{"request": request, "response": {"body": {"string": json.dumps(answer)}}}],
        "version": 1,
    }
    found = import_bytes(dumps(cassette))
    assert (found.format, text_of(found.conversations[0].messages[-1])) == ("proxy-log", "Not late.")


ANSWER_TEXT = json.dumps(ANSWERED)
GEMINI_ASKED = {"contents": [{"role": "user", "parts": [{"text": "Is the ferry late?"}]}]}
GEMINI_PIECES = [
    {"candidates": [{"content": {"role": "model", "parts": [{"text": text}]}}]} for text in ("Not ", "late.")
]


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        ({"content": ASKED}, {"content": {"data": b64encode(ANSWER_TEXT.encode()).decode(), "encoding": "base64"}}),
        ({"body": ASKED}, {"body": {"base64_string": b64encode(gzip.compress(ANSWER_TEXT.encode())).decode()}}),
        ({"body": GEMINI_ASKED}, {"body": json.dumps(GEMINI_PIECES)}),
        ({"body_segments": [GEMINI_ASKED]}, {"body_segments": GEMINI_PIECES, "byte_segments": []}),
        ({"body_segments": [ASKED]}, {"body_segments": [ANSWERED]}),
    ],
    ids=["base64", "gzip", "pieces in a list", "segments", "a segment"],
)
def test_bodies_are_read_however_they_are_kept(asked: dict[str, Any], answered: dict[str, Any]) -> None:
    request = {"method": "POST", "url": "https://models.invalid/v1", **asked}
    found = import_bytes(dumps({"interactions": [{"request": request, "response": {"status_code": 200, **answered}}]}))
    (chat,) = found.conversations
    assert (found.format, list(map(text_of, chat.messages))) == ("proxy-log", ["Is the ferry late?", "Not late."])
    assert found.accounting is not None
    assert not found.accounting.is_lossy


def test_answers_of_other_services_are_no_answers_of_models() -> None:
    request = {"method": "GET", "uri": "https://todo.invalid", "body": ""}
    entry = {"request": request, "response": {"body": {"string": json.dumps([{"id": 1, "done": False}])}}}
    with pytest.raises(FormatError):
        import_bytes(dumps([entry, entry]))


@pytest.mark.parametrize("packed", ["no base64!", b64encode(b"\x1f\x8b no gzip").decode()])
def test_a_body_that_cannot_be_unpacked_is_no_answer(packed: str) -> None:
    recorded = {
        "request": {"method": "POST", "url": "u", "body": ASKED},
        "response": {"body": {"base64_string": packed}},
    }
    found = import_bytes(dumps({"interactions": [recorded]}))
    assert ("Answers that are neither JSON nor a stream of a known form, left out", 1) in found.findings.counted


def test_a_cassette_whose_answer_is_packed_bytes_is_read() -> None:
    packed = b64encode(gzip.compress(ANSWER_TEXT.encode())).decode()
    cassette = CASSETTES["vcrpy"].replace("{asked}", json.dumps(ASKED)).replace("'{answered}'", f"!!binary {packed}")
    found = import_bytes(cassette.encode())
    assert (found.format, text_of(found.conversations[0].messages[-1])) == ("proxy-log", "Not late.")


def test_what_is_packed_grows_to_a_hundred_times_its_size_at_most() -> None:
    packed = gzip.compress(b"0" * 10_000_000)
    assert len(text_of_wire(packed)) <= 100 * len(packed)
    assert text_of_wire(gzip.compress(b"A tide table."[:9])) == "A tide ta"


def test_a_logged_response_with_a_body_is_not_lost() -> None:
    answer = {"choices": [{"message": {"role": "assistant", "content": "Not late."}}]}
    logged = {"request": {"body": {"messages": OPENAI_CHAT[:2]}}, "response": {"status_code": 200, "body": answer}}
    found = import_bytes(dumps(logged))
    assert found.format == "openai-chat"
    assert text_of(found.conversations[0].messages[-1]) == "Not late."


CASSETTES = {
    "vcrpy": """
interactions:
- request:
    body: '{asked}'
    headers:
      content-type:
      - application/json
    method: POST
    uri: https://models.invalid/v1/chat/completions
  response:
    body:
      string: '{answered}'
    status:
      code: 200
version: 1
""",
    "go-vcr": """---
version: 2
interactions:
- id: 0
  request:
    proto: HTTP/1.1
    host: models.invalid
    body: |
      {asked}
    method: POST
  response:
    body: '{answered}'
""",
    "ruby": """---
http_interactions:
- request:
    method: post
    uri: https://models.invalid/v1/chat/completions
    body:
      encoding: UTF-8
      string: '{asked}'
  response:
    status:
      code: 200
    body:
      encoding: UTF-8
      string: '{answered}'
recorded_at: Thu, 11 Jun 2026 20:17:11 GMT
recorded_with: VCR 6.3.1
""",
}


@pytest.mark.parametrize(("maker", "is_escaped"), [*((maker, False) for maker in CASSETTES), ("vcrpy", True)])
def test_cassettes_that_are_yaml_are_read(maker: str, is_escaped: bool) -> None:  # a case of the table
    asked = {"model": "m", "messages": [{"role": "user", "content": "Is the ferry late?"}]}
    answered = {"choices": [{"message": {"role": "assistant", "content": "Not late."}}]}
    written = CASSETTES[maker].replace("{asked}", json.dumps(asked)).replace("{answered}", json.dumps(answered))
    if maker == "vcrpy" and is_escaped:
        written = written.replace(f"'{json.dumps(asked)}'", json.dumps(json.dumps(asked)))
    found = import_bytes(written.encode(), name="cassette.yaml")
    assert found.format == "proxy-log"
    assert [text_of(message) for message in found.conversations[0].messages] == ["Is the ferry late?", "Not late."]
    assert found.accounting is not None
    assert not found.accounting.is_lossy


def test_a_cassette_whose_bodies_are_data_is_read() -> None:
    written = """
interactions:
- request:
    method: POST
    uri: https://models.invalid/v1/chat/completions
    parsed_body:
      model: m
      messages:
      - role: user
        content: Is the ferry late?
  response:
    parsed_body:
      model: m
      choices:
      - message:
          role: assistant
          content: Not late.
version: 1
"""
    found = import_bytes(written.encode(), name="cassette.yaml")
    assert found.format == "proxy-log"
    assert [text_of(message) for message in found.conversations[0].messages] == ["Is the ferry late?", "Not late."]


@pytest.mark.parametrize("is_binary", [False, True])
def test_a_cassette_of_requests_and_of_their_answers_is_read_by_their_places(is_binary: bool) -> None:  # a case
    talk = [
        {"role": "user", "content": [{"text": "Is the ferry late?"}]},
        {"role": "assistant", "content": [{"text": "Not late."}]},
        {"role": "user", "content": [{"text": "And the other?"}]},
    ]
    last = {"role": "assistant", "content": [{"text": "Gone."}]}
    answers = [{"output": {"message": one}, "stopReason": "end_turn"} for one in (talk[1], last)]

    def body(value: object) -> str:
        text = json.dumps(value)
        return f"!!binary |\n      {b64encode(text.encode()).decode()}" if is_binary else f"'{text}'"

    asked = "".join(f"- body: {body({'messages': talk[:count]})}\n  method: POST\n" for count in (1, 3))
    asked += "- body: null\n  method: GET\n"
    answered = "".join(f"- body:\n    string: {body(answer)}\n" for answer in answers)
    written = f"requests:\n{asked}responses:\n{answered}"
    assert talk_of(written.encode()) == ["Is the ferry late?", "Not late.", "And the other?", "Gone."]
    assert talk_of(gzip.compress(written.encode())) == ["Is the ferry late?", "Not late.", "And the other?", "Gone."]


def test_a_list_of_requests_and_responses_that_is_no_recording_stays_text() -> None:
    for written in ("requests:\n- cpu: !!binary |\n    YQ==\nresponses:\n- 1\n", "requests: !!binary |\n  YQ==\n"):
        assert import_bytes(written.encode(), name="a.yaml").format == "text"


def test_a_recording_of_requests_to_nobody_who_is_a_model_stays_text() -> None:
    written = CASSETTES["vcrpy"].replace("{asked}", '{"berth": 7}').replace("{answered}", '{"free": true}')
    assert import_bytes(written.encode(), name="cassette.yaml").format == "text"


def test_what_nock_records_is_read_beside_requests_to_others() -> None:
    other = {
        "scope": "https://flags.invalid:443",
        "method": "GET",
        "path": "/flags",
        "status": 200,
        "response": {"a": 1},
    }
    asked = {"model": "m", "messages": [{"role": "user", "content": "Is the ferry late?"}]}
    answered = {"model": "m", "choices": [{"message": {"role": "assistant", "content": "Not late."}}]}
    said = "".join(f"data: {json.dumps(one)}\n\n" for one in CHUNKS[:3])
    post = {"scope": "https://models.invalid:443", "method": "POST", "path": "/v1/chat/completions", "status": 200}
    recorded = [other, other, {**post, "body": asked, "response": answered}, {**post, "response": said}]
    found = import_bytes(dumps(recorded))
    assert found.format == "proxy-log"
    talks = [[text_of(message) for message in chat.messages] for chat in found.conversations]
    assert talks == [["Is the ferry late?", "Not late."], ["Two."]]
    assert ("Requests that post nothing to a model, left out", 2) in found.findings.counted
    assert ("Requests that were not recorded, whose answers are read", 1) in found.findings.counted


def test_yaml_with_the_key_of_a_cassette_need_not_be_one() -> None:
    nothing = "interactions:\n  5\nmore: '{\"messages\": []}'\n"
    assert import_bytes(nothing.encode(), name="a.yaml").format == "text"
    talk = "interactions:\n- role: user\n  content: Is she in?\n- role: assistant\n  content: At berth 7.\n"
    assert import_bytes(talk.encode(), name="a.yaml").format == "openai-chat"


def talk_of(data: bytes, name: str = "a.yaml") -> list[str]:
    """What the first conversation of a recording says, which has to be read without loss."""
    found = import_bytes(data, name=name)
    assert found.format == "proxy-log"
    assert found.accounting is not None
    assert not found.accounting.is_lossy
    return [text_of(message) for message in found.conversations[0].messages]


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        (f"body: '{json.dumps(ASKED)}'", f"body: '{json.dumps(ANSWERED)}'"),
        (f"body: {json.dumps(json.dumps(ASKED))}", f"body: {json.dumps(json.dumps(ANSWERED))}"),
        (f"json_body: {json.dumps(ASKED)}", f"json_body: {json.dumps(ANSWERED)}"),
        (f"body: '{json.dumps(ASKED)}'", f"body_base64: {b64encode(dumps(ANSWERED)).decode()}"),
    ],
)
def test_what_httpmock_records_is_read(asked: str, answered: str) -> None:
    written = MOCKED.replace("{asked}", asked).replace("{answered}", answered)
    assert talk_of(written.encode()) == ["Is the ferry late?", "Not late."]
    other = MOCKED.replace("{asked}", "path_contains: [a]").replace("{answered}", "body: 'none'")
    assert talk_of(f"{other}---\n{written}".encode()) == ["Is the ferry late?", "Not late."]


def test_what_httpmock_records_of_others_stays_text_and_a_damaged_body_is_no_answer() -> None:
    other = MOCKED.replace("{asked}", "body: '{\"berth\": 7}'").replace("{answered}", "body: 'free'")
    assert import_bytes(other.encode(), name="a.yaml").format == "text"
    damaged = MOCKED.replace("{asked}", f"body: '{json.dumps(ASKED)}'").replace("{answered}", "body_base64: '%'")
    found = import_bytes(damaged.encode(), name="a.yaml")
    assert found.findings.counted[-1] == ("Answers that are neither JSON nor a stream of a known form, left out", 1)
    assert import_bytes(b"when: 5\nthen:\n  5\nmore: '{\"messages\": []}'\n", name="a.yaml").format == "text"


@pytest.mark.parametrize("cr", ["\r\n", "\n"])
@pytest.mark.parametrize("indent", [None, 2])
def test_what_httprr_records_is_read(cr: str, indent: int | None) -> None:
    record = wire(json.dumps(ASKED), json.dumps(ANSWERED, indent=indent), cr=cr)
    assert talk_of(f"httprr trace v1\n{record}".encode(), "a.httprr") == ["Is the ferry late?", "Not late."]
    found = import_bytes(f"httprr trace v1\n{wire('{}', '{}')}{record}\n".encode(), name="a.httprr")
    assert [len(chat.messages) for chat in found.conversations] == [2]
    assert ("Requests that post nothing to a model, left out", 1) in found.findings.counted


def test_answers_in_chunks_and_in_events_are_put_together() -> None:
    whole = json.dumps(ANSWERED)
    chunks = "".join(f"{len(piece):x}\r\n{piece}\r\n" for piece in (whole[:9], whole[9:])) + "0\r\n\r\n"
    sent = "Transfer-Encoding: chunked"
    assert talk_of(f"httprr trace v1\n{wire(json.dumps(ASKED), chunks, head=sent)}".encode())[-1] == "Not late."
    assert talk_of(f"httprr trace v1\n{wire(json.dumps(ASKED), whole, head=sent)}".encode())[-1] == "Not late."
    events = "".join(f"data: {json.dumps(one)}\r\n\r\n" for one in CHUNKS[:3])
    assert talk_of(f"httprr trace v1\n{wire(json.dumps(ASKED), events)}".encode())[-1] == "Two."


def test_a_recorded_answer_of_an_object_a_line_is_no_file_of_json_lines() -> None:
    pieces = [
        {"model": "m", "message": {"role": "assistant", "content": word}, "done": False} for word in ("Not", " late")
    ]
    ending = {"model": "m", "message": {"role": "assistant", "content": ""}, "done": True, "done_reason": "stop"}
    rows = "".join(f"{json.dumps(piece)}\n" for piece in [*pieces * 4, ending])
    told = talk_of(f"httprr trace v1\n{wire(json.dumps(ASKED), rows)}".encode(), "a.httprr")
    assert told == ["Is the ferry late?", "Not late" * 4]


@pytest.mark.parametrize("text", ["", "1 2\nPOST http://a HTTP/1.1\r\n", 'x "messages": []', wire('{"a": 1}', "{}")])
def test_a_recording_without_a_request_to_a_model_stays_text(text: str) -> None:
    assert import_bytes(f"httprr trace v1\n{text}".encode(), name="a.httprr").format == "text"


def test_a_recorded_request_without_an_answer_is_a_request() -> None:
    record = wire(json.dumps(ASKED), "")
    found = import_bytes(f"httprr trace v1\n{record[: record.index('HTTP/2')]}".encode(), name="a.httprr")
    assert [text_of(message) for message in found.conversations[0].messages] == ["Is the ferry late?"]


def test_an_order_of_a_batch_is_each_of_its_requests() -> None:
    asked = [{"custom_id": f"ferry-{one}", "params": {"model": "m", "messages": OPENAI_CHAT[:2]}} for one in (1, 2)]
    asked[1]["params"] = {"model": "m", "messages": [{"role": "user", "content": "Which pier?"}]}
    request = {"method": "POST", "uri": "https://models.invalid/batches", "body": json.dumps({"requests": asked})}
    answer = {"body": {"string": '{"id":"batch","processing_status":"in_progress"}'}}
    found = import_bytes(dumps({"interactions": [{"request": request, "response": answer}], "version": 1}))
    assert (found.format, [chat.id for chat in found.conversations]) == ("proxy-log", ["ferry-1", "ferry-2"])
    assert [text_of(message) for message in found.conversations[1].messages] == ["Which pier?"]
    assert found.findings.counted == (("Requests of a batch, whose answers come apart from it", 2),)


def test_the_results_of_a_batch_stand_behind_their_requests() -> None:
    asked = [
        {"custom_id": one, "params": {"model": "m", "messages": [{"role": "user", "content": f"Is {one} late?"}]}}
        for one in ("north", "south", "west")
    ]
    reply = {"type": "message", "role": "assistant", "model": "m", "content": [{"type": "text", "text": "Not late."}]}
    rows = [
        {"custom_id": "south", "result": {"type": "succeeded", "message": reply}},
        {"custom_id": "north", "result": {"type": "succeeded", "message": {**reply, "id": "msg_2"}}},
        {"custom_id": "west", "result": {"type": "expired"}},
    ]
    at = "https://models.invalid/v1/messages/batches"
    order = {"method": "POST", "uri": at, "body": json.dumps({"requests": asked})}
    fetched = {"method": "GET", "uri": f"{at}/msgbatch_1/results", "body": ""}
    recorded = [
        {"request": order, "response": {"body": {"string": '{"id":"msgbatch_1","type":"message_batch"}'}}},
        {"request": fetched, "response": {"body": {"string": "\n".join(map(json.dumps, rows))}}},
    ]
    found = import_bytes(dumps({"interactions": recorded, "version": 1}))
    assert {chat.id: [text_of(message) for message in chat.messages] for chat in found.conversations} == {
        "north": ["Is north late?", "Not late."],
        "south": ["Is south late?", "Not late."],
        "west": ["Is west late?"],
    }
    assert found.findings.counted == (
        ("Requests of a batch, whose answers come apart from it", 1),
        ("Results of batches, put behind their requests", 1),
    )


def test_results_of_another_batch_are_not_put_behind_a_request() -> None:
    asked = {"custom_id": "1", "params": {"model": "m", "messages": [{"role": "user", "content": "Late?"}]}}
    row = {"custom_id": "1", "result": {"message": {"type": "message", "role": "assistant", "content": "No."}}}
    order = {"method": "POST", "uri": "https://a.invalid/batches", "body": {"requests": [asked]}}
    fetched = {"method": "GET", "uri": "https://a.invalid/batches/msgbatch_2/results"}
    recorded = [
        {"request": order, "response": {"body": {"id": "msgbatch_1"}}},
        {"request": fetched, "response": {"body": json.dumps(row)}},
    ]
    (chat,) = import_bytes(dumps({"interactions": recorded})).conversations
    assert [text_of(message) for message in chat.messages] == ["Late?"]


def streamed_by_bedrock(asked: dict[str, Any], data: bytes) -> dict[str, Any]:
    """A request to Bedrock as nock records it, whose answer is binary."""
    return {
        "scope": "https://bedrock.invalid:443",
        "method": "POST",
        "path": "/model/n/x",
        "status": 200,
        "body": asked,
        "responseIsBinary": True,
        "response": data.hex(),
    }


@pytest.mark.parametrize("ending", ["", "X"])
def test_event_streams_of_bedrock_are_read_however_they_are_kept(ending: str) -> None:
    said = [
        {"messageStart": {"role": "assistant"}},
        {"contentBlockDelta": {"delta": {"text": "Not"}, "contentBlockIndex": 0}},
        {"contentBlockDelta": {"delta": {"text": " late."}, "contentBlockIndex": 1}},
        {"metadata": {"usage": {"inputTokens": 9, "outputTokens": 3}}},
    ]
    carried = [aws_frame({"bytes": b64encode(json.dumps(one).encode()).decode()}) for one in said]
    named = [aws_frame(held, kind) for one in said for kind, held in one.items()]
    asked = {"messages": [{"role": "user", "content": [{"text": "Late?"}]}], "inferenceConfig": {"maxTokens": 9}}
    for frames in (carried, named):
        data = b"".join(frames) + ending.encode()
        assert talk_of(dumps([streamed_by_bedrock(asked, data)])) == ["Late?", "Not late."]
        cassette = (
            f"interactions:\n- request:\n    body: '{json.dumps(asked)}'\n    method: POST\n    uri: https://b.invalid/m\n"
            f"  response:\n    body:\n      string: !!binary |\n        {b64encode(data).decode()}\nversion: 1\n"
        )
        assert talk_of(cassette.encode()) == ["Late?", "Not late."]


def test_a_streamed_call_and_thoughts_of_converse_are_put_together() -> None:
    said = [
        {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"reasoningContent": {"text": "I look"}}}},
        {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"reasoningContent": {"text": " it up."}}}},
        {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"reasoningContent": {"signature": "seal"}}}},
        {"contentBlockStart": {"contentBlockIndex": 1, "start": {"toolUse": {"toolUseId": "k", "name": "piers"}}}},
        {"contentBlockDelta": {"contentBlockIndex": 1, "delta": {"toolUse": {"input": '{"line"'}}}},
        {"contentBlockDelta": {"contentBlockIndex": 1, "delta": {"toolUse": {"input": ":2}"}}}},
        {"messageStop": {"stopReason": "tool_use"}},
    ]
    data = b"".join(aws_frame(held, kind) for one in said for kind, held in one.items())
    asked = {"messages": [{"role": "user", "content": [{"text": "Late?"}]}]}
    (chat,) = import_bytes(dumps([streamed_by_bedrock(asked, data)])).conversations
    thought, call = chat.messages[1].parts
    assert isinstance(thought, ReasoningPart)
    assert (thought.text, thought.signature) == ("I look it up.", "seal")
    assert isinstance(call, ToolCallPart)
    assert (call.id, call.name, json.loads(call.arguments)) == ("k", "piers", {"line": 2})


def test_what_only_begins_as_an_event_stream_is_no_answer() -> None:
    asked = {"model": "m", "messages": [{"role": "user", "content": "Late?"}]}
    post = {"scope": "https://bedrock.invalid:443", "method": "POST", "path": "/m", "status": 200, "body": asked}
    whole = aws_frame({"delta": {"text": "No."}}, "contentBlockDelta")
    for data in (whole[:30], b"\0\0\0\x20\0\0\0\xff" + b"\0" * 40, whole.replace(b"{", b"["), b"\0" * 16):
        found = import_bytes(dumps([{**post, "responseIsBinary": True, "response": data.hex()}]))
        assert [len(chat.messages) for chat in found.conversations] == [1]
    found = import_bytes(dumps([{**post, "responseIsBinary": True, "response": "no hex"}]))
    assert [len(chat.messages) for chat in found.conversations] == [1]


def test_a_cassette_of_an_answer_of_an_object_a_line_is_no_file_of_json_lines() -> None:
    pieces = [{"model": "m", "message": {"role": "assistant", "content": word}, "done": False} for word in "Not late"]
    ending = {"model": "m", "message": {"role": "assistant", "content": ""}, "done": True, "done_reason": "stop"}
    rows = "".join(f"        {json.dumps(piece)}\n" for piece in [*pieces * 4, ending])
    cassette = (
        f"---\nhttp_interactions:\n- request:\n    uri: http://a.invalid/api/chat\n    body:\n"
        f"      string: '{json.dumps(ASKED)}'\n  response:\n    body:\n"
        f"      string: |\n{rows}recorded_with: VCR 6.2.0\n"
    )
    assert talk_of(cassette.encode(), "a.yml") == ["Is the ferry late?", "Not late" * 4]


@pytest.mark.parametrize("has_history", [True, False])
def test_requests_to_cohere_are_read_with_their_history(has_history: bool) -> None:
    before = [{"role": "USER", "message": "Hello?"}, {"role": "CHATBOT", "message": "Yes?"}]
    body = {"model": "c", "preamble": "Be brief.", "chat_history": before, "message": "Which pier?"}
    after = [*before, {"role": "USER", "message": "Which pier?"}, {"role": "CHATBOT", "message": "Pier 2."}]
    answer = {"response_id": "r", "text": "Pier 2.", **({"chat_history": after} if has_history else {})}
    cassette = (
        "interactions:\n- request:\n"
        f"    body: {json.dumps(json.dumps(body))}\n    method: POST\n    uri: https://models.invalid/v1/chat\n"
        f"  response:\n    body:\n      string: {json.dumps(json.dumps(answer))}\nversion: 1\n"
    )
    found = import_bytes(cassette.encode(), name="test_chat.yaml")
    (chat,) = found.conversations
    texts = ["Be brief.", "Hello?", "Yes?", "Which pier?", "Pier 2."]
    assert (found.format, list(map(text_of, chat.messages))) == ("proxy-log", texts)


def test_cassettes_of_ruby_tag_answers_that_are_no_ascii() -> None:
    packed = b64encode(json.dumps(ANSWERED, ensure_ascii=False).encode()).decode()
    cassette = (
        "---\nhttp_interactions:\n- request:\n    method: post\n    uri: https://models.invalid/v1\n    body:\n"
        f"      encoding: UTF-8\n      string: {json.dumps(json.dumps(ASKED))}\n"
        f"  response:\n    body:\n      encoding: ASCII-8BIT\n      string: !binary |-\n        {packed}\n"
        "recorded_with: VCR 6.3.1\n"
    )
    found = import_bytes(cassette.encode(), name="prompt.yml")
    (chat,) = found.conversations
    assert (found.format, list(map(text_of, chat.messages))) == ("proxy-log", ["Is the ferry late?", "Not late."])
    with pytest.raises(FormatError, match="not YAML"):
        import_bytes(cassette.replace(packed, "abcde").encode(), name="prompt.yml")


@pytest.mark.parametrize("first", ["r1", 1], ids=("text", "number"))
def test_requests_and_answers_in_lines_of_their_own_are_tied_by_their_ids(first: str | int) -> None:
    def side(kind: str, given: str | int, body: Any) -> dict[str, Any]:
        transport = {"url": "https://models.invalid/v1", "method": "POST"} if kind == "request" else {"status": 200}
        return {"type": kind, "requestId": given, **transport, "body": body}

    second = "r2" if first == "r1" else 2
    lines = [
        {"type": "process_start", "argv": ["agent"]},
        side("request", first, {"events": []}),
        side("request", second, ASKED),
        side("response", first, {"ok": True}),
        side("request", "r3", {**ASKED, "messages": [{"role": "user", "content": "And the other?"}]}),
        side("response", second, json.dumps(ANSWERED)),
        side("response", "r0", ANSWERED),
    ]
    found = import_bytes(jsonl(*lines))
    assert found.format == "proxy-log"
    said = [list(map(text_of, chat.messages)) for chat in found.conversations]
    assert said == [["Is the ferry late?", "Not late."], ["And the other?"]]
    assert "Requests that post nothing to a model, left out: 1" in found.warnings
    assert "Non-message lines, not read: 2 (1 process_start, 1 response)" in found.warnings
