"""Answers that no device gives: whatever is changed in a right one, it is taken or refused in a sentence."""

from __future__ import annotations

import json
import random
from base64 import urlsafe_b64decode
from typing import Any

import cbor2
import pytest
from django.contrib.auth.models import User

from budgeteer.accounts.models import Passkey
from budgeteer.accounts.second_factor import challenges, passkeys
from budgeteer.accounts.second_factor.passkeys import PasskeyRefused, WebSite
from tests import people
from tests.accounts.second_factor.device import Device, text_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("team")]

SITE = WebSite("testserver", "http://testserver")
VALUES = [None, 1, -1, 2**70, 1.5, True, [], {}, "", "A", "AAAA", "\0", "é", [1], {"a": 1}, "x" * 5000, "\ud800"]
STATEMENTS: list[Any] = [
    {},
    {"alg": -7, "sig": b"x"},
    {"alg": "x", "sig": 1},
    {"alg": -7, "sig": b"x", "x5c": [b"no certificate"]},
    {"ver": "2.0", "alg": -7, "x5c": [b"j"], "sig": b"s", "certInfo": b"c", "pubArea": b"p"},
    {"ver": "1", "response": b"a.b.c"},
    {"ver": "1", "response": "a.b.c"},
    {"x5c": []},
    [b"x"],
    None,
]
FORMATS = ["packed", "tpm", "android-key", "android-safetynet", "fido-u2f", "apple", "none", "unheard of", 5, None]
KEY_PARTS = [None, 1, -7, -257, -8, -65535, b"x" * 32, b"", 2**80, "s"]
BEFORE_THE_KEY = 37 + 16 + 2 + 32
"""Bytes of a new key's data before its public key: head, device, length of the name, name (WebAuthn, 6.1)."""


@pytest.fixture
def ada() -> User:
    return people.editor("ada")


def changed(answer: str, dice: random.Random) -> str:
    """The answer with one thing of it changed: a member, bytes of a part, what browser or device say."""
    data = json.loads(answer)
    response = data["response"]
    ways = [_member, _bytes, _client, *([_attestation] * 2 if "attestationObject" in response else [])]
    dice.choice(ways)(data, dice)
    return json.dumps(data)


def _member(data: dict[str, Any], dice: random.Random) -> None:
    where = data if dice.random() < 0.5 else data["response"]
    key = dice.choice(list(where))
    where[key] = dice.choice(VALUES)
    if dice.random() < 0.2:
        del where[key]


def _bytes(data: dict[str, Any], dice: random.Random) -> None:
    key = dice.choice([key for key in data["response"] if key != "userHandle"])
    raw = bytearray(_read(data["response"][key]))
    for _ in range(dice.randrange(1, 6)):
        at = dice.randrange(len(raw) + 1)
        raw[at : at + dice.randrange(30)] = dice.randbytes(dice.randrange(20))
    data["response"][key] = text_of(bytes(raw))


def _client(data: dict[str, Any], dice: random.Random) -> None:
    said: Any = json.loads(_read(data["response"]["clientDataJSON"]))
    said[dice.choice([*said, "tokenBinding", "crossOrigin"])] = dice.choice(VALUES)
    said = said if dice.random() < 0.8 else dice.choice(VALUES)
    data["response"]["clientDataJSON"] = text_of(json.dumps(said).encode())


def _attestation(data: dict[str, Any], dice: random.Random) -> None:
    made: Any = cbor2.loads(_read(data["response"]["attestationObject"]))
    match dice.randrange(4):
        case 0:
            made |= {"fmt": dice.choice(FORMATS), "attStmt": dice.choice(STATEMENTS)}
        case 1:
            made[dice.choice(list(made))] = dice.choice(STATEMENTS)
        case 2:
            made["authData"] = made["authData"][: dice.randrange(len(made["authData"]))]
        case _:
            key = {dice.choice([1, 3, -1, -2, -3]): dice.choice(KEY_PARTS) for _ in range(5)}
            made["authData"] = made["authData"][:BEFORE_THE_KEY] + cbor2.dumps(key)
    data["response"]["attestationObject"] = text_of(cbor2.dumps(made))


def _read(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


@pytest.mark.parametrize("seed", range(4))
def test_an_answer_that_makes_a_key_is_taken_or_refused(ada: User, seed: int) -> None:
    refused = 0
    for number in range(150):
        dice = random.Random(f"{seed}/{number}")
        challenge = challenges.new_challenge(ada.pk)
        answer = Device().makes(json.loads(passkeys.creation_options(ada, challenge.signed, SITE)))
        try:
            passkeys.add(ada, changed(answer, dice), challenge=challenge, site=SITE, name="x").delete()
        except PasskeyRefused:
            refused += 1
    assert refused > 50


@pytest.mark.parametrize("seed", range(2))
def test_an_answer_that_signs_in_is_taken_or_refused(ada: User, seed: int) -> None:
    device, made = Device(), challenges.new_challenge(ada.pk)
    answer = device.makes(json.loads(passkeys.creation_options(ada, made.signed, SITE)))
    passkeys.add(ada, answer, challenge=made, site=SITE, name="x")
    refused = 0
    for number in range(150):
        dice = random.Random(f"{seed}/{number}")
        challenge = challenges.new_challenge(None)
        answer = device.signs(json.loads(passkeys.sign_in_options(None, challenge.signed, SITE)))
        try:
            assert passkeys.account_of(changed(answer, dice), challenge=challenge, site=SITE) == ada
        except PasskeyRefused:
            refused += 1
    assert refused > 50
    assert Passkey.objects.count() == 1
