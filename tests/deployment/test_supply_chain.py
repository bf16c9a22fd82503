"""The audit of what production installs, held against a vulnerability service of our own, and the bill of materials."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from detect_secrets.core.scan import scan_file
from detect_secrets.settings import transient_settings

from tests.deployment.installed import ROOT
from tests.deployment.test_requirements import blocks

#: As osv.dev answers where it knows something.
KNOWN = {
    "id": "PYSEC-2026-1",
    "summary": "A made-up flaw.",
    "affected": [
        {
            "package": {"name": "redis", "ecosystem": "PyPI"},
            "ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "99.0"}]}],
        }
    ],
}


@contextmanager
def vulnerability_service(flawed: str | None) -> Iterator[tuple[str, list[str]]]:
    """Its address, and the names it was asked for; it knows a flaw of one package, or of none."""
    asked: list[str] = []

    class Answers(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            query: dict[str, Any] = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            name = query["package"]["name"]
            asked.append(name)
            body = json.dumps({"vulns": [KNOWN]} if name == flawed else {}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    serving = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    serving.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1/query", asked
    finally:
        server.shutdown()
        serving.join()
        server.server_close()


def audit(address: str) -> subprocess.CompletedProcess[str]:
    command = [str(ROOT / "scripts" / "audit.sh"), "--vulnerability-service", "osv", "--osv-url", address]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_known_flaw_of_what_production_installs_ends_the_audit_with_its_name() -> None:
    with vulnerability_service("redis") as (address, asked):
        done = audit(address)
    assert done.returncode == 1, done.stderr
    assert "PYSEC-2026-1" in done.stdout
    assert "redis" in done.stdout
    here = {name for name, (_, marker, _) in blocks().items() if marker is None}
    assert here <= set(asked)


def test_an_audit_without_a_finding_is_green_and_one_that_could_not_ask_is_not() -> None:
    with vulnerability_service(None) as (address, _):
        done = audit(address)
        assert done.returncode == 0, done.stderr
    assert audit(address).returncode == 1


def test_the_bill_of_materials_is_valid_and_holds_everything_with_its_hashes() -> None:
    command = [sys.executable, str(ROOT / "scripts" / "write_sbom.py")]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    listed = {one["name"]: one for one in json.loads(text)["components"]}
    required = blocks()
    assert listed.keys() == required.keys()
    for name, (version, marker, hashes) in required.items():
        assert listed[name]["version"] == version
        assert len(listed[name]["hashes"]) == hashes
        assert marker or listed[name]["licenses"], f"the licence of {name} is not named"


#: What a maker of tokens gives a form that nothing else has: no finding by entropy, which test data are full of.
DETECTORS = (
    *("AWSKeyDetector", "ArtifactoryDetector", "AzureStorageKeyDetector", "BasicAuthDetector", "CloudantDetector"),
    *("DiscordBotTokenDetector", "GitHubTokenDetector", "GitLabTokenDetector", "IbmCloudIamDetector"),
    *("JwtTokenDetector", "MailchimpDetector", "NpmDetector", "OpenAIDetector", "PrivateKeyDetector"),
    *("PypiTokenDetector", "SendGridDetector", "SlackDetector", "SquareOAuthDetector", "StripeDetector"),
    *("TelegramBotTokenDetector", "TwilioKeyDetector"),
)
#: What stands for a secret in an example or a test: made up, and by path, so that the scan is seen to find them.
MADE_UP = {
    (".env.example", "password"),
    ("budgeteer/env_table.py", "password"),
    ("docs/deployment.md", "password"),
    ("scripts/make_secrets.sh", "%s"),
    ("tests/hostile/uploads.py", "BEGIN PRIVATE KEY"),
    ("tests/scanning/test_rules.py", "BEGIN RSA PRIVATE KEY"),
    ("tests/scanning/test_rules.py", "PuTTY-User-Key-File-2"),
    ("tests/test_settings.py", "hunter2"),
    ("tests/test_settings.py", "secret"),
}


@pytest.mark.slow
def test_no_secret_is_kept_under_version_control() -> None:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    with transient_settings({"plugins_used": [{"name": name} for name in DETECTORS]}):
        found = {
            (path, str(secret.secret_value))
            for path in listed.split("\0")
            if path and ROOT / path != Path(__file__)  # which names what is made up
            for secret in scan_file(str(ROOT / path))
        }
    assert found == MADE_UP
