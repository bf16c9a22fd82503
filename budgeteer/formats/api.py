"""The import interface for format plug-ins: the only names of Budgeteer they may use (docs/formats.md shows how)."""

from __future__ import annotations

from budgeteer.engine.content.conversation import (
    AudioPart,
    Conversation,
    FilePart,
    ImagePart,
    Message,
    OpaquePart,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from budgeteer.engine.content.library import Chunk, FeatureSpec, Skill, ToolDefinition
from budgeteer.engine.errors import FormatError
from budgeteer.formats.format import Format
from budgeteer.formats.messages.imported import Imported, Skipped
from budgeteer.formats.reading.document import Document

__all__ = [
    "AudioPart",
    "Chunk",
    "Conversation",
    "Document",
    "FeatureSpec",
    "FilePart",
    "Format",
    "FormatError",
    "ImagePart",
    "Imported",
    "Message",
    "OpaquePart",
    "ReasoningPart",
    "Skill",
    "Skipped",
    "TextPart",
    "ToolCallPart",
    "ToolDefinition",
    "ToolResultPart",
]
