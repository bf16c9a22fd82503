"""What a button says: a verb and its object, in every template. Links are named by where they lead."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

TEMPLATES = Path(__file__).parents[2] / "templates"

#: Words that say by themselves, everywhere, what is pressed.
ALONE = frozenset({"Undo", "Redo"})

#: The formats of a chart, behind the word "Download".
FORMATS = frozenset({"SVG", "PNG"})

_BUTTON = re.compile(r"<button\b(?P<head>(?:\{%.*?%\}|\{\{.*?\}\}|[^>])*)>(?P<inside>.*?)</button>", re.DOTALL)
_CHOICE = re.compile(r"\{% if [^%]*%\}((?:(?!\{% (?:if|endif)).)*)\{% endif %\}", re.DOTALL)
_OTHER = re.compile(r"\{% el(?:se|if [^%]*) ?%\}")
_LITERAL = re.compile(r"\{\{[^}]*default:[\"']([^\"']*)[\"'][^}]*\}\}")


def alternatives(text: str) -> Iterator[str]:
    """Each text that conditions without others inside make of one."""
    parts = _CHOICE.split(text)
    choices = [
        [*_OTHER.split(part), *([] if _OTHER.search(part) else [""])] if at % 2 else [part]
        for at, part in enumerate(parts)
    ]
    yield from ("".join(chosen) for chosen in product(*choices))


def said(markup: str) -> str:
    """The words of some markup; a value that is filled in is one word, by its literal default where it has one."""
    markup = re.sub(r"<kbd.*?</kbd>|<svg.*?</svg>|\{%.*?%\}", "", markup, flags=re.DOTALL)
    markup = re.sub(r"\{\{.*?\}\}", "value", _LITERAL.sub(r"\1", markup))
    return " ".join(re.sub(r"<[^>]*>", " ", markup).split())


def words() -> list[tuple[str, str]]:
    """Each button's template and text; its name where it shows only a picture."""
    found = []
    for path in sorted(TEMPLATES.rglob("*.html")):
        if "admin" in path.parts:  # Django's own words
            continue
        for button in _BUTTON.finditer(path.read_text(encoding="utf-8")):
            if 'aria-hidden="true"' in button["head"]:  # it stands in for Enter in a form
                continue
            name = re.search(r'aria-label="((?:\{\{.*?\}\}|\{%.*?%\}|[^"])*)"', button["head"])
            for text in alternatives(button["inside"]):
                shown = said(text) or (said(name[1]) if name else "")
                found.append((f"{path.relative_to(TEMPLATES)}: {shown}", shown))
    return found


def test_buttons_are_found_in_the_templates() -> None:
    assert len(words()) > 120


@pytest.mark.parametrize("text", [text for _, text in words() if text], ids=[place for place, text in words() if text])
def test_a_button_is_a_verb_and_its_object(text: str) -> None:
    assert text[0].isupper() or text.startswith("value")
    assert len(text.split()) > 1 or text in ALONE | FORMATS | {"value"}
