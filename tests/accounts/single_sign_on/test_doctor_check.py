"""The doctor's look at the sign-in provider: a real one, one that is down, and one that is another than was set."""

from __future__ import annotations

from dataclasses import replace

import pytest

from budgeteer.accounts.single_sign_on.provider import endpoints_of
from budgeteer.accounts.single_sign_on.refusals import ProviderUnavailable
from budgeteer.accounts.single_sign_on.settings import ProviderSettings
from budgeteer.operations.findings import FindingState
from budgeteer.operations.sign_in_provider import provider as look
from tests.accounts.single_sign_on.conftest import Provider


def test_a_provider_that_answers_is_named_with_who_comes_in(provider: Provider) -> None:
    [finding] = look()
    assert finding.state is FindingState.OK
    assert finding.sentence.startswith(f"{provider.address} signs people in with one of 1 keys")
    assert "harbour.example" in finding.sentence


@pytest.mark.parametrize(
    ("issuer", "said"),
    [("http://localhost:9", "cannot be reached"), ("{address}/nothing", "answers with status 404")],
)
def test_what_is_wrong_is_said(provider: Provider, settings: object, issuer: str, said: str) -> None:
    ours: ProviderSettings = settings.OIDC_PROVIDER  # type: ignore[attr-defined]
    settings.OIDC_PROVIDER = replace(ours, issuer=issuer.format(address=provider.address))  # type: ignore[attr-defined]
    [finding] = look()
    assert finding.state is FindingState.FAILED
    assert said in finding.sentence


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"issuer": "https://other.example"}, "calls itself 'https://other.example'"),
        ({"token_endpoint": ""}, "has no token_endpoint"),
        ({"jwks_uri": "http://keys.example/"}, "is not protected by TLS"),
        ({"id_token_signing_alg_values_supported": ["HS256", "none"]}, "signs tokens with none of"),
    ],
)
def test_a_document_that_cannot_be_used_is_said(told: dict[str, object], said: str) -> None:
    right = {
        "issuer": "https://id.example",
        "authorization_endpoint": "https://id.example/authorize",
        "token_endpoint": "https://id.example/token",
        "jwks_uri": "https://id.example/keys",
        "id_token_signing_alg_values_supported": ["RS256"],
    }
    ours = ProviderSettings(issuer="https://id.example", client_id="x")
    assert endpoints_of(ours, right).algorithms == ("RS256",)
    assert endpoints_of(ours, right | {"issuer": "https://id.example/"}).issuer == "https://id.example/"
    with pytest.raises(ProviderUnavailable, match=said):
        endpoints_of(ours, right | told)


def test_without_a_provider_nothing_is_wrong(team: None) -> None:
    [finding] = look()
    assert finding.state is FindingState.OK
