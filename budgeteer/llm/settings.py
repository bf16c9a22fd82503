"""Settings of the language model endpoint: plain data, so that reading them loads no client."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a language model answers.

    Attributes:
        url: the base address of its OpenAI-compatible interface ("https://…/v1").
        model: the name it knows the model by. others: models that are asked in turn where that one gives no answer.
        key: sent as the bearer token; "" where none is wanted.
        timeout_seconds: without a byte, after which one try is given up.
        tries: how often one question is sent at most; between tries as long as a `Retry-After` says, else ever longer.
    """

    url: str
    model: str
    key: str = field(default="", repr=False)
    timeout_seconds: float = 60.0
    tries: int = 3
    others: tuple[str, ...] = ()

    @property
    def patience_seconds(self) -> float:
        """The longest one question may take in all, an endpoint that trickles or asks to wait included."""
        return (self.timeout_seconds + 60.0) * self.tries

    @property
    def models(self) -> tuple[str, ...]:
        """Every model, in the order they are asked."""
        return (self.model, *self.others)
