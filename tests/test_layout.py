"""The layout of the package, as docs/architecture.md draws it: no circles, bounded folders, one name for one thing.

The benchmarks are held to the first two of these.
"""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

from budgeteer.workbench.state import PanelName

pytestmark = pytest.mark.xdist_group("layout")  # every module is parsed once
ROOT = Path(__file__).parents[1]
MOST_FILES = 20
MOST_ENGINE_FLOORS = 7

# Two public classes may share a name only where each is what its own readers call it.
SAME_NAME_ALLOWED = {
    "Conversation": "the one an import gives, and the one of the Python API, which grows",
    "Command": "what Django calls every management command",
    "Summary": "the engine's summary of history, and the row that stores one",
}

# Private words of the first plan; docs/architecture.md has the names that took their place.
RETIRED_MODULE_NAMES = {
    "aside", "asked", "assembling", "cards", "chosen", "climb", "contract", "easing", "expressing", "far",
    "far_lines", "found", "frames", "framing", "freezing", "given", "kept", "known", "materials", "mend",
    "message_rows", "nearby", "outcomes", "presence", "prints", "ranged", "receiving", "relief", "rows", "said",
    "say", "sendable", "settled", "shelf", "shown", "stretch", "strip", "studies", "summing", "talk", "telling",
    "transcript", "tries", "tuning", "unchanged", "written",
}  # fmt: skip


# Of those, words that have one plain sense of their own in the name of a class: a fate, and rows of a table.
PLAIN_IN_A_CLASS = {"kept", "rows"}

# Names of stored tables, which a database and its backups know.
STORED_AS = {"Presence", "KnownRun"}


def module_files(package: str) -> dict[str, Path]:
    """Return every module of a package by its dotted name, migrations left out."""
    found = {}
    for path in sorted((ROOT / package).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        if "migrations" not in parts and "_assets" not in parts:
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


MODULES = module_files("budgeteer")
BENCHMARKS = module_files("benchmarks")


@cache  # when a test asks: every parallel process imports this file, and parsing takes seconds
def trees() -> dict[str, ast.Module]:
    """The syntax of every module of the package."""
    return {name: ast.parse(path.read_text()) for name, path in MODULES.items()}


def imports_of(tree: ast.Module, modules: Collection[str]) -> Iterator[str]:
    """Yield each of `modules` that a module imports, inside functions too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module in modules:
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                yield full if full in modules else node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)


def arrows_by_package(trees: Mapping[str, ast.Module]) -> dict[str, dict[str, set[str]]]:
    """Return for each package which of its direct children import which others."""
    packages: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for name, tree in trees.items():
        for target in imports_of(tree, trees):
            ours, theirs = name.split("."), target.split(".")
            shared = next((i for i, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b), None)
            if shared is not None:
                packages[".".join(ours[:shared])][ours[shared]].add(theirs[shared])
    return packages


@cache
def packages() -> dict[str, dict[str, set[str]]]:
    """Which children of each package import which others, of Budgeteer and of its benchmarks."""
    benchmarks = {name: ast.parse(path.read_text()) for name, path in BENCHMARKS.items()}
    return {**arrows_by_package(trees()), **arrows_by_package(benchmarks)}


def circle_in(arrows: dict[str, set[str]]) -> list[str]:
    """Return one circle among the arrows, or an empty list."""
    finished: set[str] = set()

    def walk(node: str, path: list[str]) -> list[str]:
        if node in path:
            return path[path.index(node) :]
        if node in finished:
            return []
        for following in sorted(arrows.get(node, ())):
            if circle := walk(following, [*path, node]):
                return circle
        finished.add(node)
        return []

    return next((circle for start in sorted(arrows) if (circle := walk(start, []))), [])


def floors_in(arrows: dict[str, set[str]]) -> int:
    """Return the length of the longest chain of imports; the arrows have no circle."""
    depth: dict[str, int] = {}

    def measure(node: str) -> int:
        if node not in depth:
            depth[node] = 1 + max((measure(following) for following in arrows.get(node, ())), default=0)
        return depth[node]

    return max(measure(node) for node in list(arrows))


def test_a_circle_would_be_found():
    assert circle_in({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c"]
    assert floors_in({"a": {"b"}, "b": {"c"}}) == 3


def test_the_children_of_a_package_do_not_import_each_other_in_a_circle():
    assert "budgeteer.engine" in packages()
    assert {package: circle for package, arrows in packages().items() if (circle := circle_in(arrows))} == {}


def test_the_engine_has_few_floors():
    assert floors_in(packages()["budgeteer.engine"]) <= MOST_ENGINE_FLOORS


def test_no_folder_holds_more_files_than_one_remembers():
    tests = (path for path in (ROOT / "tests").rglob("*.py") if path.name != "__init__.py")
    folders = Counter(path.parent for path in (*MODULES.values(), *BENCHMARKS.values(), *tests))
    assert {str(folder): count for folder, count in folders.items() if count > MOST_FILES} == {}


def test_a_public_class_name_stands_for_one_class():
    homes = defaultdict(list)
    for name, tree in trees().items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(name)
    shared = {name: places for name, places in homes.items() if len(places) > 1}
    assert set(shared) == set(SAME_NAME_ALLOWED), shared


def words_of(name: str) -> set[str]:
    """The words of a class name, in lower case."""
    return {word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)}


def test_no_class_has_a_retired_word_in_its_name():
    retired = RETIRED_MODULE_NAMES - PLAIN_IN_A_CLASS
    named = {
        (name, node.name.id if isinstance(node, ast.TypeAlias) else node.name)
        for name, tree in trees().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef | ast.TypeAlias)
    }
    assert words_of("PresenceAdmin") & retired == {"presence"}
    assert sorted((name, one) for name, one in named if words_of(one) & retired and one not in STORED_AS) == []


def test_no_module_has_a_retired_name():
    assert [name for name in MODULES if name.rpartition(".")[2] in RETIRED_MODULE_NAMES] == []


@pytest.mark.parametrize("name", PanelName)
def test_every_panel_of_the_workbench_is_a_folder_with_a_template_and_tests(name):
    assert f"budgeteer.workbench.panels.{name}.panel" in MODULES
    assert (ROOT / f"templates/workbench/panels/{name}.html").exists()
    assert list((ROOT / f"tests/workbench/panels/{name}").glob("test_*.py"))


def test_every_template_of_a_panel_has_its_name():
    found = {page.stem for page in (ROOT / "templates/workbench/panels").glob("*.html")}
    assert found == set(PanelName)


@pytest.mark.parametrize("name", sorted(MODULES))
def test_every_module_says_what_it_is_for(name):
    assert ast.get_docstring(trees()[name])
