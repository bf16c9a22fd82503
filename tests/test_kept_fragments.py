"""The template tag that renders what a value prints once."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from django.template import Context, Template, TemplateSyntaxError

from budgeteer.kept_fragments import MOST


@dataclass(frozen=True)
class Item:
    name: str


def test_a_stretch_is_rendered_with_its_value_and_escaped_as_elsewhere() -> None:
    template = Template("{% for item in items %}{% kept item %}<b>{{ item.name }}</b>{% endkept %}{% endfor %}")
    items = [Item("a"), Item("<i>"), Item("a")]
    assert template.render(Context({"items": items})) == "<b>a</b><b>&lt;i&gt;</b><b>a</b>"


def test_an_equal_value_is_not_rendered_again() -> None:
    read = []

    class Counted(Item):
        @property
        def shown(self) -> str:
            read.append(self.name)
            return self.name

    template = Template("{% kept item %}{{ item.shown }}{% endkept %}")
    answers = [template.render(Context({"item": Counted(name)})) for name in ("once", "other", "once")]
    assert (answers, read) == (["once", "other", "once"], ["once", "other"])


def test_two_stretches_of_equal_values_are_kept_apart() -> None:
    context = Context({"item": Item("a")})
    template = Template("{% kept item %}1{{ item.name }}{% endkept %}{% kept item %}2{{ item.name }}{% endkept %}")
    assert template.render(context) == "1a2a"
    assert Template("{% kept item %}3{{ item.name }}{% endkept %}").render(context) == "3a"


def test_no_other_variable_can_be_read() -> None:
    template = Template("{% kept item %}{{ item.name }}{{ reader }}{% endkept %}{{ reader }}")
    answers = [template.render(Context({"item": Item("a"), "reader": reader})) for reader in ("one", "two")]
    assert answers == ["aone", "atwo"]


def test_what_was_used_longest_ago_is_forgotten() -> None:
    template = Template("{% kept item %}{{ item.name }}{% endkept %}")
    names = [f"n{number}" for number in range(MOST + 10)]
    assert [template.render(Context({"item": Item(name)})) for name in names] == names


@pytest.mark.parametrize("tag", ["kept", "kept a b", "kept a.b"])
def test_the_tag_takes_one_variable(tag: str) -> None:
    with pytest.raises(TemplateSyntaxError, match="the name of one variable"):
        Template(f"{{% {tag} %}}{{% endkept %}}")
