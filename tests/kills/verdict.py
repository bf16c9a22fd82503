"""What a run of kills comes to."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field


@dataclass
class Verdict:
    """The figures; each list names what it counts, and all of them are to be empty.

    Attributes:
        lost: answered for, and not there.
        doubled: there or done more often than asked.
        stuck: neither finished nor making progress after `SETTLE_SECONDS`.
        failed: jobs that ended otherwise than asked, and answers that were errors.
        half_written: sources and reports that are there in part.
        wrong_totals: numbers that differ from those of a calm run over the same bytes.
        checked: how much was looked at.
    """

    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    stuck: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    half_written: list[str] = field(default_factory=list)
    wrong_totals: list[str] = field(default_factory=list)
    checked: dict[str, int] = field(default_factory=dict)

    @property
    def is_clean(self) -> bool:
        return not any(value for name, value in asdict(self).items() if name != "checked")
