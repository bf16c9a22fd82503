"""With the network cut off beyond loopback, counting and packing work."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from budgeteer.engine.counting.tokenizers import TOKENIZERS

pytestmark = pytest.mark.conformance

CUT_OFF = """
import sys

def refuse(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "urllib.Request"):
        raise SystemExit(f"the network was asked for: {event} {arguments!r}")

sys.addaudithook(refuse)
"""


def own_network() -> list[str]:
    """The command that gives a process a network of its own without a way out, where the system allows it."""
    unshare = shutil.which("unshare")
    if unshare and subprocess.run([unshare, "-rn", "true"], capture_output=True, check=False).returncode == 0:
        return [unshare, "-rn"]
    return []


@pytest.fixture
def offline(tmp_path: Path) -> dict[str, str]:
    """An environment whose Python refuses every connection and finds no vocabulary already downloaded."""
    site, home = tmp_path / "site", tmp_path / "home"
    for folder in (site, home):
        folder.mkdir()
    (site / "sitecustomize.py").write_text(CUT_OFF, encoding="utf-8")
    cache = tmp_path / "empty-cache"
    cache.mkdir()
    inherited = {key: value for key, value in os.environ.items() if key in ("PATH", "LANG", "SYSTEMROOT")}
    return {**inherited, "PYTHONPATH": str(site), "HOME": str(home), "TIKTOKEN_CACHE_DIR": str(cache)}


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    path = tmp_path / "chat.json"
    path.write_text(json.dumps([{"role": "user", "content": "Bonjour <|endoftext|> 日本語"}]), encoding="utf-8")
    return path


def run(environment: dict[str, str], *arguments: object) -> subprocess.CompletedProcess[str]:
    line = [*own_network(), sys.executable, "-m", "budgeteer.cli", *map(str, arguments)]
    return subprocess.run(line, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.slow
@pytest.mark.parametrize("tokenizer", TOKENIZERS)
def test_counting_works(offline: dict[str, str], chat: Path, tokenizer: str) -> None:
    done = run(offline, "count", chat, "--tokenizer", tokenizer, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["total"]["tokens"] > 0


@pytest.mark.parametrize("model", ["gpt-4o", "gpt-4", "claude-opus-5-5", "gemini-4-argon", "gemma-270m"])
def test_packing_works(offline: dict[str, str], chat: Path, model: str) -> None:
    done = run(offline, "pack", "--conversation", chat, "--model", model, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["fits"]


def test_the_cut_is_real(offline: dict[str, str]) -> None:
    code = "import socket; socket.create_connection(('127.0.0.1', 9))"
    done = subprocess.run([sys.executable, "-c", code], env=offline, capture_output=True, text=True, check=False)
    assert "the network was asked for" in done.stderr
