"""The language model's summariser against a real server of its protocol."""

from __future__ import annotations

import socket
import time
from dataclasses import replace

import pytest

from budgeteer.engine.content.conversation import Message, TextPart
from budgeteer.engine.content.written_messages import SUMMARY_LINE
from budgeteer.engine.packing.history.summary import SummaryFailed, SummaryRequest
from budgeteer.llm import conversation_text
from budgeteer.llm.settings import Endpoint
from budgeteer.llm.summarising import ModelSummariser
from budgeteer.llm.summary import AuthoredSummary, EndpointFailed
from tests.llm.model_server import (
    ModelServer,
    Reply,
    fails,
    hangs,
    hangs_up,
    model_server,
    replies_with,
    says,
    trickles,
)

TALK = (
    Message("user", (TextPart("Which crane lifts forty tonnes?"),)),
    Message("assistant", (TextPart("We decided on the blue one."),)),
)
REQUEST = SummaryRequest(TALK, max_chars=600, topic_chars=80)


def endpoint(server: ModelServer, **changed: object) -> Endpoint:
    return replace(Endpoint(server.url, "small-model", key="k-1", timeout_seconds=0.5, tries=1), **changed)  # type: ignore[arg-type]


def write(asked: Endpoint, request: SummaryRequest = REQUEST, **options: object) -> AuthoredSummary:
    with ModelSummariser(asked, **options) as summariser:  # type: ignore[arg-type]
        return summariser.write(request)


def failure(*replies: Reply, **changed: object) -> str:
    with model_server(*replies) as server, pytest.raises(EndpointFailed) as failed:
        write(endpoint(server, **changed))
    return str(failed.value).replace(server.url, "URL")


def test_the_next_model_writes_it_where_one_gives_no_answer() -> None:
    """aider, test_fallback_to_second_model."""
    with model_server(fails(500), says("Topics discussed:\n- cranes")) as server:
        written = write(endpoint(server, others=("large-model",)))
    assert [one.body["model"] for one in server.asked] == ["small-model", "large-model"]
    assert written.writer == "large-model"
    (note,) = written.notes
    assert note.startswith("small-model did not write it: The endpoint at ")
    assert "large-model" in failure(fails(500), fails(404), others=("large-model",))


def test_a_summary_stands_under_the_line_that_says_what_it_is() -> None:
    with model_server(says("Topics discussed:\n- cranes")) as server:
        written = write(endpoint(server))
    (asked,) = server.asked
    assert written.text == f"{SUMMARY_LINE}\n\nTopics discussed:\n- cranes"
    assert (written.writer, written.notes) == ("small-model", ())
    assert (asked.path, asked.headers["authorization"]) == ("/v1/chat/completions", "Bearer k-1")
    assert asked.body["model"] == "small-model"
    assert "[user]\nWhich crane lifts forty tonnes?" in asked.body["messages"][1]["content"]
    assert f"at most {600 - len(SUMMARY_LINE) - 2} characters" in asked.body["messages"][0]["content"]


def test_the_key_is_in_no_representation(capsys: pytest.CaptureFixture[str]) -> None:
    assert "k-1" not in repr(Endpoint("http://x/v1", "m", key="k-1"))


def test_too_many_requests_are_waited_out_as_long_as_the_endpoint_says() -> None:
    with model_server(fails(429, **{"Retry-After": "1"}), says("- later")) as server:
        written = write(endpoint(server, tries=2))
    first, second = server.asked
    assert written.text.endswith("- later")
    assert 0.9 <= second.at - first.at < 3


@pytest.mark.parametrize("status", [500, 502, 503])
def test_a_server_that_fails_is_asked_again(status: int) -> None:
    with model_server(fails(status), says("- again")) as server:
        assert write(endpoint(server, tries=2)).text.endswith("- again")


def test_a_connection_that_breaks_is_made_again() -> None:
    with model_server(hangs_up, says("- again")) as server:
        assert write(endpoint(server, tries=2)).text.endswith("- again")


@pytest.mark.parametrize(
    ("replies", "changed", "sentence"),
    [
        ([fails(429)], {}, "The endpoint at URL takes no more requests for now (429)"),
        ([fails(503)], {"tries": 2}, "The endpoint at URL failed (503) (2 tries)"),
        ([hangs], {}, "The endpoint at URL was silent for 0.5 s"),
        ([fails(401)], {}, "The endpoint at URL refused the key (401); set BUDGETEER_LLM_KEY"),
        ([fails(404)], {}, "The endpoint at URL knows no model 'small-model', or nothing answers there (404)"),
        ([fails(400, "context too long")], {}, "The endpoint at URL refused the request (400): "),
        ([says("")], {}, "The endpoint at URL answered with no text"),
        ([says(None)], {}, "The endpoint at URL answered with no text"),
        ([says("<think>only thoughts</think>")], {}, "The endpoint at URL answered with no text"),
        ([replies_with(200, {"choices": []})], {}, "The endpoint at URL answered with something else than a chat "),
        ([replies_with(200, ["no"])], {}, "The endpoint at URL answered with something else than a chat completion"),
        (
            [lambda handler: handler.answer(200, b"<html>hello</html>", Content_Type="text/html")],
            {},
            "The endpoint at URL answered with something else than a chat completion; its address must end where",
        ),
        ([lambda handler: handler.answer(200, b'{"choices": [')], {}, "The endpoint at URL "),
    ],
)
def test_every_failure_is_a_sentence(replies: list[Reply], changed: dict[str, object], sentence: str) -> None:
    assert failure(*replies, **changed).startswith(sentence)


def test_nobody_there_is_a_sentence() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        nowhere = Endpoint(f"http://127.0.0.1:{closed.getsockname()[1]}/v1", "m", tries=1, timeout_seconds=1)
    with pytest.raises(EndpointFailed, match="cannot be reached"):
        write(nowhere)


def test_a_lost_session_is_asked_once_more_by_a_client_made_anew() -> None:
    lost = fails(400, "Model was closed: please create a new Session")
    with (
        model_server(says("- first"), lost, says("- second")) as server,
        ModelSummariser(endpoint(server)) as summariser,
    ):
        summariser.write(REQUEST)
        assert summariser.write(REQUEST).text.endswith("- second")
    first, refused, repeated = server.asked
    assert first.connection == refused.connection != repeated.connection


def test_a_session_that_stays_lost_is_a_failure_after_one_repetition() -> None:
    with model_server(fails(410, "session expired")) as server, pytest.raises(EndpointFailed, match="session expired"):
        write(endpoint(server))
    assert len(server.asked) == 2


def test_an_answer_that_is_too_long_is_cut_at_a_sentence_and_says_so() -> None:
    with model_server(says("The crane lifts. " * 200, finish_reason="length")) as server:
        written = write(endpoint(server))
    assert len(written.text) <= REQUEST.max_chars
    assert written.text.endswith("The crane lifts.")
    assert written.notes[0] == "The model reached its own limit before it was done."
    assert written.notes[1].startswith("The answer had 3,399 characters; it was cut to fit ")


def test_thoughts_are_no_part_of_a_summary() -> None:
    with model_server(says("<think>hm\nhm</think>\n\n- cranes")) as server:
        assert write(endpoint(server)).text == f"{SUMMARY_LINE}\n\n- cranes"


@pytest.mark.parametrize("reply", [hangs, trickles])
def test_whoever_waits_can_stop_waiting_at_once(reply: Reply) -> None:
    class Enough(Exception):
        pass

    begun = time.monotonic()

    def stop() -> None:
        if time.monotonic() - begun > 0.3:
            raise Enough

    with model_server(reply) as server, pytest.raises(Enough):
        write(endpoint(server, timeout_seconds=20), keep_waiting=stop)
    assert time.monotonic() - begun < 15  # not the endpoint's 20 s


def test_an_endpoint_that_trickles_for_ever_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Endpoint, "patience_seconds", property(lambda self: 0.5))
    assert "gave no answer within 0.5 s" in failure(trickles)


def test_a_long_conversation_is_summarised_piece_by_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conversation_text, "PIECE_CHARS", 400)
    talk = tuple(Message("user", (TextPart(f"Message {n}: " + "words " * 30),)) for n in range(9))
    steps: list[tuple[int, int]] = []
    with model_server(says("- one"), says("- two"), says("- three"), says("- four"), says("- last")) as server:
        request = replace(REQUEST, messages=talk)
        written = write(endpoint(server), request, progress=lambda done, total: steps.append((done, total)))
    told = [asked.body["messages"][1]["content"] for asked in server.asked]
    assert written.text.endswith("- last")
    assert len(told) == 5
    assert "This is your summary" not in told[0]
    assert "- one" in told[1]
    assert [sum(f"Message {n}:" in text for text in told) for n in range(9)] == [1] * 9
    assert steps == [(n, 5) for n in range(1, 6)]


def test_one_long_message_is_cut_and_says_how_much_is_missing() -> None:
    (piece,) = conversation_text.pieces_of([Message("user", (TextPart("word " * 4000),))])
    assert len(piece) < conversation_text.MESSAGE_CHARS + 100
    assert piece.endswith("characters left out]")


def test_nothing_to_say_and_no_room_to_say_it_ask_nobody() -> None:
    with model_server(says("never")) as server:
        for request in (replace(REQUEST, max_chars=90), replace(REQUEST, messages=(Message("user", ()),))):
            with pytest.raises(SummaryFailed):
                write(endpoint(server), request)
    assert server.asked == []
