"""Why a sign-in by the provider came to nothing: a closed set, each with the sentence for the page."""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class RefusalReason(StrEnum):
    """What was wrong; the name stands in the log of security events."""

    BEGUN_ELSEWHERE = "begun elsewhere"
    DENIED = "denied at the provider"
    PROVIDER_ERROR = "error of the provider"
    CODE_REFUSED = "code refused"
    UNUSABLE_TOKEN = "token unusable"  # noqa: S105 - a word for the log
    FALSE_SIGNATURE = "false signature"
    WRONG_ISSUER = "wrong issuer"
    WRONG_AUDIENCE = "wrong audience"
    WRONG_NONCE = "wrong nonce"
    EXPIRED = "expired"
    UNVERIFIED_MAIL = "mail not verified"
    NOT_INVITED = "not invited"
    ACCOUNT_IN_USE = "account in use"
    SEVERAL_ACCOUNTS = "several accounts"
    ACCOUNT_CLOSED = "account closed"
    CONNECTED_TO_ANOTHER = "connected to another account"
    CONNECTED_ALREADY = "connected already"


#: What is said of each, and what to do about it. `{title}` is what people call the provider.
SENTENCES: Final[dict[RefusalReason, tuple[str, str]]] = {
    RefusalReason.BEGUN_ELSEWHERE: (
        "This sign-in was started in another browser, or more than ten minutes ago.",
        "Start again here, and allow cookies for this site.",
    ),
    RefusalReason.DENIED: (
        "Access was denied at {title}.",
        "Start again and allow it, or sign in another way.",
    ),
    RefusalReason.PROVIDER_ERROR: (
        "{title} answered with an error.",
        "Try again. If this continues, an administrator can find the error in the log.",
    ),
    RefusalReason.CODE_REFUSED: (
        "{title} refused the code that it gave.",
        "Try again. If this continues, an administrator can check the client id and secret with `budgeteer doctor`.",
    ),
    RefusalReason.UNUSABLE_TOKEN: (
        "The answer of {title} cannot be read.",
        "Try again. If this continues, an administrator can find the reason in the log.",
    ),
    RefusalReason.FALSE_SIGNATURE: (
        "The answer of {title} is not signed with one of its keys.",
        "Try again. If this continues, tell an administrator.",
    ),
    RefusalReason.WRONG_ISSUER: (
        "The answer comes from another provider than {title}.",
        "Tell an administrator: BUDGETEER_OIDC_ISSUER must be the issuer named in its tokens.",
    ),
    RefusalReason.WRONG_AUDIENCE: (
        "The answer of {title} is meant for another application.",
        "Tell an administrator: BUDGETEER_OIDC_CLIENT_ID must be this dashboard's own.",
    ),
    RefusalReason.WRONG_NONCE: (
        "The answer of {title} belongs to another sign-in.",
        "Start again.",
    ),
    RefusalReason.EXPIRED: (
        "The answer of {title} has expired.",
        "Start again. If this continues, the clock of this server or of {title} is wrong.",
    ),
    RefusalReason.UNVERIFIED_MAIL: (
        "{title} gave no verified email address, so your account cannot be found.",
        "Verify your address there, or sign in with your password and connect {title} on the page Single sign-on.",
    ),
    RefusalReason.NOT_INVITED: (
        "There is no account here with your email address.",
        "Ask an administrator to create one with the address you use at {title}.",
    ),
    RefusalReason.ACCOUNT_IN_USE: (
        "An account with your email address exists already and is not connected to {title}.",
        "Sign in to it as before, then connect it from the menu: Single sign-on.",
    ),
    RefusalReason.SEVERAL_ACCOUNTS: (
        "Several accounts have your email address.",
        "Sign in to yours with its password, then connect it from the menu: Single sign-on.",
    ),
    RefusalReason.ACCOUNT_CLOSED: (
        "Your account here is closed.",
        "An administrator can reopen it.",
    ),
    RefusalReason.CONNECTED_TO_ANOTHER: (
        "The person {title} signed in is connected to another account here.",
        "Disconnect it there first, or sign in at {title} as yourself.",
    ),
    RefusalReason.CONNECTED_ALREADY: (
        "Your account is connected to somebody else at {title}.",
        "Disconnect it first.",
    ),
}
if missing := set(RefusalReason) - set(SENTENCES):
    raise RuntimeError(f"No sentence for {', '.join(sorted(missing))}")


class SignInRefused(Exception):
    """The provider's answer signs nobody in.

    Attributes:
        detail: more for the log: a code of the provider's or the name of an error, no text.
    """

    def __init__(self, reason: RefusalReason, *, detail: str = "") -> None:
        super().__init__(str(reason))
        self.reason = reason
        self.detail = detail


class ProviderUnavailable(Exception):
    """The provider does not answer, or not with what its protocol says; `str` is the sentence for administrators."""
