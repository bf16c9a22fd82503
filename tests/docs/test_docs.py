"""The documentation is a contract: what it names exists, and what exists is named."""

from __future__ import annotations

import importlib.util
import re
from collections import Counter
from pathlib import Path

import pytest

from budgeteer.cli.program import COMMANDS
from budgeteer.engine.analysis.fit_plan.steps import StepName
from budgeteer.engine.config.options import fields
from budgeteer.engine.packing.history.registry import STRATEGIES
from budgeteer.engine.packing.verdict_text import Bound
from budgeteer.engine.providers.names import PROVIDER_NAMES
from budgeteer.env import settings_table
from budgeteer.formats.detect import format_names

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")


def text_of(name: str) -> str:
    return (ROOT / name).read_text()


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def load(script: str):
    spec = importlib.util.spec_from_file_location(script, ROOT / "scripts" / f"{script}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("document", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_leads_somewhere(document):
    for target in LINK.findall(document.read_text()):
        if target.startswith(("http://", "https://")):
            continue
        path, _, anchor = target.partition("#")
        aim = (document.parent / path).resolve() if path else document
        assert aim.exists(), f"{document.name}: {target}"
        if anchor:
            assert anchor in anchors(aim), f"{document.name}: {target}"


def test_every_page_can_be_reached_from_the_readme():
    reached, waiting = set(), [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in reached or page.suffix != ".md":
            continue
        reached.add(page)
        targets = [target.partition("#")[0] for target in LINK.findall(page.read_text()) if "://" not in target]
        waiting += [(page.parent / target).resolve() for target in targets if target]
    assert reached == set(PAGES)


def test_the_table_of_settings_and_the_example_are_what_the_script_writes():
    script = load("write_settings_docs")
    page = text_of("docs/deployment.md")
    assert page == script.deployment_page(page), "run scripts/write_settings_docs.py"
    assert text_of(".env.example") == script.example(), "run scripts/write_settings_docs.py"


@pytest.mark.parametrize("setting", settings_table(), ids=lambda setting: setting.name)
def test_every_setting_is_documented(setting):
    assert f"`{setting.name}`" in text_of("docs/deployment.md")
    assert f"{setting.name}=" in text_of(".env.example")


@pytest.mark.parametrize("document", ["docs/cli.md", "docs/engine.md", "docs/formats.md"])
@pytest.mark.parametrize("provider", PROVIDER_NAMES)
def test_every_provider_is_on_the_pages_of_requests(document, provider):
    assert f"`{provider}`" in text_of(document)


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_command_has_a_section(command):
    assert f"## budgeteer {command}\n" in text_of("docs/cli.md")


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_option_of_a_command_is_documented(command):
    import click

    def options_of(subject: click.Command) -> set[str]:
        inner = set().union(*(options_of(child) for child in getattr(subject, "commands", {}).values()), set())
        own = {name for parameter in subject.params for name in parameter.opts if name.startswith("--")}
        return (own | inner) - {"--help"}

    module = importlib.import_module(COMMANDS[command][0])
    section = text_of("docs/cli.md").partition(f"## budgeteer {command}\n")[2].partition("\n## ")[0]
    assert {name for name in options_of(module.command) if name not in section} == set()


@pytest.mark.parametrize("name", format_names())
def test_every_format_is_documented(name):
    assert f"| `{name}` |" in text_of("docs/formats.md")


def test_the_changelog_names_the_version():
    import budgeteer

    assert f"## {budgeteer.__version__}" in text_of("CHANGELOG.md")


PATH = re.compile(r"`((?:budgeteer|tests|scripts|templates|static|docs|benchmarks)/[\w./*-]*)`")
#: What an installation makes, and no checkout holds.
MADE = ("budgeteer/_assets", "budgeteer/counts.sqlite3")
MODULE = re.compile(r"`(?:budgeteer\.)?((?:api|cli|engine|formats|jobs|sources|workbench)(?:\.[a-z_]+)+)")


@pytest.mark.parametrize("document", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_path_named_in_a_document_exists(document):
    if document.name == "CHANGELOG.md":  # it names what was there at the time
        return
    named = [path for path in PATH.findall(document.read_text()) if not path.startswith(MADE)]
    missing = [path for path in named if not any(ROOT.glob(path.rstrip("/")))]
    assert missing == []


@pytest.mark.parametrize("document", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_module_named_in_a_document_exists(document):
    if document.name == "CHANGELOG.md":
        return
    for dotted in MODULE.findall(document.read_text()):
        place = ROOT / "budgeteer" / Path(*dotted.split("."))
        parent = place.parent  # the last step may be a name inside a module
        found = (place, place.with_suffix(".py"), parent.with_suffix(".py"), parent / "__init__.py")
        assert any(one.exists() for one in found), dotted


def test_the_tree_of_the_architecture_is_the_tree():
    drawing = text_of("docs/architecture.md").split("```")[1]
    package, benchmarks = drawing.partition("templates/<app>")[0], "benchmarks/" + drawing.partition("\nbenchmarks/")[2]
    drawn, stack = set(), [ROOT]
    for line in filter(str.strip, (package + benchmarks).splitlines()):
        indent = (len(line) - len(line.lstrip())) // 2
        names = re.match(r"\s*((?:[\w.]+/?(?: |$))+)", line)
        assert names, line
        for name in names[1].split():
            if not name.endswith(("/", ".py")):
                break
            place = stack[indent] / name.rstrip("/")
            assert place.exists(), line
            drawn.add(place)
        stack[indent + 1 :] = [place]
    roots = [ROOT / "budgeteer", ROOT / "benchmarks"]
    folders = {path.parent for root in roots for path in root.rglob("__init__.py")} - set(roots)
    hidden = {"migrations", "management", "commands", "templatetags", "options", "output", "_assets"}
    undrawn = {path for path in folders if not hidden & set(path.relative_to(ROOT).parts[1:])} - drawn
    assert undrawn == set()


RECIPES = {
    "Add a format", "Add a history strategy", "Add a provider", "Add a model", "Add a warning", "Add a panel",
    "Add a step to the plan", "Add a column to the item table", "Add a job", "Add a preset", "Add a page",
    "Add a configuration field", "Add an operation of the API", "Add a dependency", "Add a kind of report",
}  # fmt: skip
PLACEHOLDER = re.compile(r"`((?:budgeteer|tests|templates)/[\w./]*)/<")
SHORT_PATH = re.compile(r"`([\w<>.-]+\.(?:py|html|css|js|md))`")
NAME = re.compile(r"`(?:@)?(_?[A-Z][A-Z_]{3,}|_[a-z_]+|[a-z]+_[a-z_]+|[A-Z][a-z]+[A-Z]\w+)`")


def test_there_is_a_recipe_for_every_common_change():
    assert set(re.findall(r"^## (Add .+)$", text_of("CONTRIBUTING.md"), re.MULTILINE)) == RECIPES


def test_recipes_name_files_by_their_whole_paths():
    page = text_of("CONTRIBUTING.md")
    assert [name for name in PLACEHOLDER.findall(page) if not (ROOT / name).is_dir()] == []
    allowed = {"CHANGELOG.md", "__init__.py", "tasks.py", "services.py", "urls.py"}  # of the folder a change belongs to
    assert set(SHORT_PATH.findall(page)) - allowed == set()


def test_every_name_in_a_recipe_is_in_the_code():
    recipes = text_of("CONTRIBUTING.md").partition("## Add a format")[2]
    code = "\n".join(
        path.read_text() for folder in ("budgeteer", "tests", "benchmarks") for path in (ROOT / folder).rglob("*.py")
    )
    assert [name for name in NAME.findall(recipes) if not re.search(rf"\b{name}\b", code)] == []


def test_the_table_of_history_strategies_has_a_row_for_each():
    table = text_of("docs/engine.md").partition("| strategy | keeps |")[2].partition("\n\n")[0]
    assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == list(STRATEGIES)


def test_every_setting_is_explained():
    page = re.sub(r"^```.*?^```", "", text_of("docs/engine.md"), flags=re.DOTALL | re.MULTILINE)
    spans = re.findall(r"`([^`]+)`", page)
    named = {word for span in spans for word in re.findall(r"\w+", span)}
    paths = {path for span in spans for path in re.findall(r"[\w.]+", span)}
    last_names = Counter(field.path.rpartition(".")[2] for field in fields())

    def is_named(path: str) -> bool:
        """By its last name, or by its whole path where another setting has the same last name."""
        last = path.rpartition(".")[2]
        return last in named if last_names[last] == 1 else path in paths

    assert [field.path for field in fields() if not is_named(field.path)] == []


def test_the_table_of_steps_has_every_step():
    table = text_of("docs/cli.md").partition("| step | sets |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| (`[^|]+`) \|", table, re.MULTILINE)
    assert [name for row in rows for name in re.findall(r"`(\w+)`", row)] == list(StepName)


def test_everything_that_leaves_items_out_is_in_the_list_of_limits_of_a_verdict():
    listed = text_of("docs/cli.md").partition("`limits` names what left items out")[2].partition(".\n")[0]
    assert set(Bound) == set(re.findall(r"`(\w+)`", listed))
