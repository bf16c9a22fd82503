"""What the format of another package may import, and nothing else of Budgeteer (docs/formats.md shows how)."""

from __future__ import annotations

from budgeteer.engine.chat import (
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
from budgeteer.engine.errors import FormatError
from budgeteer.engine.library import Chunk, FeatureSpec, Skill, ToolDefinition
from budgeteer.formats.document import Document
from budgeteer.formats.format import Format
from budgeteer.formats.report import Imported, Skipped

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
