"""Check of the provider that signs people in: its discovery document and its keys, read now."""

from __future__ import annotations

from collections.abc import Iterator

from budgeteer.operations.findings import Finding, failed, ok

_MEND = "Compare BUDGETEER_OIDC_ISSUER with what the provider says its issuer is, and see that this machine reaches it"


def provider() -> Iterator[Finding]:
    """Whether its answers can be used; what it would say of the client's id and secret shows at a sign-in only."""
    from budgeteer.accounts.single_sign_on import provider as oidc
    from budgeteer.accounts.single_sign_on.identities import provider_settings
    from budgeteer.accounts.single_sign_on.refusals import ProviderUnavailable

    ours = provider_settings()
    if ours is None:
        yield ok("provider", "No sign-in provider is set.")
        return
    try:
        endpoints, keys = oidc.look_at(ours)
    except ProviderUnavailable as error:
        yield failed("provider", f"{error}.", mend=_MEND)
        return
    who = f"people of {', '.join(ours.domains)} and who is invited" if ours.domains else "who is invited"
    yield ok("provider", f"{endpoints.issuer} signs people in with one of {keys} keys; it lets {who} in.")
