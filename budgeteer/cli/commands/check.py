"""`budgeteer check`: a gate for continuous integration over a skill library."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from budgeteer.cli.output.check_report import Checked

PASSED = 0
EXCEEDED = 1
FORMATS = ("text", "json", "github", "junit")


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """What the command line says; None or () where an option was not given."""

    skills: str
    config: str | None
    model: str | None
    assignments: tuple[str, ...]
    form: str
    strict: bool
    show_all: bool
    usage: str | None = None


@click.command()
@click.argument("skills", metavar="SKILLS")
@click.option("--config", metavar="FILE", help="The configuration whose skillsBudget is held; defaults without one.")
@click.option("--model", metavar="M", help="The model, over what the configuration says.")
@click.option(
    "--set", "assignments", metavar="PATH=VALUE", multiple=True, help="One configuration value; may be repeated."
)
@click.option(
    "--usage", metavar="FILE", help="How often, or when, skills were used: for the orders frequent and recent."
)
@click.option(
    "--format", "form", type=click.Choice(FORMATS), default="text", show_default=True, help="What is printed."
)
@click.option("--strict", is_flag=True, help="Warnings fail as well.")
@click.option("--all", "show_all", is_flag=True, help="With text: every notice, not only the first of each kind.")
def command(**written: Any) -> int:
    r"""Check a skill library (a folder, an archive, or one SKILL.md) against its budget.

    Exit status: 0 within every limit, 1 past one (with --strict: or a warning), 2 bad input. The limits hold here
    whether or not the configuration enables them.

    \b
    In a workflow:   budgeteer check skills/ --config budget.json --format github
    As a test file:  budgeteer check skills/ --format junit > skills.xml
    """
    options = CheckOptions(**written)
    from budgeteer.cli.output.check_report import REPORTS

    checked = check(options)
    click.echo(REPORTS[options.form](checked), nl=False)
    return EXCEEDED if checked.failed else PASSED


def check(options: CheckOptions) -> Checked:
    """Read, measure and check the library.

    Raises:
        InputError: the library or the configuration cannot be used.
        TokenizerUnavailable: the model's vocabulary is not packaged.
    """
    from budgeteer.cli.configuration import assemble
    from budgeteer.cli.output.check_report import Checked
    from budgeteer.cli.output.progress import progress_bar
    from budgeteer.cli.source_files import read_kind, read_source
    from budgeteer.engine.analysis.skill_check import check_library
    from budgeteer.engine.counting.library_measures import measure_skills
    from budgeteer.engine.counting.tokenizers import counter_for
    from budgeteer.engine.inputs.bundle import Inputs, build_bundle
    from budgeteer.engine.inputs.item_usage import with_usage
    from budgeteer.engine.packing.allocation import tokenizer_of
    from budgeteer.engine.packing.pack import pack

    config = assemble(options.config, options.model, (*options.assignments, "skillsBudget.enabled=true"))
    counter = counter_for(tokenizer_of(config))
    imported = read_kind(options.skills, "skills")
    with progress_bar("Counting skills") as progress:
        measures = measure_skills(imported.skills, counter=counter, progress=progress)
    recorded = {} if options.usage is None else read_source(options.usage, as_format="usage").usage
    inputs = with_usage(Inputs(skills=imported.skills, skill_measures=measures), config, recorded)
    packing = pack(build_bundle(inputs, counter=counter), config, counter=counter)
    skipped = tuple((entry.where, entry.why) for entry in imported.skipped)
    return Checked(options.skills, check_library(packing), skipped, options.strict, options.show_all)
