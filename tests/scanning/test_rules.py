"""What the scan finds in a text, and what it leaves alone. Every secret here is made up."""

from __future__ import annotations

import pytest

from budgeteer.scanning.long_rules import KEY_CHARS, long_hits_in
from budgeteer.scanning.rules import ASSIGNED, MAIL, PERSONAL, PHONE, hits_in
from budgeteer.scanning.scan import kinds

#: Put together, so that no scanner of this repository takes them for real.
AWS = "AKIA" + "Q3XAMPLE7ABCDEFG"
GITHUB = "ghp_" + "a1B2" * 9
ANTHROPIC = "sk-ant-" + "api03-" + "x9Y8" * 8
OPENAI = "sk-" + "proj-" + "aB3_x-" * 7 + "q"
OPENAI_WHOLE = "sk-" + "svcacct-" + "aB3_x-9Z" * 9 + "T3Blbk" + "FJ" + "k-_7Yw2Q" * 9
JWT = "eyJhbGciOiJIUzI1NiJ9" + "." + "eyJzdWIiOiIxIn0" + ".c2lnbmF0dXJl"
KEY = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nabcd\n-----END RSA PRIVATE KEY-----"


def found(text: str) -> list[tuple[str, str]]:
    return [(text[hit.start : hit.end], hit.kind) for hit in (*hits_in(text), *long_hits_in(text))]


@pytest.mark.parametrize(
    ("text", "value", "kind"),
    [
        (f"export AWS_ACCESS_KEY_ID={AWS}\n", AWS, "AWS key"),
        (f"git push https://x:{GITHUB}@host/", GITHUB, "GitHub token"),
        (f"key {ANTHROPIC}.", ANTHROPIC, "Anthropic key"),
        (f"key {OPENAI}, as made", OPENAI, "OpenAI key"),
        (f"OPENAI={OPENAI_WHOLE}\n", OPENAI_WHOLE, "OpenAI key"),
        (f"Bearer {JWT}", JWT, "JSON Web Token"),
        (f"{KEY}\nmore", KEY.removeprefix("-----"), "private key"),
        ('password = "tr0ub4dor&3"', "tr0ub4dor&3", ASSIGNED),
        ("const apiKey = 'k2j4h5g6f7d8'", "k2j4h5g6f7d8", ASSIGNED),
        ('İİ PASSWORD: "tr0ub4dor&3"', "tr0ub4dor&3", ASSIGNED),
        ("DB_PASSWORD=tr0ub4dor3\n", "tr0ub4dor3", ASSIGNED),
        ("  3→API_KEY=k1l2m3n4 # mine", "k1l2m3n4", ASSIGNED),
        ("docker run -e PG_PASSWORD=s3cretpw -d harbour", "s3cretpw", ASSIGNED),
        ("write to 'ada@harbour.org', please", "ada@harbour.org", MAIL),
        ("(ada.l+quay@mail.harbour.co.uk).", "ada.l+quay@mail.harbour.co.uk", MAIL),
        ("call +44 20 7946 0958 now", "+44 20 7946 0958", PHONE),
        ("peer 93.184.215.14:443 answered", "93.184.215.14:443", "public IP address"),
    ],
)
def test_a_secret_is_found_with_its_bounds(text, value, kind):
    assert (value, kind) in found(text)
    assert kind in kinds()


def test_every_kind_has_one_rule_and_few_of_them_are_of_persons():
    assert len(set(kinds())) == len(kinds()) > 20
    assert set(kinds()) > PERSONAL


@pytest.mark.parametrize(
    "text",
    [
        "A project's key begins with sk-proj- and a service's with sk-svcacct-.",
        "The AKIA of AWS and the ghp_ of GitHub are prefixes.",
        'password = "short"',
        'password = "{{ secrets.password }}"',
        'password = "must have eight characters"',
        "password = os.environ['DB_PASSWORD']",
        "MAX_TOKENS=4096k TOKEN_LIMIT=twelve SSL_KEY=/etc/ssl/key1.pem PWD=/home/u1/x TOKEN=$X1abcde KEY==a1b2c3d4",
        "@dataclass\n@app.route('/x')\nuser@localhost a@b @ ",
        r'{"text": "import pytest\n\n\n@pytest.mark.parametrize(\r@app.route\t@typing.final"}',
        "someone@example.com, x@test.example.org",
        "a + 1234567890, i+1, +1, 1731234567",
        "version 1.2.3, 127.0.0.1, 10.1.2.3, 192.168.0.1, 0.0.0.0",
        "sha256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "",
    ],
)
def test_what_is_no_secret_is_left_alone(text):
    assert found(text) == []


@pytest.mark.parametrize(
    ("name", "value", "is_secret"),
    [
        # A word that says so, alone, at the end or joined to another, whatever the value reads like.
        ("PASSWORD", "summer2026", True),
        ("DB_PASSWORD", "tr0ub4dor3", True),
        ("DB_PASSWORD_PROD", "summer2026", True),
        ("PGPASSWORD", "s3cretpw", True),
        ("PGPASSWORD", "harbour12", True),
        ("MYSQL_PWD", "s3cretpw", True),
        ("MYSQLPWD", "harbour12", True),
        ("GPG_PASSPHRASE", "harbour12", True),
        ("CLIENT_SECRET", "harbour12", True),
        ("STRIPE_APIKEY", "harbour12", True),
        ("SERVICE_CREDENTIALS", "user1:harbour12", True),
        # A word that also names other things: only a value that does not read as a name.
        ("API_KEY", "k1l2m3n4", True),
        ("AWS_SECRET_ACCESS_KEY", "wJ4lrXUtnF3MI7K8MDENG", True),
        ("ENCRYPTION_KEY", "9f86d081884c7d65", True),
        ("VAULT_TOKEN", "s.9f86d081884c", True),
        ("SSHPASS", "s3cretpw", True),
        ("REDISCLI_AUTH", "s3cretpw", True),
        ("SORT_KEY", "created_at2", False),
        ("PARTITION_KEY", "tenant-id-2", False),
        ("CACHE_KEY", "user:profile:v2", False),
        ("NEXT_TOKEN", "page12", False),
        ("AUTH", "oauth2", False),
        ("BYPASS", "module12", False),
        # No such word: neither where it is a part of another in the middle, nor in the plural of what is counted.
        ("MAX_TOKENS", "4096k1", False),
        ("KEYBOARD", "us-intl2x9", False),
        ("AUTHOR", "ada1815x2", False),
        ("PASSENGERS", "12a34b56", False),
        ("PWD", "home1x2y3", False),
        ("OLDPWD", "home1x2y3", False),
        ("PGPASSFILE", "/home/u1/.pgpass", False),
        ("SSL_KEY", "/etc/ssl/key1.pem", False),
    ],
)
def test_a_variable_is_a_secret_by_its_name_and_in_doubt_by_its_value(name, value, is_secret):
    assert found(f"export {name}={value}\n") == ([(value, ASSIGNED)] if is_secret else [])


FIRST = "-----BEGIN " + "RSA PRIVATE KEY-----"
LINES = ("MIIEowIBAAKCAQEA" + "q+/4" * 12, "Zz19" * 16, "b64A" * 16)


@pytest.mark.parametrize(
    "rest",
    [
        "\n" + "\n".join(LINES),
        "\\n" + "\\n".join(LINES),
        "\\\\n" + "\\\\n".join(LINES),
        "\n".join(["", *(f"     {at}\u2192{line}" for at, line in enumerate(LINES, 2))]),
        "\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,00FF\n\n" + "\n".join(LINES),
        "\n" + "\n".join(LINES) + "\n-----END RSA PRI",
    ],
    ids=["lines", "escaped", "escaped twice", "numbered", "headers", "cut in its end"],
)
def test_a_key_whose_end_is_cut_off_is_found_as_far_as_it_goes(rest):
    [(value, kind)] = found(f'"key": "{FIRST}{rest}", "note": "more of it"')
    assert (value, kind) == (FIRST.removeprefix("-----") + rest, "private key")


def test_a_putty_key_is_found_to_its_last_line():
    key = "PuTTY-User-Key-File-2: ssh-rsa\nEncryption: none\nPublic-Lines: 1\nAAAA\nPrivate-Lines: 1\nBBBB\n"
    assert found(f"{key}Private-MAC: 00ff\nmore") == [(f"{key}Private-MAC: 00ff", "private key")]
    assert found(f"{key}[cut]") == [(key, "private key")]


def test_a_sentence_on_keys_is_no_key_and_a_key_ends_before_the_next():
    assert found("BEGIN RSA PRIVATE KEY is how it starts") == [("BEGIN RSA PRIVATE KEY", "private key")]
    assert [kind for _, kind in found(f"{FIRST}\n{LINES[0]}\n{KEY}")] == ["private key"] * 2
    [(value, _)] = found(FIRST + "A" * 3 * KEY_CHARS)
    assert len(value) == KEY_CHARS
