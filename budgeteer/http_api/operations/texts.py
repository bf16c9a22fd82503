"""Texts of bodies that are stored: no NUL, which a database cannot hold."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator

from budgeteer.access.problems import ApiProblem, ProblemKind


def _without_nul(text: str) -> str:
    if "\0" in text:
        raise ValueError("it holds a NUL character, which no text can")
    return text


def _on_one_line(text: str) -> str:
    return " ".join(_without_nul(text).split())


#: A text of any number of lines.
type Text = Annotated[str, AfterValidator(_without_nul)]
#: A name or title; runs of white space become a space.
type Line = Annotated[str, AfterValidator(_on_one_line)]


def check_storable(data: Mapping[str, Any], *, where: str) -> None:
    """Refuse data with a NUL in a text of it.

    Raises:
        ApiProblem: it has one.
    """
    if "\\u0000" in json.dumps(data).replace("\\\\", ""):
        raise ApiProblem(ProblemKind.INVALID, "a text in it holds a NUL character", where=where, hint="Take it out")
