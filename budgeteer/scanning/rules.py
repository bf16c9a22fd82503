"""The rules of the scan: which secrets and personal data are looked for, and by which library's rule.

Secrets: the patterns of detect-secrets (Apache-2.0), of the plugins in `_PLUGINS`. Its entropy plugins are left out
(they name every hash and id of a session), as are those for Cloudant, IBM and SoftLayer, whose patterns matched
nothing but names of tests in real sessions. Nothing is verified over the network. Assigned passwords: the patterns
for quoted values of its keyword plugin, with its heuristics; without quotes, variables of an environment by our own
pattern (`DB_PASSWORD=…`), since the library's takes every assignment of a program for one. Telephone numbers:
phonenumbers (Apache-2.0), written internationally. Addresses of mail: Django's validator, those of reserved domains
(RFC 2606) left out. Keys of three makers of models that the library does not know are patterns of our own, as are
those of OpenAI's projects and services, most of which its pattern misses: it takes neither `_` nor `-` around their
middle. Private keys and JSON Web Tokens are in `long_rules`: they may be longer than the pieces that these rules are
given.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from ipaddress import ip_address
from typing import Final

from budgeteer.scanning.hits import SecretHit

WINDOW_CHARS: Final = 300
"""How far behind a keyword its value may end."""
_MAIL_CHARS: Final = 254
"""The longest address (RFC 5321, 4.5.3.1.3, with its brackets taken off)."""
_PHONE_CHARS: Final = 40
_LEAST_VALUE: Final = 6
"""An assigned value that is shorter is no password worth the name."""

_IP: Final = "public IP address"
_OPENAI: Final = "OpenAI key"
#: module of detect_secrets.plugins, class, what is found.
_PLUGINS: Final = (
    ("artifactory", "ArtifactoryDetector", "Artifactory credentials"),
    ("aws", "AWSKeyDetector", "AWS key"),
    ("azure_storage_key", "AzureStorageKeyDetector", "Azure storage key"),
    ("basic_auth", "BasicAuthDetector", "password in an address"),
    ("discord", "DiscordBotTokenDetector", "Discord bot token"),
    ("github_token", "GitHubTokenDetector", "GitHub token"),
    ("gitlab_token", "GitLabTokenDetector", "GitLab token"),
    ("ip_public", "IPPublicDetector", _IP),
    ("mailchimp", "MailchimpDetector", "Mailchimp key"),
    ("npm", "NpmDetector", "npm token"),
    ("openai", "OpenAIDetector", _OPENAI),
    ("pypi_token", "PypiTokenDetector", "PyPI token"),
    ("sendgrid", "SendGridDetector", "SendGrid key"),
    ("slack", "SlackDetector", "Slack token"),
    ("square_oauth", "SquareOAuthDetector", "Square token"),
    ("stripe", "StripeDetector", "Stripe key"),
    ("telegram_token", "TelegramBotTokenDetector", "Telegram bot token"),
    ("twilio", "TwilioKeyDetector", "Twilio key"),
)
_OWN: Final = (
    (_OPENAI, re.compile(r"\bsk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{20,250}")),
    ("Anthropic key", re.compile(r"\bsk-ant-[A-Za-z0-9_-]{20,200}")),
    ("Google API key", re.compile(r"\bAIza[0-9A-Za-z_-]{35}")),
    ("Hugging Face token", re.compile(r"\bhf_[A-Za-z]{34}\b")),
)
#: A variable of an environment and its value, as in a `.env` file, a shell's command or the output of `env`.
_VARIABLE: Final = re.compile(
    r"(?<![A-Za-z0-9_$.%-])([A-Z][A-Z0-9_]{2,60})=(?!=)([^\s'\"`;,&|()<>{}$\[\]]{6,250})(?=\s|$|['\"`;,&|])"
)
#: How a word of a name ends, the words parted by underscores, that says its value is secret: `PGPASSWORD`, `MYSQL_PWD`.
_SECRET_ENDS: Final = ("PASSWORD", "PASSWD", "PASSPHRASE", "PWD", "SECRET", "APIKEY", "CREDENTIAL", "CREDENTIALS")
#: The same for words that name other things too (`SORT_KEY`, `NEXT_TOKEN`, `BYPASS`): the value decides.
_DOUBTFUL_ENDS: Final = ("KEY", "TOKEN", "PASS", "AUTH")
#: Where a shell is.
_FOLDERS: Final = frozenset(("PWD", "OLDPWD"))
#: What reads as a name: words, and a number at the end (`created_at2`, `oauth2`, `page-12`).
_NAME_LIKE: Final = re.compile(r"[A-Za-z]+([_.:-][A-Za-z]+)*[_.:-]?\d{0,4}")
ASSIGNED: Final = "assigned password or key"
MAIL: Final = "mail address"
PHONE: Final = "telephone number"
PERSONAL: Final = frozenset((MAIL, PHONE, _IP))
"""What says something of a person, or of a machine, and is no secret."""
KINDS: Final = tuple(
    dict.fromkeys((*(kind for _, _, kind in _PLUGINS), *(kind for kind, _ in _OWN), ASSIGNED, MAIL, PHONE))
)
"""Everything that these rules look for, each once."""
_LABELS: Final = {ASSIGNED: "password or key", MAIL: "email address"}

_NO_MAIL: Final = re.compile(r"[^A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]")
_EDGE: Final = ".'"
_ESCAPES: Final = ("\\n", "\\r", "\\t")
_RESERVED: Final = re.compile(r"(^|\.)(example(\.(com|net|org))?|invalid|test|localhost|local)$", re.IGNORECASE)


def label_of(kind: str) -> str:
    """What a page calls a kind; masks, files and the API keep the kind itself."""
    return _LABELS.get(kind, kind)


def hits_in(text: str) -> Iterator[SecretHit]:
    """Everything that the rules find in a text whose lines are of bounded length; hits of two rules may overlap."""
    for kind, pattern, holds in _patterns():
        for match in pattern.finditer(text):
            if match.end() > match.start() and holds(match.group()):
                yield SecretHit(match.start(), match.end(), kind)
    yield from _assigned(text)
    yield from _variables(text)
    yield from _mails(text)
    yield from _phones(text)


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str], Callable[[str], bool]], ...]:
    found: list[tuple[str, re.Pattern[str], Callable[[str], bool]]] = []
    for module, name, kind in _PLUGINS:
        plugin = getattr(import_module(f"detect_secrets.plugins.{module}"), name)()
        holds = _is_public if name == "IPPublicDetector" else getattr(plugin, "is_formally_valid", _always)
        found += [(kind, pattern, holds) for pattern in plugin.denylist]
    return (*found, *((kind, pattern, _always) for kind, pattern in _OWN))


def _always(_value: str) -> bool:
    return True


def _is_public(value: str) -> bool:
    """Whether an address, with or without a port, is one that others can be reached at."""
    try:
        return ip_address(value.partition(":")[0]).is_global
    except ValueError:
        return False


@cache
def _keywords() -> tuple[str, ...]:
    """The library's keywords as plain words: `api_?key` stands for two."""
    from detect_secrets.plugins.keyword import DENYLIST

    words: list[str] = []
    for word in DENYLIST:
        words += [word.replace("_?", "_"), word.replace("_?", "")]
    return tuple(dict.fromkeys(words))


@cache
def _assignments() -> tuple[tuple[re.Pattern[str], int], ...]:
    """The library's patterns that begin with a keyword, with the group of the value."""
    from detect_secrets.plugins import keyword

    quoted = keyword.QUOTES_REQUIRED_DENYLIST_REGEX_TO_GROUP
    return tuple((pattern, group) for pattern, group in quoted.items() if pattern.pattern.startswith("(api_"))


def _assigned(text: str) -> Iterator[SecretHit]:
    lowered = text.lower()
    if len(lowered) != len(text):  # a letter whose small form is two characters: places would not agree
        lowered = "".join(low if len(low := each.lower()) == 1 else each for each in text)
    for word in _keywords():
        for start in _places(lowered, word):
            yield from _value_at(text, start)


def _variables(text: str) -> Iterator[SecretHit]:
    for match in _VARIABLE.finditer(text):
        name, value = match.groups()
        is_mixed = any(each.isdigit() for each in value) and any(each.isalpha() for each in value)
        if is_mixed and _names_a_secret(name, value) and not _is_path(value) and _is_secret(value):
            yield SecretHit(match.start(2), match.end(2), ASSIGNED)


def _names_a_secret(name: str, value: str) -> bool:
    """Whether a variable of this name holds a secret, going by its words and, where they are in doubt, by the value."""
    words = [word for word in name.split("_") if word]
    if name not in _FOLDERS and any(word.endswith(_SECRET_ENDS) for word in words):
        return True
    return any(word.endswith(_DOUBTFUL_ENDS) for word in words) and not _NAME_LIKE.fullmatch(value)


def _is_path(value: str) -> bool:
    """Whether a value names a place instead of being the secret itself: `SSL_KEY=/etc/ssl/key1.pem`."""
    return value.startswith(("/", "./", "../", "~/", "http://", "https://")) or value[1:3] == ":\\"


def _value_at(text: str, start: int) -> Iterator[SecretHit]:
    line_end = text.find("\n", start, start + WINDOW_CHARS)
    end = start + WINDOW_CHARS if line_end < 0 else line_end
    for pattern, group in _assignments():
        match = pattern.match(text, start, end)
        if match and _is_secret(match.group(group)):
            yield SecretHit(match.start(group), match.end(group), ASSIGNED)
            return


def _is_secret(value: str) -> bool:
    from detect_secrets.filters import heuristic

    return not (
        len(value) < _LEAST_VALUE
        or any(each.isspace() for each in value)
        or heuristic.is_sequential_string(value)
        or heuristic.is_templated_secret(value)
        or heuristic.is_prefixed_with_dollar_sign(value)
        or heuristic.is_not_alphanumeric_string(value)
    )


def _mails(text: str) -> Iterator[SecretHit]:
    from django.core.exceptions import ValidationError
    from django.core.validators import validate_email

    for at in _places(text, "@"):
        before = text[max(at - 64, 0) : at]
        cut = max((match.end() for match in _NO_MAIL.finditer(before)), default=0)
        cut += before[cut - 1 : cut + 1] in _ESCAPES  # the `n` of a line break, as JSON and source code write it
        after = text[at + 1 : at + 1 + _MAIL_CHARS]
        end = _NO_MAIL.search(after)
        host = (after[: end.start()] if end else after).rstrip(".-_'")
        address = f"{before[cut:].lstrip(_EDGE)}@{host}"
        if _RESERVED.search(host):
            continue
        try:
            validate_email(address)
        except ValidationError:
            continue
        yield SecretHit(at - len(address) + len(host) + 1, at + 1 + len(host), MAIL)


def _phones(text: str) -> Iterator[SecretHit]:
    from phonenumbers import PhoneNumberMatcher

    for at in _places(text, "+"):
        if not text[at + 1 : at + 2].isdigit():
            continue
        line = text[at : at + _PHONE_CHARS].split("\n", 1)[0]
        for found in PhoneNumberMatcher(line, None):
            if found.start == 0:
                yield SecretHit(at, at + found.end, PHONE)


def _places(text: str, word: str) -> Iterator[int]:
    at = text.find(word)
    while at >= 0:
        yield at
        at = text.find(word, at + len(word))
