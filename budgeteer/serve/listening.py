"""The listening address: hosts that the mode allows, and a free port."""

from __future__ import annotations

import ipaddress
import socket
from dataclasses import dataclass

from django.conf import settings

from budgeteer.engine.errors import InputError
from budgeteer.serve import DEFAULT_PORT

PORTS_TRIED = 50


@dataclass(frozen=True, slots=True)
class Listening:
    """A host and port that were free a moment ago."""

    host: str
    port: int

    @property
    def address(self) -> str:
        """The dashboard's address for a browser on this computer."""
        return f"http://{_bracketed(self.reachable_host)}:{self.port}"

    @property
    def reachable_host(self) -> str:
        """A host to connect to: the wildcard addresses are reached by the loopback."""
        return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)  # noqa: S104 - compared, not bound

    @classmethod
    def choose(cls, *, host: str, port: int | None) -> Listening:
        """Check the host against the mode and find a port.

        Raises:
            InputError: the host or port cannot be used; says why and what to do.
        """
        if settings.BUDGETEER_MODE == "local" and not _is_loopback(host):
            raise InputError(
                f"{host} is not a loopback address, and local mode serves this computer only",
                where="--host",
                mend="Use 127.0.0.1, or set BUDGETEER_MODE=team for real sign-in",
            )
        if port == 0:
            return cls(host, _free_port(host))
        candidates = [port] if port is not None else range(DEFAULT_PORT, DEFAULT_PORT + PORTS_TRIED)
        for candidate in candidates:
            if _is_free(host, candidate):
                return cls(host, candidate)
        raise InputError(
            f"Port {candidates[0]} of {host} is already in use",
            where="--port",
            mend="Stop what uses it, or choose another one; --port 0 takes any free one",
        )


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _is_free(host: str, port: int) -> bool:
    try:
        with _bound(host, port):
            return True
    except PermissionError:
        raise InputError(
            f"Port {port} needs more rights than this account has", where="--port", mend="Choose one above 1023"
        ) from None
    except OSError as error:
        if isinstance(error, socket.gaierror):
            raise InputError(f"{host} is not an address of this computer", where="--host") from None
        return False


def _free_port(host: str) -> int:
    with _bound(host, 0) as probe:
        port: int = probe.getsockname()[1]
        return port


def _bound(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    probe = socket.socket(family)
    probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        probe.bind((host, port))
    except OSError:
        probe.close()
        raise
    return probe
