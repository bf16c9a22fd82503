"""Long YAML as the data that JSON has, read by libyaml: its events are made into values one after the other.

The loader of yaml_text.py, which is Python, takes some seconds for 1,000,000 characters, libyaml less for 5,000,000.
Nothing here calls itself, so that nesting costs no stack; how deep it may be is bounded like that of JSON, and there
are no aliases. Scalars mean what they mean to the other loader.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import yaml

from budgeteer.formats.reading.limits import DEFAULT_LIMITS
from budgeteer.formats.reading.notations.yaml_text import (
    LONGEST_YAML,
    YamlLoader,
    YamlProblem,
    plain_data,
    yaml_problems,
)

_LONGEST: Final = 5_000_000
"""Characters of YAML that libyaml reads: the description of OpenAI's API has 3,000,000. Source: ours."""
_TEXT: Final = "tag:yaml.org,2002:str"
_SCALARS: Final = frozenset(
    f"tag:yaml.org,2002:{name}" for name in ("null", "bool", "int", "float", "binary", "timestamp")
)
"""Tags of scalars that are no texts; what looks like any other one is a text."""
_COLLECTIONS: Final = frozenset({"tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"})

type _Open = tuple[dict[str, Any] | list[Any], list[str]]
"""A collection that has not ended, and the key that waits for its value, if one does."""


def longest_yaml() -> int:
    """How many characters of YAML can be read: fewer where PyYAML is built without libyaml."""
    return _LONGEST if yaml.__with_libyaml__ else LONGEST_YAML


def long_yaml(source: str, *, what: str) -> Any:
    """The value of a text that is one YAML document, as plain data; None where it holds nothing.

    Raises:
        YamlProblem: it is no YAML that can be used.
    """
    with yaml_problems(what, 1):
        values = list(_values(yaml.parse(source, Loader=yaml.CSafeLoader), what))
    if len(values) > 1:
        raise YamlProblem(f"{what} is not YAML: it holds {len(values)} documents")
    return values[0] if values else None


def _values(events: Iterator[yaml.Event], what: str) -> Iterator[Any]:
    """The values that events tell of, one for each document."""
    opened: list[_Open] = []
    loader = YamlLoader("")
    for event in events:
        value: Any
        if isinstance(event, yaml.AliasEvent):
            raise _problem("aliases (`*name`) are not read", event)
        if isinstance(event, yaml.CollectionStartEvent):
            _check_tag(event)
            if len(opened) >= DEFAULT_LIMITS.json_depth:
                raise YamlProblem(f"{what} is nested too deep")
            opened.append(({} if isinstance(event, yaml.MappingStartEvent) else [], []))
            continue
        if isinstance(event, yaml.CollectionEndEvent):
            value = opened.pop()[0]
        elif isinstance(event, yaml.ScalarEvent):
            value = _scalar(event, loader)
        else:
            continue
        if opened:
            _put(opened[-1], value, event)
        else:
            yield value


def _put(opened: _Open, value: Any, event: yaml.Event) -> None:
    """Add a value to the collection that it stands in: an item, a key, or what stands under the key before it."""
    held, waiting = opened
    if isinstance(held, list):
        held.append(value)
    elif waiting:
        held[waiting.pop()] = value
    elif isinstance(value, dict | list):
        raise _problem("a key is no text", event)
    else:
        waiting.append(str(value))


def _scalar(event: yaml.ScalarEvent, loader: YamlLoader) -> Any:
    """The value of a scalar: what its tag says, or else, where it stands without quotes, what it looks like."""
    tag = event.tag
    if tag is None or tag == "!":
        tag = _looks_like(event.value) if event.implicit[0] else _TEXT
    if tag == _TEXT:
        return event.value
    if tag not in _SCALARS:
        raise _problem(f"the tag {tag} is not read", event)
    make = YamlLoader.yaml_constructors[tag]
    return plain_data(make(loader, yaml.ScalarNode(tag, event.value)))


def _looks_like(text: str) -> str:
    """The tag of a scalar without quotes."""
    patterns = YamlLoader.yaml_implicit_resolvers.get(text[:1], [])
    return next((tag for tag, pattern in patterns if tag in _SCALARS and pattern.match(text)), _TEXT)


def _check_tag(event: yaml.CollectionStartEvent) -> None:
    if event.tag not in (None, "!", *_COLLECTIONS):
        raise _problem(f"the tag {event.tag} is not read", event)


def _problem(why: str, event: yaml.Event) -> yaml.MarkedYAMLError:
    """What is wrong with an event, and where it begins."""
    mark: Any = event.start_mark
    return yaml.MarkedYAMLError(problem=why, problem_mark=mark)
