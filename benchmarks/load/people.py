"""What one person does in the dashboard, for locust: `python -m benchmarks.load` starts it.

Each signs in to an account of their own, opens a sample, and then works as a prompt engineer does: moves a slider with
drafts on the way and saves where it is let go, looks at other views and items, and now and then uploads a session. The
requests are those that the page's script sends, with the whole form. Needs locust and the standard library only.

When each request was sent, for what, and what it took is written to the file that `LOAD_REQUESTS` names.
"""

from __future__ import annotations

import json
import os
import random
import re
import time
import uuid
from collections import deque
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from locust import FastHttpUser, between, events, task
from locust.exception import StopUser

ACCOUNTS = deque(json.loads(os.environ["LOAD_ACCOUNTS"]))
PASSWORD = os.environ["LOAD_PASSWORD"]
REQUESTS = Path(os.environ["LOAD_REQUESTS"]).open("w")  # noqa: SIM115  # closed when locust ends
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
SAMPLE = "agent-session"
#: The slider: what the sample's strategy may send of its history, in tokens.
SLIDER = "config.history.maxTokens"
LEAST, MOST = 5_000, 120_000
DRAFTS = 3
SECONDS_BETWEEN_DRAFTS = 0.1
VIEWS = ("messages", "timeline", "sweep", "prompt", "config")
READY_SECONDS = 120.0
TURNS_UPLOADED = 150


@events.request.add_listener  # type: ignore[untyped-decorator]
def write_down(name: str, response_time: float, **_more: object) -> None:
    """One line for a request that was answered: the time (seconds since 1970), milliseconds, what for."""
    REQUESTS.write(f"{time.time():.3f} {response_time:.0f} {name}\n")


@events.quitting.add_listener  # type: ignore[untyped-decorator]
def end_writing(**_more: object) -> None:
    """Write what is left of the lines."""
    REQUESTS.close()


class FormFields(HTMLParser):
    """What a browser would send of the form with that id: names and values of its successful controls."""

    def __init__(self, form: str) -> None:
        super().__init__()
        self.fields: list[tuple[str, str]] = []
        self._form = form
        self._inside = False
        self._select = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self._inside = given.get("id") == self._form
        if not self._inside and given.get("form") != self._form:
            return
        if tag == "select":
            self._select = given.get("name", "")
        elif tag == "option" and self._select and "selected" in given:
            self.fields.append((self._select, given.get("value", "")))
        elif tag == "input" and given.get("name"):
            if given.get("type") in ("checkbox", "radio") and "checked" not in given:
                return
            self.fields.append((given["name"], given.get("value", "")))

    def handle_endtag(self, tag: str) -> None:
        if tag == "select":
            self._select = ""
        elif tag == "form":
            self._inside = False


class Shown:
    """What the page shows, as its script tells it: the rows of its result, and the groups of settings that are drawn.

    An answer leaves out the rows that the page has, and draws the groups that the page draws.
    """

    def __init__(self, page: str) -> None:
        opened = re.findall(r'<details[^>]*\bdata-group="(\w+)"([^>]*)>(.*?)</details>', page, re.DOTALL)
        self._drawn = " ".join(key for key, _, inside in opened if "data-settings=" not in inside)
        self._open = " ".join(key for key, attributes, _ in opened if re.search(r"\bopen\b", attributes))
        self._rows: list[str] = []
        self.take(page)

    def take(self, answer: str) -> None:
        """The result region was swapped for that of the answer."""
        self._rows = re.findall(r'<(?:tr|li) id="(k[\w-]+)"', answer)

    def headers(self) -> dict[str, str]:
        return {"X-Have": " ".join(self._rows), "X-Groups-Drawn": self._drawn, "X-Groups-Open": self._open}


class PromptEngineer(FastHttpUser):  # type: ignore[misc]  # locust is not in this environment
    """One person, who pauses one to five seconds between two things."""

    wait_time = between(1, 5)
    workspace: str
    fields: list[tuple[str, str]]
    items: list[str]
    shown: Shown
    dice: random.Random

    def on_start(self) -> None:
        """Sign in and open the sample, until it is packed."""
        self.dice = random.Random(self.environment.runner.user_count if self.environment.runner else 0)
        try:
            account = ACCOUNTS.popleft()
        except IndexError:
            raise StopUser from None
        self.client.get("/sign-in/", name="sign in")
        fields = {"username": account, "password": PASSWORD, "csrfmiddlewaretoken": self._cookie()}
        self._post("/sign-in/", fields, name="sign in")
        answer = self._post(f"/samples/{SAMPLE}/", self._token(), name="open a sample")
        self.workspace = answer.url
        self._read_page()

    @task(10)  # type: ignore[untyped-decorator]
    def move_the_slider(self) -> None:
        """Three drafts while it moves, and one change that is saved where it stops."""
        for _ in range(DRAFTS):
            self._send("slider: while it moves", value=self.dice.randint(LEAST, MOST), draft="1")
            time.sleep(SECONDS_BETWEEN_DRAFTS)
        self._send("slider: let go (saved)", value=self.dice.randint(LEAST, MOST))

    @task(4)  # type: ignore[untyped-decorator]
    def look_at_another_view(self) -> None:
        view = self.dice.choice(VIEWS)
        headers = self._partial("result") | {"X-Have": self.shown.headers()["X-Have"]}
        self.client.get(f"{self.workspace}?view={view}", headers=headers, name="another view")

    @task(4)  # type: ignore[untyped-decorator]
    def select_an_item(self) -> None:
        if self.items:
            item = self.dice.choice(self.items)
            self.client.get(f"{self.workspace}?sel={item}", headers=self._partial("inspector"), name="select an item")

    @task(1)  # type: ignore[untyped-decorator]
    def look_at_lists(self) -> None:
        self.client.get("/w/", name="list")
        self.client.get("/sources/", name="list")

    @task(1)  # type: ignore[untyped-decorator]
    def upload_a_session(self) -> None:
        """A session of 600 messages, unlike any other, watched until it is counted."""
        name = f"session-{uuid.uuid4().hex[:12]}.json"
        files = {"files": (name, _session(self.dice), "application/json")}
        answer = self.client.post("/open/", data=self._token(), files=files, headers=self._headers(), name="upload")
        begun = time.monotonic()
        while time.monotonic() - begun < READY_SECONDS:
            page = self.client.get(answer.url, name="page of a workspace")
            if _is_packed(page.text):
                return
            time.sleep(2)

    def _send(self, name: str, **changed: Any) -> None:
        value = str(changed.pop("value"))
        fields = [(key, value if key == SLIDER else given) for key, given in self.fields]
        fields += [("touched", SLIDER), *((key, str(given)) for key, given in changed.items())]
        headers = self._partial("result") | self.shown.headers()
        with self.client.post(
            f"{self.workspace}config/", data=urlencode(fields), headers=headers | FORM, name=name, catch_response=True
        ) as answer:
            if answer.status_code == 200 and 'id="tab-map"' not in answer.text:
                answer.failure("the answer holds no result")
            self.shown.take(answer.text or "")
            if mark := re.search(r'id="form-mark" name="mark" value="([^"]*)"', answer.text or ""):
                self.fields = [(key, mark[1] if key == "mark" else given) for key, given in self.fields]

    def _read_page(self) -> None:
        begun = time.monotonic()
        while time.monotonic() - begun < READY_SECONDS:
            page = self.client.get(self.workspace, name="page of a workspace").text
            found = FormFields("config-form")
            found.feed(page)
            if _is_packed(page) and any(name == SLIDER for name, _ in found.fields):
                self.fields, self.shown = found.fields, Shown(page)
                self.items = re.findall(r'href="\?sel=(message%3A[0-9a-f-]+)"', page)
                return
            time.sleep(1)
        raise StopUser

    def _post(self, path: str, fields: dict[str, str], *, name: str) -> Any:
        return self.client.post(path, data=urlencode(fields), headers=self._headers() | FORM, name=name)

    def _token(self) -> dict[str, str]:
        """The hidden token of any form."""
        found = re.search(r'"X-CSRFToken": "(\w+)"', self.client.get("/help/", name="help").text)
        return {"csrfmiddlewaretoken": found[1] if found else ""}

    def _cookie(self) -> str:
        return next((cookie.value or "" for cookie in self.client.cookiejar if "csrf" in cookie.name), "")

    def _headers(self) -> dict[str, str]:
        return {"Referer": f"{self.host}/"}

    def _partial(self, target: str) -> dict[str, str]:
        return self._headers() | {"HX-Request": "true", "HX-Target": target, "HX-Current-URL": self.workspace}


def _is_packed(page: str) -> bool:
    """Whether a workspace's page shows its result, and not what is still being worked on."""
    return 'id="config-form"' in page and 'class="waiting"' not in page


def _session(dice: random.Random) -> bytes:
    messages: list[dict[str, object]] = []
    for turn in range(TURNS_UPLOADED):
        call = {
            "id": f"call_{turn}",
            "type": "function",
            "function": {"name": "look", "arguments": f'{{"at": {turn}}}'},
        }
        messages += [
            {"role": "user", "content": f"Turn {turn}: {_words(dice, 20)}"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"call_{turn}", "content": _words(dice, 120)},
            {"role": "assistant", "content": _words(dice, 40)},
        ]
    return json.dumps({"model": "gpt-4o", "messages": messages}).encode()


def _words(dice: random.Random, count: int) -> str:
    return " ".join(f"{dice.choice('abcdefgh')}{dice.randint(10, 99_999)}" for _ in range(count))
