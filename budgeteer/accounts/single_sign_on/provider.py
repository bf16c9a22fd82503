"""Talk to an OpenID Connect provider: discovery, the authorization code flow with PKCE, the check of its ID token.

The protocol is Authlib's (BSD), signatures are joserfc's (BSD). What is fixed here: the code flow alone, S256,
signatures by a key of the provider's alone, and a nonce in every token.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import httpx2
from authlib.common.errors import AuthlibBaseError
from authlib.common.security import generate_token
from authlib.common.urls import add_params_to_uri
from authlib.integrations.httpx_client import OAuth2Client
from authlib.oidc.core import CodeIDToken
from authlib.oidc.discovery import get_well_known_url
from joserfc import jwt
from joserfc.errors import (
    BadSignatureError,
    ClaimError,
    ExpiredTokenError,
    InvalidKeyIdError,
    JoseError,
    MissingClaimError,
)
from joserfc.jwk import KeySet
from joserfc.jws import JWSRegistry

from budgeteer.accounts.single_sign_on.pending import PendingSignIn
from budgeteer.accounts.single_sign_on.refusals import ProviderUnavailable, RefusalReason, SignInRefused
from budgeteer.accounts.single_sign_on.settings import ProviderSettings, is_protected

SCOPE: Final = "openid email profile"
SECONDS: Final = 5.0
"""How long one answer may take; a thread of the web process waits for it."""
CLOCKS_SECONDS: Final = 60
"""How far the clocks of the two may be apart."""
DISCOVERY_SECONDS: Final = 3600.0
"""How long a process uses what it read of a provider."""
KEYS_SECONDS: Final = 60.0
"""How soon keys are read anew for a token whose key is not among them."""

ALGORITHMS: Final = (
    "RS256",
    "RS384",
    "RS512",
    "PS256",
    "PS384",
    "PS512",
    "ES256",
    "ES384",
    "ES512",
    "EdDSA",
    "Ed25519",
)
"""Signatures by a private key; one by the client's secret proves nothing about who made it where several know it."""
_USUAL_ALGORITHM: Final = "RS256"

_CLAIM_REASONS: Final = {
    "iss": RefusalReason.WRONG_ISSUER,
    "aud": RefusalReason.WRONG_AUDIENCE,
    "azp": RefusalReason.WRONG_AUDIENCE,
    "nonce": RefusalReason.WRONG_NONCE,
}


@dataclass(frozen=True, slots=True)
class Endpoints:
    """What a provider says of itself.

    Attributes:
        issuer: as it stands in its tokens, with a slash at its end or without.
        end_session: "" where one cannot sign out there.
        userinfo: "" where there is none.
        by_post: whether it takes the client's secret in the body only.
        algorithms: those of ALGORITHMS that it signs with.
        names_issuer: whether its answers have an `iss` (RFC 9207).
    """

    issuer: str
    authorization: str
    token: str
    keys: str
    userinfo: str
    end_session: str
    by_post: bool
    algorithms: tuple[str, ...]
    names_issuer: bool


@dataclass(frozen=True, slots=True)
class ProviderClaims:
    """Who was signed in, as the provider says.

    Attributes:
        issuer, subject: together the one name that stays the same.
        mail: "" where it gave none.
        is_mail_verified: whether it says that the address is theirs.
    """

    issuer: str
    subject: str
    mail: str
    is_mail_verified: bool


@dataclass(slots=True)
class _Remembered:
    """What a process keeps of a provider, and since when (seconds of the monotonic clock)."""

    endpoints: Endpoints
    keys: KeySet
    read_at: float
    keys_at: float


_remembered: dict[str, _Remembered] = {}
_lock = threading.Lock()


def authorization_request(settings: ProviderSettings, *, redirect_uri: str) -> tuple[str, PendingSignIn]:
    """The address that asks the provider to sign somebody in, and what its answer is held against.

    Raises:
        ProviderUnavailable: its discovery document cannot be read.
    """
    pending = PendingSignIn(state=generate_token(43), nonce=generate_token(43), verifier=generate_token(64))
    endpoints = _provider(settings).endpoints
    with _client(settings, endpoints, redirect_uri) as client:
        address, _ = client.create_authorization_url(
            endpoints.authorization, state=pending.state, code_verifier=pending.verifier, nonce=pending.nonce
        )
    return address, pending


def claims_of(
    settings: ProviderSettings, answer: Mapping[str, str], pending: PendingSignIn, *, redirect_uri: str
) -> ProviderClaims:
    """Exchange the code of an answer for an ID token, and check it.

    `answer` are the parameters that the browser came back with; their state was compared already.

    Raises:
        SignInRefused: the provider says no, or its token is not for this sign-in.
        ProviderUnavailable: it cannot be asked.
    """
    if error := answer.get("error", ""):
        denied = error == "access_denied"
        raise SignInRefused(RefusalReason.DENIED if denied else RefusalReason.PROVIDER_ERROR, detail=_code(error))
    provider = _provider(settings)
    sent_by = answer.get("iss", "")
    if (sent_by or provider.endpoints.names_issuer) and sent_by != provider.endpoints.issuer:
        raise SignInRefused(RefusalReason.WRONG_ISSUER)
    with _client(settings, provider.endpoints, redirect_uri) as client:
        token = _fetched_token(client, provider.endpoints, answer.get("code", ""), pending)
        claims = _checked(settings, provider, token, pending)
        if not claims.get("email") and provider.endpoints.userinfo:
            claims = _with_userinfo(client, provider.endpoints, claims)
    mail = claims.get("email")
    return ProviderClaims(
        issuer=provider.endpoints.issuer,
        subject=claims["sub"],
        mail=mail if isinstance(mail, str) else "",
        is_mail_verified=claims.get("email_verified") is True,
    )


def sign_out_address(settings: ProviderSettings, *, return_to: str) -> str:
    """Where one signs out at the provider itself; "" where it has no such address.

    Raises:
        ProviderUnavailable: its discovery document cannot be read.
    """
    address = _provider(settings).endpoints.end_session
    if not address:
        return ""
    asked = [("client_id", settings.client_id), ("post_logout_redirect_uri", return_to)]
    return str(add_params_to_uri(address, asked))


def look_at(settings: ProviderSettings) -> tuple[Endpoints, int]:
    """Read a provider's discovery document and keys now, whatever is remembered: its endpoints, and how many keys.

    Raises:
        ProviderUnavailable: one of both cannot be read, or used.
    """
    read = _read(settings)
    return read.endpoints, len(read.keys.keys)


def endpoints_of(settings: ProviderSettings, document: Mapping[str, Any]) -> Endpoints:
    """What a discovery document says, if it is the set provider's and everything needed stands in it, behind TLS.

    Raises:
        ProviderUnavailable: it cannot be used.
    """
    issuer = _text(document, "issuer")
    if issuer.rstrip("/") != settings.issuer:
        raise ProviderUnavailable(
            f"BUDGETEER_OIDC_ISSUER is {settings.issuer!r}, but the provider there calls itself {issuer!r}"
        )
    needed = {name: _text(document, name) for name in ("authorization_endpoint", "token_endpoint", "jwks_uri")}
    offered = {name: _text(document, name) for name in ("userinfo_endpoint", "end_session_endpoint")}
    for name, address in needed.items():
        if not address:
            raise ProviderUnavailable(f"The discovery document of {issuer} has no {name}")
    for name, address in (needed | offered).items():
        if address and not is_protected(address):
            raise ProviderUnavailable(f"The {name} of {issuer} is {address!r}, which is not protected by TLS")
    signed = document.get("id_token_signing_alg_values_supported") or [_USUAL_ALGORITHM]
    algorithms = tuple(name for name in ALGORITHMS if name in signed)
    if not algorithms:
        raise ProviderUnavailable(f"{issuer} signs tokens with none of {', '.join(ALGORITHMS)}")
    methods = document.get("token_endpoint_auth_methods_supported") or ["client_secret_basic"]
    return Endpoints(
        issuer=issuer,
        authorization=needed["authorization_endpoint"],
        token=needed["token_endpoint"],
        keys=needed["jwks_uri"],
        userinfo=offered["userinfo_endpoint"],
        end_session=offered["end_session_endpoint"],
        by_post="client_secret_basic" not in methods and "client_secret_post" in methods,
        algorithms=algorithms,
        names_issuer=document.get("authorization_response_iss_parameter_supported") is True,
    )


def forget_providers() -> None:
    """Forget what this process has read of providers."""
    with _lock:
        _remembered.clear()


def _provider(settings: ProviderSettings) -> _Remembered:
    with _lock:
        known = _remembered.get(settings.issuer)
    if known is None or time.monotonic() - known.read_at > DISCOVERY_SECONDS:
        known = _read(settings)  # outside of the lock: a provider that hangs holds up no other
        with _lock:
            _remembered[settings.issuer] = known
    return known


def _read(settings: ProviderSettings) -> _Remembered:
    document = _fetched_json(get_well_known_url(settings.issuer, external=True), "discovery document")
    endpoints = endpoints_of(settings, document)
    now = time.monotonic()
    return _Remembered(endpoints, _fetched_keys(endpoints.keys), now, now)


def _client(settings: ProviderSettings, endpoints: Endpoints, redirect_uri: str) -> OAuth2Client:
    how = "client_secret_post" if endpoints.by_post else "client_secret_basic"
    return OAuth2Client(
        client_id=settings.client_id,
        client_secret=settings.client_secret or None,
        token_endpoint_auth_method=how if settings.client_secret else "none",
        scope=SCOPE,
        redirect_uri=redirect_uri,
        code_challenge_method="S256",
        timeout=SECONDS,
    )


def _fetched_token(client: OAuth2Client, endpoints: Endpoints, code: str, pending: PendingSignIn) -> dict[str, Any]:
    try:
        token = client.fetch_token(
            endpoints.token, grant_type="authorization_code", code=code, code_verifier=pending.verifier
        )
    except AuthlibBaseError as error:
        raise SignInRefused(RefusalReason.CODE_REFUSED, detail=_code(str(error.error))) from error
    except (httpx2.HTTPError, ValueError) as error:
        raise ProviderUnavailable(f"The token endpoint {endpoints.token} {_what_happened(error)}") from error
    return dict(token)


def _checked(
    settings: ProviderSettings, provider: _Remembered, token: Mapping[str, Any], pending: PendingSignIn
) -> dict[str, Any]:
    """The claims of the ID token: signed by the provider, for this client and this sign-in, not run out."""
    raw = token.get("id_token")
    if not isinstance(raw, str):
        raise SignInRefused(RefusalReason.UNUSABLE_TOKEN, detail="none")
    endpoints = provider.endpoints
    try:
        decoded = _decoded(raw, provider)
        claims = CodeIDToken(
            decoded.claims,
            decoded.header,
            {
                "iss": {"essential": True, "value": endpoints.issuer},
                "aud": {"essential": True, "value": settings.client_id},
                "sub": {"essential": True, "allow_blank": False},
            },
            {"nonce": pending.nonce, "client_id": settings.client_id, "access_token": token.get("access_token")},
        )
        claims.validate(leeway=CLOCKS_SECONDS)
    except (BadSignatureError, InvalidKeyIdError) as error:
        raise SignInRefused(RefusalReason.FALSE_SIGNATURE) from error
    except ExpiredTokenError as error:
        raise SignInRefused(RefusalReason.EXPIRED) from error
    except ClaimError as error:
        missing = isinstance(error, MissingClaimError)
        reason = _CLAIM_REASONS.get(error.claim, RefusalReason.UNUSABLE_TOKEN)
        raise SignInRefused(reason, detail=f"{error.claim}{' missing' if missing else ''}") from error
    except (JoseError, ValueError) as error:
        raise SignInRefused(RefusalReason.UNUSABLE_TOKEN, detail=type(error).__name__) from error
    if not isinstance(claims["sub"], str):
        raise SignInRefused(RefusalReason.UNUSABLE_TOKEN, detail="sub")
    return dict(claims)


def _decoded(raw: str, provider: _Remembered) -> jwt.Token:
    """The token, with a key of the provider's; keys that it changed meanwhile are read anew, once a minute at most."""
    algorithms = list(provider.endpoints.algorithms)

    def decode() -> jwt.Token:
        registry = JWSRegistry(algorithms=algorithms, strict_check_header=False)
        return jwt.decode(raw, provider.keys, algorithms=algorithms, registry=registry)

    try:
        return decode()
    except (InvalidKeyIdError, BadSignatureError):
        if time.monotonic() - provider.keys_at < KEYS_SECONDS:
            raise
        provider.keys, provider.keys_at = _fetched_keys(provider.endpoints.keys), time.monotonic()
        return decode()


def _with_userinfo(client: OAuth2Client, endpoints: Endpoints, claims: dict[str, Any]) -> dict[str, Any]:
    """The claims, with the mail address of the provider's user information, and what that says of this address."""
    told = _json_of(lambda: client.get(endpoints.userinfo), f"user information at {endpoints.userinfo}")
    if told.get("sub") != claims["sub"]:
        raise SignInRefused(RefusalReason.UNUSABLE_TOKEN, detail="userinfo of another")
    return claims | {name: told.get(name) for name in ("email", "email_verified")}


def _fetched_keys(address: str) -> KeySet:
    try:
        return KeySet.import_key_set(_fetched_json(address, "keys"))  # type: ignore[arg-type]  # joserfc checks its shape
    except (JoseError, ValueError, KeyError, TypeError) as error:
        raise ProviderUnavailable(f"The keys at {address} cannot be used ({type(error).__name__})") from error


def _fetched_json(address: str, what: str) -> dict[str, Any]:
    return _json_of(lambda: httpx2.get(address, timeout=SECONDS), f"{what} at {address}")


def _json_of(fetch: Callable[[], httpx2.Response], what: str) -> dict[str, Any]:
    try:
        answer = fetch()
        answer.raise_for_status()
        document = answer.json()
    except (httpx2.HTTPError, ValueError) as error:
        raise ProviderUnavailable(f"The {what} {_what_happened(error)}") from error
    if not isinstance(document, dict):
        raise ProviderUnavailable(f"The {what} is not a JSON object")
    return document


def _what_happened(error: Exception) -> str:
    match error:
        case httpx2.HTTPStatusError():
            return f"answers with status {error.response.status_code}"
        case httpx2.TimeoutException():
            return f"does not answer within {SECONDS:.0f} s"
        case httpx2.HTTPError():
            return f"cannot be reached ({type(error).__name__})"
        case _:
            return "is not JSON"


def _text(document: Mapping[str, Any], name: str) -> str:
    value = document.get(name)
    return value if isinstance(value, str) else ""


def _code(error: str) -> str:
    """An error code of the provider's as it may stand in a log: letters and underscores, 40 at most."""
    return "".join(letter for letter in error if letter.isascii() and (letter.isalpha() or letter == "_"))[:40]
