from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.template import Context, Template

from budgeteer.icons import PATHS
from budgeteer.presentation import labels

TEMPLATES = Path(__file__).parents[1] / "templates"


def drawn(tag: str, **values: str) -> str:
    return Template(f"{{% {tag} %}}").render(Context(values))


@pytest.mark.parametrize(("tag", "css"), [('icon "check"', "i"), ("icon name size", "i s12")])
def test_an_icon_is_one_path_in_the_text_colour(tag: str, css: str) -> None:
    html = drawn(tag, name="check", size="s12")
    assert html.startswith(f'<svg class="{css}" viewBox="0 0 16 16" aria-hidden="true"')
    assert f'<path d="{PATHS["check"]}"/>' in html


def test_every_icon_that_is_asked_for_is_there() -> None:
    asked = {
        name
        for page in TEMPLATES.rglob("*.html")
        for name in re.findall(r'\{% icon "([^"]+)"', page.read_text("utf-8"))
    }
    assert len(asked) > 30
    assert asked | set(labels.FATE_ICONS.values()) <= PATHS.keys()


def test_a_name_from_elsewhere_cannot_add_markup() -> None:
    assert "<b>" not in drawn("icon name size", name="<b>", size='"><b>')
