"""Settings of the OpenID Connect provider: plain data, so that reading them loads no client."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

_LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "::1"})


@dataclass(frozen=True, slots=True)
class ProviderSettings:
    """The provider that signs people in, and who may come in by it.

    Attributes:
        issuer: its address, without a slash at the end; its discovery document stands below it.
        client_id: what it knows this dashboard by.
        client_secret: "" for a client that has none; PKCE protects the exchange either way.
        title: what people call it, on the sign-in page.
        domains: domains of mail addresses, in small letters, whose people get an account when they first come.
    """

    issuer: str
    client_id: str
    client_secret: str = field(default="", repr=False)
    title: str = "single sign-on"
    domains: tuple[str, ...] = ()


def is_protected(address: str) -> bool:
    """Whether what is sent to this address cannot be read on the way: by TLS, or because it stays on this machine."""
    parts = urlsplit(address)
    return parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOOPBACK)
