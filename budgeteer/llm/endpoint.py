"""One request to an endpoint: time-outs, retries, a dropped connection, and every failure as an error message."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import openai

from budgeteer.llm.settings import Endpoint
from budgeteer.llm.summary import EndpointFailed

WAIT_SECONDS = 0.2
"""How often whoever waits is asked whether to go on waiting."""

_SESSION_GONE = re.compile(
    r"create a new session|session[^.]{0,40}(expired|not found|gone|closed|invalid)", re.IGNORECASE
)
_THOUGHT = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Completion:
    """What came back; `was_cut_off` where the model reached its own limit."""

    text: str
    was_cut_off: bool


class Asker:
    """Asks one endpoint; the client is made when it is first needed, and made anew when its session is gone.

    Args:
        keep_waiting: called several times a second while an answer is awaited; it may raise to stop waiting.

    Attributes:
        model: the one that is asked, at first the endpoint's first.
    """

    def __init__(self, endpoint: Endpoint, *, keep_waiting: Callable[[], None]) -> None:
        self.endpoint = endpoint
        self.model = endpoint.model
        self._keep_waiting = keep_waiting
        self._client: openai.OpenAI | None = None

    def ask(self, messages: Sequence[Mapping[str, str]]) -> Completion:
        """The answer to one question.

        Raises:
            EndpointFailed: there is none.
        """
        try:
            return self._asked(messages)
        except openai.APIStatusError as error:
            if not _SESSION_GONE.search(_said(error)):
                raise EndpointFailed(self._sentence(error)) from error
        except openai.APIError as error:
            raise EndpointFailed(self._sentence(error)) from error
        self.close()
        try:
            return self._asked(messages)
        except openai.APIError as error:
            raise EndpointFailed(self._sentence(error)) from error

    def close(self) -> None:
        """Let go of the connection; the next question makes a new one."""
        client, self._client = self._client, None
        if client is not None:
            client.close()

    def _asked(self, messages: Sequence[Mapping[str, str]]) -> Completion:
        """Ask in a thread of its own, so that whoever waits can stop waiting, whatever the endpoint does."""
        client = self._client = self._client or self._new_client()
        outcome: list[Any] = []
        answered = threading.Event()

        def send() -> None:
            try:
                outcome.append(client.chat.completions.create(model=self.model, messages=list(messages)))  # type: ignore[arg-type]  # plain dicts are what they are on the wire
            except Exception as error:  # noqa: BLE001 - handed to the thread that waits
                outcome.append(error)
            finally:
                answered.set()

        threading.Thread(target=send, name="ask-endpoint", daemon=True).start()
        deadline = time.monotonic() + self.endpoint.patience_seconds
        while not answered.wait(WAIT_SECONDS):
            self._keep_waiting()
            if time.monotonic() > deadline:
                raise EndpointFailed(f"{self._name()} gave no answer within {self.endpoint.patience_seconds:g} s")
        if isinstance(outcome[0], ValueError):  # the client passes on what its JSON reader raises
            raise EndpointFailed(f"{self._name()} gave an answer that cannot be read: {outcome[0]}") from outcome[0]
        if isinstance(outcome[0], Exception):
            raise outcome[0]
        return self._read(outcome[0])

    def _read(self, completion: Any) -> Completion:
        try:
            choice = completion.choices[0]
            text, reason = choice.message.content, choice.finish_reason
        except (AttributeError, IndexError, TypeError):
            what = f"{self._name()} answered with something else than a chat completion"
            raise EndpointFailed(f"{what}; its address must end where /chat/completions begins") from None
        if not isinstance(text, str) or not (plain := _THOUGHT.sub("", text).strip()):
            raise EndpointFailed(f"{self._name()} answered with no text")
        return Completion(plain, was_cut_off=reason == "length")

    def _new_client(self) -> openai.OpenAI:
        return openai.OpenAI(
            base_url=self.endpoint.url,
            api_key=self.endpoint.key or "none",
            timeout=self.endpoint.timeout_seconds,
            max_retries=self.endpoint.tries - 1,
        )

    def _name(self) -> str:
        return f"The endpoint at {self.endpoint.url}"

    def _sentence(self, error: openai.APIError) -> str:
        tries = f" ({self.endpoint.tries} tries)" if self.endpoint.tries > 1 else ""
        match error:
            case openai.APITimeoutError():
                return f"{self._name()} was silent for {self.endpoint.timeout_seconds:g} s{tries}"
            case openai.APIConnectionError():
                return f"{self._name()} cannot be reached{tries}"
            case openai.RateLimitError():
                return f"{self._name()} takes no more requests for now (429){tries}"
            case openai.AuthenticationError() | openai.PermissionDeniedError():
                return f"{self._name()} refused the key ({error.status_code}); set BUDGETEER_LLM_KEY"
            case openai.NotFoundError():
                return f"{self._name()} knows no model {self.model!r}, or nothing answers there (404)"
            case openai.InternalServerError():
                return f"{self._name()} failed ({error.status_code}){tries}"
            case openai.APIStatusError():
                return f"{self._name()} refused the request ({error.status_code}): {_said(error)[:200]}"
        return f"{self._name()} gave an answer that cannot be read"


def _said(error: openai.APIStatusError) -> str:
    return f"{error.message} {error.body if isinstance(error.body, str) else ''}".strip()
