"""Write a Gemini generateContent request: turns of the user and the model, made of parts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from budgeteer.engine.content.conversation import (
    AudioPart,
    FilePart,
    ImagePart,
    Message,
    OpaquePart,
    Part,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    call_input,
    calls_of,
    results_of,
)
from budgeteer.engine.content.media import Media, media_of
from budgeteer.engine.content.origin import Origin, as_it_came
from budgeteer.engine.providers.base import RequestContent

_FAMILY: Final = "gemini"
_MEDIA: Final = frozenset({"inlineData", "inline_data", "fileData", "file_data"})
_SEALS: Final = frozenset({"thoughtSignature", "thought_signature"})


def gemini_request(content: RequestContent) -> dict[str, Any]:
    """The request, ready to send: model, systemInstruction, tools and contents."""
    request: dict[str, Any] = {"model": f"models/{content.model}"}
    system = content.system_parts
    if system:
        said: dict[str, Any] = {"parts": [_part(part) for part in system]}
        request["systemInstruction"] = as_it_came(said, content.system[0].origin, _FAMILY)
    declared = [tool for tool in content.tools if "name" in tool]
    own = [tool for tool in content.tools if "name" not in tool]
    if content.tools:
        request["tools"] = [*([{"functionDeclarations": declared}] if declared else []), *own]
    request["contents"] = gemini_contents(content.messages)
    return request


def gemini_contents(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """The messages as turns: neighbours of one role joined, responses in the order of their calls."""
    writer = _Writer()
    for message in messages:
        writer.add(message)
    return writer.finish()


class _Writer:
    """Turns being written; a thought's signature waits for the part it belongs to, a response for its place."""

    def __init__(self) -> None:
        self.turns: list[dict[str, Any]] = []
        self.roles: list[str] = []
        self.origin: Origin | None = None
        self.signature = ""
        self.order: list[str] = []
        self.names: dict[str, str] = {}
        self.responses: dict[str, dict[str, Any]] = {}

    def add(self, message: Message) -> None:
        for result in results_of(message):
            self.origin = message.origin
            self.responses[result.call_id] = _response(result, self.names[result.call_id])
            return
        self._flush()
        self.origin = message.origin
        self.names |= {call.id: call.name for call in calls_of(message)}
        role = "model" if message.role == "assistant" else "user"
        for part in message.parts:
            self._write(role, part)
        self.order = [call.id for call in calls_of(message)]

    def finish(self) -> list[dict[str, Any]]:
        self._flush()
        return self.turns

    def _flush(self) -> None:
        """Write the responses that came in, in the order of their calls."""
        for call_id in self.order if self.responses else ():
            self._put("user", self.responses[call_id])
        self.responses = {}

    def _write(self, role: str, part: Part) -> None:
        if isinstance(part, ReasoningPart):
            self._seal_thought()
            if part.text:
                self._put(role, {"text": part.text, "thought": True})
            self.signature = part.signature
            return
        sealed = {"thoughtSignature": self.signature} if self.signature else {}
        self.signature = ""
        self._put(role, {**_part(part), **sealed})

    def _seal_thought(self) -> None:
        """A signature that the next thought finds still waiting stays with its own thought."""
        if self.signature:
            last = self.turns[-1]["parts"][-1] if self.turns else {}
            if not last.get("thought") or "thoughtSignature" in last:
                last = {"text": "", "thought": True}
                self._put("model", last)
            last["thoughtSignature"] = self.signature

    def _put(self, role: str, part: dict[str, Any]) -> None:
        if self.roles and self.roles[-1] == role:
            self.turns[-1]["parts"].append(part)
        else:
            self.roles.append(role)
            self.turns.append(as_it_came({"role": role, "parts": [part]}, self.origin, _FAMILY))


def _part(part: Part) -> dict[str, Any]:
    match part:
        case TextPart(text=text):
            return as_it_came({"text": text}, part.origin, _FAMILY)
        case ToolCallPart():
            call = {"id": part.id, "name": part.name, "args": call_input(part.arguments)}
            return {"functionCall": as_it_came(call, part.origin, _FAMILY)}
        case ImagePart(raw=raw) | FilePart(raw=raw) | AudioPart(raw=raw) if not _MEDIA.isdisjoint(raw):
            return {key: value for key, value in raw.items() if key not in _SEALS}
        case ImagePart(raw=raw) | FilePart(raw=raw) | AudioPart(raw=raw):
            return _media_part(media_of(raw) or Media())
        case OpaquePart(raw=raw):
            return dict(raw)
        case _:
            raise TypeError(f"{type(part).__name__} is written by its turn")


def _media_part(media: Media) -> dict[str, Any]:
    if media.data:
        return {"inlineData": {"mimeType": media.mime, "data": media.data}}
    return {"fileData": {"mimeType": media.mime, "fileUri": media.url}}


def _response(result: ToolResultPart, name: str) -> dict[str, Any]:
    """A result; under "error" when the call failed, pictures beside it."""
    pictures = [_part(part) for part in result.content if not isinstance(part, TextPart)]
    response = _whole(result) or {"error" if result.is_error else "output": _output(result)}
    answer = {"id": result.call_id, "name": name, "response": response, **({"parts": pictures} if pictures else {})}
    return {"functionResponse": as_it_came(answer, result.origin, _FAMILY)}


def _output(result: ToolResultPart) -> str | list[str]:
    texts = [part.text for part in result.content if isinstance(part, TextPart)]
    return texts[0] if len(texts) == 1 else texts or ""


def _whole(result: ToolResultPart) -> Mapping[str, Any] | None:
    """The object that the text of a result is, where it stood as an object in a request of Gemini's."""
    origin = result.origin
    if origin is None or origin.provider != _FAMILY or "output" not in origin.absent:
        return None
    text = _output(result)
    try:
        value = json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, Mapping) else None
