"""What stands in the place of a value that was masked."""

from __future__ import annotations


def mask_of(kind: str) -> str:
    """The mask of a kind of secret or personal data: `[masked: AWS key]`."""
    return f"[masked: {kind}]"
