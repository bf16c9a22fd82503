"""Arguments of tools that are no JSON Schema: lists of them, by their names, or as a text, and the schema they make.

A list stands under `arguments`, `args` or `parameters`; of Flowise it is a JSON text under `schema`. By their names
they stand under `parameters`, each an object with its type or its description, or under `params`, each the word for its
type (`string?` is one that may be left away). Only their names may be listed (`required_params`). Seal-Tools calls a
tool's name `api_name`.
Source: https://github.com/docker/mcp-registry, https://github.com/FlowiseAI/Flowise, `marketplaces/tools`, and
https://github.com/fairyshine/Seal-Tools, 2026-11.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from budgeteer.formats.messages.numbering import text_value
from budgeteer.formats.reading import json_text
from budgeteer.formats.reading.parameter_schemas import (
    from_arguments,
    from_named_arguments,
    is_named_arguments,
    is_type_name,
)

_API: Final = ("api_name", "api_description")
_REQUIRED: Final = ("required_params", "required_parameters", "required_args")
_OPTIONAL: Final = ("optional_params", "optional_parameters", "optional_args")
"""Lists of the names of arguments, beside which nothing else is said of them."""


def with_name(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    """A definition with its name and its description under the usual keys; any other object as it is."""
    name, said = (text_value(raw.get(key)) for key in _API)
    is_api = name and said and "name" not in raw and isinstance(raw.get("parameters"), Mapping)
    return {**raw, "name": name, "description": said} if is_api else raw


def schema_of_list(raw: Mapping[str, Any]) -> dict[str, Any] | None:
    """The JSON Schema of a tool whose arguments are a list, None of any other object."""
    arguments = _listed(raw)
    if arguments is None:
        arguments = _of_flowise(raw)
    return None if arguments is None else from_arguments(arguments)


def schema_of_names(raw: Mapping[str, Any]) -> dict[str, Any] | None:
    """The JSON Schema of a tool whose arguments are described under their names, None of any other object."""
    given = raw.get("parameters")
    is_named = is_named_arguments(given) or (given == {} and _API[0] in raw)
    return from_named_arguments(given, raw.get("required")) if is_named and isinstance(given, Mapping) else None


def schema_of_words(raw: Mapping[str, Any]) -> dict[str, Any] | None:
    """The JSON Schema of a tool whose arguments are a word each under `params`, None of any other object.

    Only in a list of tools: settings of anything else stand there as well.
    """
    given = raw.get("params")
    if not isinstance(given, Mapping) or not given or not all(isinstance(word, str) for word in given.values()):
        return None
    return from_named_arguments({name: _of_word(word) for name, word in given.items()}, None)


def schema_of_name_lists(raw: Mapping[str, Any]) -> dict[str, Any] | None:
    """The JSON Schema of a tool of which only the names of its arguments are listed, None of any other object."""
    lists = [_names_in(raw, keys) for keys in (_REQUIRED, _OPTIONAL)]
    if not any(lists):
        return None
    required, optional = lists
    properties: dict[str, Any] = {name: {} for name in (*required, *optional)}
    return {"type": "object", "properties": properties, **({"required": required} if required else {})}


def _names_in(raw: Mapping[str, Any], keys: tuple[str, ...]) -> list[str]:
    given: list[Any] = next((raw[key] for key in keys if isinstance(raw.get(key), list)), [])
    return given if all(isinstance(name, str) and name for name in given) else []


def _of_word(word: str) -> dict[str, Any]:
    """An argument of which one text says the type; what is no name of a type describes it."""
    kind = word.removesuffix("?")
    said = {"type": kind} if is_type_name(kind) else {"description": word}
    return {**said, "optional": word.endswith("?")}


def _listed(raw: Mapping[str, Any]) -> list[Any] | None:
    """The list of a tool's arguments.

    `parameters` and `args` are one where the tool is described, and each has a name and a type. Of `args` that is a
    word, where a schema of GraphQL has an object, and some there are: those of a command may be none.
    """
    arguments = raw.get("arguments")
    if isinstance(arguments, list):
        return arguments
    key = "parameters" if "parameters" in raw else "args"
    given, kinds = raw.get(key), object if key == "parameters" else str
    if not isinstance(given, list) or not isinstance(raw.get("description"), str):
        return None
    named = all(isinstance(one, Mapping) and text_value(one.get("name")) and "type" in one for one in given)
    typed = named and all(isinstance(one["type"], kinds) for one in given)
    return given if typed and (given or key == "parameters") else None


def _of_flowise(raw: Mapping[str, Any]) -> list[Any] | None:
    """The arguments of a custom tool of Flowise, None of any other object."""
    given = raw.get("schema")
    if not isinstance(given, str) or not isinstance(raw.get("description"), str) or not given.lstrip().startswith("["):
        return None
    held = json_text.parse_inner(given, None)
    if not isinstance(held, list) or not all(isinstance(one, Mapping) and "property" in one for one in held):
        return None
    return [{**one, "name": one["property"]} for one in held]
