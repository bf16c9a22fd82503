"""Names of the source kinds, as used in sentences."""

from __future__ import annotations

from budgeteer.formats.messages.imported import Kind

KIND_WORDS: dict[Kind, str] = {
    "conversation": "a conversation",
    "skills": "a skill library",
    "tools": "tool definitions",
    "features": "a feature library",
    "chunks": "retrieval chunks",
    "text": "plain text",
    "usage": "a usage file",
}
