"""The documents that benchmarks write: where they lie, and the part of one that a command replaces."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parent.parent
PERFORMANCE: Final = ROOT / "docs" / "performance.md"


@dataclass(frozen=True, slots=True)
class GeneratedPart:
    """What stands between two markers of a document and is written by one command.

    Attributes:
        document: the file that holds the markers.
        command: what writes the part, as its markers name it: "make bench".
    """

    document: Path
    command: str

    @property
    def start(self) -> str:
        """The marker before it."""
        return f"<!-- {self.command}: start -->"

    @property
    def end(self) -> str:
        """The marker behind it."""
        return f"<!-- {self.command}: end -->"

    def replaced(self, text: str, generated: str) -> str:
        """The document's text with another part.

        Raises:
            ValueError: the text does not hold each marker once, the start first.
        """
        before, found, rest = text.partition(self.start)
        _, ended, after = rest.partition(self.end)
        if not found or not ended or self.start in rest or self.end in after:
            raise ValueError(f"{self.document.name} needs {self.start} and {self.end}, once each and in this order")
        return f"{before}{self.start}\n\n{generated.strip()}\n\n{self.end}{after}"

    def write(self, generated: str) -> None:
        """Write the document with another part.

        Raises:
            ValueError: the document does not hold each marker once, the start first.
        """
        text = self.document.read_text(encoding="utf-8")
        self.document.write_text(self.replaced(text, generated), encoding="utf-8")
