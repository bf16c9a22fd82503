"""How many large bodies of one sender are read at the same time."""

from __future__ import annotations

import asyncio

import pytest

from budgeteer.serve.body_turns import NoTurn, Turns
from budgeteer.serve.client_pace import Body, Message, Pace, TooSlow
from tests.serve.coroutines import run


def test_one_sender_has_so_many_turns_and_others_have_their_own() -> None:
    async def attack() -> None:
        turns = Turns(at_once=2, wait_seconds=0.01)
        async with turns.of("ada"), turns.of("ada"):
            with pytest.raises(NoTurn):
                async with turns.of("ada"):
                    pass
            async with turns.of("bob"):
                pass
        async with turns.of("ada"), turns.of("ada"):
            pass

    run(attack())


def test_a_sender_who_waits_gets_the_turn_that_becomes_free() -> None:
    async def upload() -> list[str]:
        turns = Turns(at_once=1)
        order: list[str] = []

        async def send(name: str) -> None:
            async with turns.of("ada"):
                order.append(f"{name} begins")
                await asyncio.sleep(0)
                order.append(f"{name} ends")

        await asyncio.gather(send("first"), send("second"))
        return order

    assert run(upload()) == ["first begins", "first ends", "second begins", "second ends"]


def test_a_body_that_keeps_the_pace_for_ever_is_given_up_all_the_same() -> None:
    async def receive() -> Message:
        await asyncio.sleep(0)
        return {"type": "http.request", "body": b"x" * 20, "more_body": True}

    async def read() -> None:
        body = Body(receive, Pace(whole_seconds=0.05))
        with body.file:
            await body.read(10**9)

    with pytest.raises(TooSlow):
        run(read())
