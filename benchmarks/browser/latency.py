"""`make bench-browser`: what the dashboard takes in a real browser, written into docs/performance.md.

    python -m benchmarks.browser.latency [--quick] [--only WORDS …] [--report]

Starts a dashboard of its own over a temporary folder. BUDGETEER_CORPUS names a folder of real files, whose largest
session, skills library and tool catalogue are measured as well. `--quick` and `--only` print and write nothing.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import click
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from benchmarks.browser import lighthouse, page_weight, report
from benchmarks.browser.interactions import (
    DROP,
    INTERACTIONS,
    UPLOAD,
    WORK_MS,
    Timed,
    drops,
    first_signs,
    open_workspace,
    timed,
)
from benchmarks.browser.measured_pages import Measured, Workspace, machine
from benchmarks.browser.team_pages import team_pages
from benchmarks.inputs import large_files
from tests.browser.filled import fill
from tests.browser.stack import Stack, running_stack
from tests.conftest import CHROMIUM_FLAGS
from tests.servers import chromium_program

FOLDER = "BUDGETEER_CORPUS"
TIMES, QUICK_TIMES = 30, 5
WIDE = {"width": 1440, "height": 900}
#: Pages that are what another one is, or an error on purpose.
_NOT_WEIGHED = ("report-gone", "missing", "sign-in")


@dataclass(frozen=True, slots=True)
class Plan:
    """How often each interaction is timed, and words of which one must stand in its name; no words take all."""

    times: int
    only: Collection[str] = ()

    def wants(self, name: str) -> bool:
        """Whether an interaction is timed."""
        return not self.only or any(word in name for word in self.only)


def main(arguments: list[str]) -> int:
    """Measure, print, and write."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.browser.latency", description="Measure in a real browser."
    )
    parser.add_argument("--quick", action="store_true", help="a few times each; print and write nothing")
    parser.add_argument(
        "--only", nargs="+", default=(), metavar="WORDS", help="interactions whose name has these words"
    )
    parser.add_argument("--pages", action="store_true", help="weigh the pages alone and keep the times of the last run")
    parser.add_argument("--report", action="store_true", help="write the page from the last results")
    options = parser.parse_args(arguments)
    if options.report:
        report.PART.write(report.generated(Measured.load()))
        return 0
    program = chromium_program()
    if program is None:
        click.echo("Chromium is not installed. Run `make deps`, or let CHROMIUM name the program.", err=True)
        return 2
    plan = Plan(QUICK_TIMES if options.quick else TIMES, options.only)
    with (
        tempfile.TemporaryDirectory(prefix="budgeteer-latency-") as data,
        running_stack(Path(data) / "data") as stack,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=str(program), args=CHROMIUM_FLAGS)
        if options.pages:
            found = weighed_anew(browser, stack, Path(data))
            found.save()
            report.PART.write(report.generated(found))
        for found in () if options.pages else measured(browser, stack, Path(data), plan):
            if not (options.quick or options.only):
                found.save()
                report.PART.write(report.generated(found))
        browser.close()
    click.echo(report.generated(found))
    return 0


def measured(browser: Browser, stack: Stack, folder: Path, plan: Plan) -> Iterator[Measured]:
    """Every workspace with its interactions; then with what the pages weigh; then with Lighthouse's scores.

    Where only some interactions are asked for, these alone.
    """
    began = os.getloadavg()[0]
    context = signed_in(browser, stack)
    all_inputs = [large_files.generated(folder / "generated")]
    if real := os.environ.get(FOLDER):
        all_inputs.append(large_files.real(Path(real)))
    page = context.new_page()
    page.set_default_timeout(WORK_MS)
    addresses = [open_workspace(page, stack.address, inputs) for inputs in all_inputs]
    opened = list(zip(all_inputs, addresses, strict=True))
    # Uploads come last: each is scanned for secrets a minute later, beside what would be timed then.
    timings = [list(_timed(page, address, plan)) for _, address in opened]
    uploads = [list(_uploads(page, address, inputs, plan)) for inputs, address in opened]
    found = [
        Workspace(inputs.title, [*looks, *sent])
        for inputs, looks, sent in zip(all_inputs, timings, uploads, strict=True)
    ]
    last = Measured.load()
    scored_on = last.scored_on or last.weighed_on or last.machine["measured"].split()[-1]
    timed_on = machine(browser, (began, os.getloadavg()[0]))
    result = Measured(timed_on, found, scores=last.scores, scored_on=scored_on)  # until they are scored anew
    yield result
    if not plan.only:
        paths = _paths(page, addresses[0])
        weights, assets = list(page_weight.weighed(browser, context, paths)), page_weight.assets(page, addresses[0])
        result = replace(result, pages=weights, assets=assets)
        yield result
        yield replace(result, scores=_scores(context, paths) | _team_scores(browser, folder), scored_on="")
    context.close()


def weighed_anew(browser: Browser, stack: Stack, folder: Path) -> Measured:
    """What the last run kept, with every page weighed and scored anew: most of it is the same on a busy machine."""
    context = signed_in(browser, stack)
    page = context.new_page()
    page.set_default_timeout(WORK_MS)
    address = open_workspace(page, stack.address, large_files.generated(folder / "generated"))
    paths = _paths(page, address)
    pages, found_assets = list(page_weight.weighed(browser, context, paths)), page_weight.assets(page, address)
    scores = _scores(context, paths) | _team_scores(browser, folder)
    context.close()
    today = f"{datetime.now(UTC):%Y-%m-%d}"
    return replace(Measured.load(), pages=pages, assets=found_assets, scores=scores, weighed_on=today, scored_on=today)


def _scores(context: BrowserContext, paths: Mapping[str, str]) -> dict[str, dict[str, float]]:
    return lighthouse.scores(context, {name: paths[name] for name in lighthouse.PAGES})


def _team_scores(browser: Browser, folder: Path) -> dict[str, dict[str, float]]:
    with team_pages(browser, folder / "team") as (context, paths):
        return lighthouse.scores(context, paths)


def _paths(page: Page, large: str) -> dict[str, str]:
    home = large.partition("/w/")[0]
    page.goto(home)
    filled = fill(page, home).pages
    paths = {name: home + path for name, path in filled.items() if name not in _NOT_WEIGHED}
    return paths | {f"{view}, 10,000 messages": f"{large}?view={view}" for view in page_weight.VIEWS}


def signed_in(browser: Browser, stack: Stack) -> BrowserContext:
    """A browser that the dashboard knows."""
    context = browser.new_context(viewport=WIDE, reduced_motion="reduce")  # type: ignore[arg-type]  # it is one
    page = context.new_page()
    page.goto(stack.sign_in_link)
    page.close()
    return context


def _timed(page: Page, address: str, plan: Plan) -> Iterator[Timed]:
    """The interactions on one workspace."""
    for one in INTERACTIONS:
        if plan.wants(one.name):
            yield _told(timed(page, one, address, plan.times))


def _uploads(page: Page, address: str, inputs: large_files.Inputs, plan: Plan) -> Iterator[Timed]:
    """Uploads of a workspace's files."""
    home = address.partition("/w/")[0]
    if plan.wants(UPLOAD):
        yield _told(first_signs(page, home, inputs, plan.times))
    if plan.wants(DROP) and inputs.files[0].suffix == ".json":  # the generated conversation, which can be varied
        yield _told(drops(page, home, inputs, inputs.files[0].parent))


def _told(took: Timed) -> Timed:
    click.echo(f"{took.name:36} {took.percentile(50):7.0f} {took.percentile(95):7.0f} {took.goal_ms:7.0f}", err=True)
    return took


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
