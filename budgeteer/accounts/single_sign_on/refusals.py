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
        "This sign-in was not begun in this browser, or more than ten minutes ago.",
        "Begin it again here. Cookies have to be allowed for this site.",
    ),
    RefusalReason.DENIED: (
        "{title} was told not to sign you in here.",
        "Begin again and allow it, or sign in another way.",
    ),
    RefusalReason.PROVIDER_ERROR: (
        "{title} answered with an error.",
        "Try again. If it stays, an administrator finds its name in the log.",
    ),
    RefusalReason.CODE_REFUSED: (
        "{title} did not take back the code that it gave.",
        "Try again. If it stays, an administrator looks at the client's id and secret with `budgeteer doctor`.",
    ),
    RefusalReason.UNUSABLE_TOKEN: (
        "The answer of {title} cannot be read.",
        "Try again. If it stays, an administrator finds the reason in the log.",
    ),
    RefusalReason.FALSE_SIGNATURE: (
        "The answer of {title} is not signed with one of its keys.",
        "Try again. If it stays, tell an administrator.",
    ),
    RefusalReason.WRONG_ISSUER: (
        "The answer comes from another provider than {title}.",
        "Tell an administrator: BUDGETEER_OIDC_ISSUER has to be the issuer that stands in its tokens.",
    ),
    RefusalReason.WRONG_AUDIENCE: (
        "The answer of {title} is meant for another application.",
        "Tell an administrator: BUDGETEER_OIDC_CLIENT_ID has to be this dashboard's own.",
    ),
    RefusalReason.WRONG_NONCE: (
        "The answer of {title} belongs to another sign-in.",
        "Begin again.",
    ),
    RefusalReason.EXPIRED: (
        "The answer of {title} has run out.",
        "Begin again. If it stays, the clock of this server or of {title} is wrong.",
    ),
    RefusalReason.UNVERIFIED_MAIL: (
        "{title} gave no mail address that it has verified, so there is nothing to find your account by.",
        "Verify your address there. Or sign in with your password and connect {title} on the page Single sign-on.",
    ),
    RefusalReason.NOT_INVITED: (
        "There is no account here for your mail address.",
        "Ask an administrator to make one with the mail address that {title} has of you.",
    ),
    RefusalReason.ACCOUNT_IN_USE: (
        "There is an account with your mail address already, and it is not connected to {title}.",
        "Sign in to it as before, then connect it from the menu: Single sign-on.",
    ),
    RefusalReason.SEVERAL_ACCOUNTS: (
        "Several accounts have your mail address.",
        "Sign in to yours with its password, then connect it from the menu: Single sign-on.",
    ),
    RefusalReason.ACCOUNT_CLOSED: (
        "Your account here is closed.",
        "An administrator can open it again.",
    ),
    RefusalReason.CONNECTED_TO_ANOTHER: (
        "Whom {title} signed in is connected to another account here.",
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
