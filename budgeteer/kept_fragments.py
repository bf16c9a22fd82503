"""The template tag `kept`: what a value prints is rendered once and kept in the process for the next answer.

Rows and blocks of the workbench are values in which every text is written out. While a slider moves most of them come
again as they were, and rendering them anew is most of what an answer costs.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final

from django.template import Context, Library, Node, NodeList, TemplateSyntaxError
from django.template.base import Parser, Token
from django.utils.safestring import SafeString

from budgeteer.lru import LruCache

#: Some pages of some dozens of people; at about 1,100 bytes each.
MOST: Final = 8_000

register = Library()
_kept: LruCache[SafeString] = LruCache(MOST)


@register.tag
def kept(parser: Parser, token: Token) -> KeptNode:
    """`{% kept row %} … {% endkept %}`: rendered with the variable `row` and no other, and kept under its value.

    The value has to be hashable, and equal to another one exactly when both print the same.
    """
    words = token.split_contents()
    if len(words) != 2 or not words[1].isidentifier():
        raise TemplateSyntaxError(f"{words[0]!r} takes the name of one variable")
    nodes = parser.parse(("endkept",))
    parser.delete_first_token()
    return KeptNode(words[1], nodes)


class KeptNode(Node):
    """A stretch of a template that depends on one variable."""

    def __init__(self, name: str, nodelist: NodeList) -> None:
        self.name = name
        self.nodelist = nodelist

    def render(self, context: Context) -> SafeString:
        """What stands in the stretch, in a context that holds the variable alone."""
        value: Hashable = context[self.name]
        return _kept.get((self, value), lambda: self.nodelist.render(context.new({self.name: value})))
