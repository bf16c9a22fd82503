"""The files that say how Budgeteer is deployed, read strictly: Dockerfile, docker-compose.yml, .dockerignore."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml
from check_jsonschema.builtin_schemas import get_builtin_schema
from dockerfile_parse import DockerfileParser
from jsonschema.validators import validator_for

ROOT = Path(__file__).resolve().parents[2]
FILES = ("Dockerfile", "docker-compose.yml", ".dockerignore", ".python-version")
SET_BY_THE_OPERATOR = {"ALLOWED_HOSTS": "budget.example.org"}
REFERENCE = re.compile(r"\$(?:(\$)|\{(\w+)(?:(:[-?])([^}]*))?\})")


class Refused(ValueError):
    """A deployment file that a container engine would refuse."""


class StrictLoader(yaml.SafeLoader):
    """YAML in which a key that stands twice is a mistake."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        written = [key.value for key, _ in node.value if key.tag != "tag:yaml.org,2002:merge"]
        if twice := {key for key in written if written.count(key) > 1}:
            raise Refused(f"{', '.join(sorted(twice))} stands twice {node.start_mark}")
        return super().construct_mapping(node, deep=deep)


def interpolated(value: Any, variables: Mapping[str, str]) -> Any:
    """The value with `${NAME}`, `${NAME:-default}`, `${NAME:?sentence}` and `$$` replaced in every text.

    Raises:
        Refused: a variable that must be given is not.
    """
    if isinstance(value, dict):
        return {key: interpolated(inner, variables) for key, inner in value.items()}
    if isinstance(value, list):
        return [interpolated(inner, variables) for inner in value]
    return REFERENCE.sub(lambda match: _replacement(match, variables), value) if isinstance(value, str) else value


def _replacement(match: re.Match[str], variables: Mapping[str, str]) -> str:
    dollar, name, operator, rest = match.groups()
    if dollar:
        return "$"
    if variables.get(name):
        return variables[name]
    if operator == ":-":
        return str(rest)
    raise Refused(f"{name}: {rest or 'is not set'}")


def read_compose(text: str, variables: Mapping[str, str]) -> dict[str, Any]:
    """The compose file as an engine sees it; checked against the published schema of compose files.

    Raises:
        Refused: an unknown key, a value of the wrong kind, a variable that is not given.
    """
    read = interpolated(yaml.load(text, Loader=StrictLoader), variables)
    schema = get_builtin_schema("vendor.compose-spec")
    for problem in validator_for(schema)(schema).iter_errors(read):
        raise Refused(f"{'.'.join(map(str, problem.absolute_path))}: {problem.message}")
    return {key: value for key, value in read.items() if not key.startswith("x-")}


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction of a Dockerfile, in the stage it belongs to ("" before the first)."""

    name: str
    value: str
    stage: str


class Deployment:
    """The files as they are, or with some of them changed."""

    def __init__(self, changed: Mapping[str, str] | None = None) -> None:
        self.texts = {name: (ROOT / name).read_text() for name in FILES} | dict(changed or {})

    @cached_property
    def compose(self) -> dict[str, Any]:
        return read_compose(self.texts["docker-compose.yml"], SET_BY_THE_OPERATOR)

    @property
    def services(self) -> dict[str, dict[str, Any]]:
        found: dict[str, dict[str, Any]] = self.compose["services"]
        return found

    @property
    def ours(self) -> dict[str, dict[str, Any]]:
        """The services that run our image."""
        return {name: service for name, service in self.services.items() if "build" in service}

    @cached_property
    def instructions(self) -> tuple[Instruction, ...]:
        return tuple(self._read_instructions())

    def _read_instructions(self) -> Iterator[Instruction]:
        with tempfile.TemporaryDirectory() as folder:
            parser = DockerfileParser(folder)
            parser.content = self.texts["Dockerfile"]
            stage = ""
            for each in parser.structure:
                if each["instruction"] == "COMMENT":
                    continue
                if each["instruction"] == "FROM":
                    stage = each["value"].partition(" AS ")[2]
                yield Instruction(each["instruction"], each["value"], stage)

    def stage(self, name: str) -> list[Instruction]:
        return [each for each in self.instructions if each.stage == name]

    @cached_property
    def final(self) -> list[Instruction]:
        """The stage that becomes the image."""
        return self.stage(self.instructions[-1].stage)

    def last(self, name: str) -> str:
        """The value of the image's last instruction of that name; "" without one."""
        return next((each.value for each in reversed(self.final) if each.name == name), "")

    @cached_property
    def image_environment(self) -> dict[str, str]:
        pairs = [pair for each in self.final if each.name == "ENV" for pair in each.value.split()]
        return dict(pair.split("=", 1) for pair in pairs)

    def environment(self, service: str) -> dict[str, str]:
        """What a container of that service finds in its environment."""
        image = self.image_environment if service in self.ours else {}
        return image | {name: str(value) for name, value in self.services[service].get("environment", {}).items()}

    def is_ignored(self, path: str) -> bool:
        """Whether .dockerignore keeps a path of the checkout from the builder; the last pattern that fits decides."""
        ignored = False
        for line in self.texts[".dockerignore"].splitlines():
            pattern = line.strip()
            if not pattern or pattern.startswith("#"):
                continue
            if _fits(path, pattern.removeprefix("!")):
                ignored = not pattern.startswith("!")
        return ignored


def _fits(path: str, pattern: str) -> bool:
    """Whether a pattern of .dockerignore fits the path or a folder above it; `*` stays within one folder."""
    pieces = re.split(r"(\*\*/|\*\*|\*|\?)", pattern.strip("/"))
    known = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    expression = "".join(known.get(piece, re.escape(piece)) for piece in pieces)
    return re.fullmatch(f"{expression}(?:/.*)?", path) is not None


def seconds(duration: str) -> float:
    """A duration of a compose file ("1m30s") in seconds."""
    found = re.findall(r"(\d+(?:\.\d+)?)(ms|s|m|h)", duration)
    return sum(float(number) * {"ms": 0.001, "s": 1, "m": 60, "h": 3600}[unit] for number, unit in found)
