"""Dates as the dashboard's own pages write them (25 Nov 2026, 21:33); the names are Django's."""

from __future__ import annotations

from typing import Final

DATE_FORMAT: Final = "j M Y"
TIME_FORMAT: Final = "H:i"
DATETIME_FORMAT: Final = "j M Y, H:i"
SHORT_DATE_FORMAT: Final = DATE_FORMAT
SHORT_DATETIME_FORMAT: Final = DATETIME_FORMAT
