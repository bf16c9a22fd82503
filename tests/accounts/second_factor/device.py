"""A device that makes passkeys and signs with them, as WebAuthn describes one: for tests without a browser."""

from __future__ import annotations

import hashlib
import json
import secrets
import struct
from base64 import urlsafe_b64encode
from dataclasses import dataclass, field
from typing import Any

import cbor2
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256

PRESENT, VERIFIED, ATTESTED = 0x01, 0x04, 0x40


def text_of(data: bytes) -> str:
    return urlsafe_b64encode(data).decode().rstrip("=")


@dataclass
class Device:
    """One key for one site.

    Attributes:
        origin: the page it believes to be on.
        verifies: whether it asks for a PIN or a finger.
        count: of its uses; 0 for one that does not count.
    """

    origin: str = "http://testserver"
    verifies: bool = True
    count: int = 1
    key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))
    name: bytes = field(default_factory=lambda: secrets.token_bytes(32))
    handle: str = ""

    def makes(self, options: dict[str, Any]) -> str:
        """Its answer to options that ask for a new key."""
        self.handle = options["user"]["id"]
        numbers = self.key.public_key().public_numbers()
        public = {1: 2, 3: -7, -1: 1, -2: numbers.x.to_bytes(32), -3: numbers.y.to_bytes(32)}
        attested = bytes(16) + struct.pack(">H", len(self.name)) + self.name + cbor2.dumps(public)
        data = self._data(options["rp"]["id"], ATTESTED) + attested
        attestation = cbor2.dumps({"fmt": "none", "attStmt": {}, "authData": data})
        client = self._client("webauthn.create", options["challenge"])
        return self._answer({"clientDataJSON": text_of(client), "attestationObject": text_of(attestation)})

    def signs(self, options: dict[str, Any]) -> str:
        """Its answer to options that ask it to sign in."""
        self.count += bool(self.count)
        data = self._data(options["rpId"], 0)
        client = self._client("webauthn.get", options["challenge"])
        signature = self.key.sign(data + hashlib.sha256(client).digest(), ec.ECDSA(SHA256()))
        return self._answer(
            {
                "clientDataJSON": text_of(client),
                "authenticatorData": text_of(data),
                "signature": text_of(signature),
                "userHandle": self.handle,
            }
        )

    def _data(self, site: str, flags: int) -> bytes:
        flags |= PRESENT | (VERIFIED if self.verifies else 0)
        return hashlib.sha256(site.encode()).digest() + struct.pack(">BI", flags, self.count)

    def _client(self, kind: str, challenge: str) -> bytes:
        return json.dumps({"type": kind, "challenge": challenge, "origin": self.origin}).encode()

    def _answer(self, response: dict[str, str]) -> str:
        name = text_of(self.name)
        return json.dumps({"id": name, "rawId": name, "type": "public-key", "response": response})
