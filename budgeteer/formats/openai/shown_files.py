"""Files and components that Gradio's chatbot shows in place of words, in pairs and in messages of OpenAI's form.

A file is an object with its `path`, alone, as `file` beside a text for it, or as the `value` of a component. What else
a component shows (a plot, a gallery, buttons) is no words of anybody and is left out.
Source: https://github.com/gradio-app/gradio, `gradio/data_classes.py` (`FileData`), `gradio/components/chatbot.py`
(`FileMessage`, `ComponentMessage`), 2026-11.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from budgeteer.engine.content.conversation import ContentPart, FilePart
from budgeteer.formats.messages.image_sizes import image_at
from budgeteer.formats.messages.numbering import Notes, text_value
from budgeteer.formats.messages.objects import OBJECT, object_under

_FILE_KEYS: Final = frozenset(
    {"path", "url", "size", "orig_name", "mime_type", "is_stream", "meta", "alt_text", "type"}
)
_MESSAGE_KEYS: Final = frozenset({"file", "alt_text", "type"})
_COMPONENT_KEYS: Final = frozenset({"value", "props", "constructor_args"})
_PICTURE: Final = re.compile(r"\.(?:png|jpe?g|gif|webp|bmp)$", re.IGNORECASE)


def is_shown(item: Any) -> bool:
    """Whether a content is a file or a component."""
    return isinstance(item, OBJECT) and (_is_component(item) or bool(_file_in(item)))


def shown_part(item: Any, notes: Notes) -> tuple[ContentPart, ...] | None:
    """What of a content is a file or a component: the file, nothing for any other component; None of anything else."""
    if not is_shown(item):
        return None
    file = _file_in(object_under(item, "value") if _is_component(item) else item)
    if file:
        return (file_at(file["path"], file),)
    notes.count("Components that a chatbot showed, left out", of=item)
    return ()


def file_at(path: str, raw: Mapping[str, Any]) -> ContentPart:
    """A picture by its path, any other file with what is written of it."""
    return image_at(path) if _PICTURE.search(path) else FilePart(raw, path.replace("\\", "/").rpartition("/")[2])


def _file_in(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """The file that an object is, or has under `file`; without the type, which means nothing to a provider."""
    if item.keys() <= _MESSAGE_KEYS:
        item = object_under(item, "file")
    is_file = item.keys() <= _FILE_KEYS and text_value(item.get("path"))
    return {key: value for key, value in item.items() if key != "type"} if is_file else {}


def _is_component(item: Mapping[str, Any]) -> bool:
    named = isinstance(item.get("component"), str) and item.get("type", "component") == "component"
    return named and not _COMPONENT_KEYS.isdisjoint(item)
