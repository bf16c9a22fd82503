"""The command-line program: its commands, and how every error is reported."""

from __future__ import annotations

import importlib
import io
import os
import sys
from collections.abc import Mapping, Sequence

import click

from budgeteer import __version__
from budgeteer.cli.output.terminal import complain, guard_output
from budgeteer.engine.errors import BudgeteerError, BudgetExceeded

DONE = 0
CANNOT_FIT = 1
BAD_INPUT = 2
INTERRUPTED = 130  # 128 + SIGINT, as shells report it

#: Command -> its module (which has one `command`), and the line `--help` shows for it.
COMMANDS: Mapping[str, tuple[str, str]] = {
    "serve": ("budgeteer.cli.commands.serve", "Run the dashboard: web, worker and scheduler in one."),
    "link": ("budgeteer.cli.commands.link", "Print a fresh one-time link that signs you in to the running dashboard."),
    "backup": ("budgeteer.cli.commands.backup", "Write everything that an installation holds to one file."),
    "restore": ("budgeteer.cli.commands.restore", "Restore a backup into an empty installation."),
    "import": ("budgeteer.cli.commands.import_", "Detect what a file is, read it, and report."),
    "count": ("budgeteer.cli.commands.count", "Count tokens and characters, by item and in total."),
    "pack": ("budgeteer.cli.commands.pack", "Pack a prompt into its budget and show every decision."),
    "fit": ("budgeteer.cli.commands.fit", "Propose the steps that make a prompt fit, with what each saves and loses."),
    "sweep": ("budgeteer.cli.commands.sweep", "Show every breakpoint of a limit, and what is sent from each on."),
    "replay": (
        "budgeteer.cli.commands.replay",
        "Replay a conversation request by request: what overflows, when and why.",
    ),
    "policies": (
        "budgeteer.cli.commands.policies",
        "Compare every way to keep a conversation within its budget: tokens, cache, money.",
    ),
    "evaluate": (
        "budgeteer.cli.commands.evaluate",
        "Pack every conversation of a folder under one or several configurations, and sum up.",
    ),
    "calibrate": (
        "budgeteer.cli.commands.calibrate",
        "Hold counts against the tokens that providers recorded in sessions.",
    ),
    "compare": (
        "budgeteer.cli.commands.compare",
        "Compare two configurations on the same sources: what moved, and by what.",
    ),
    "check": (
        "budgeteer.cli.commands.check",
        "Check a skill library against its budget: a gate for continuous integration.",
    ),
    "search": ("budgeteer.cli.commands.search", "Find feature specs by keywords, and compare what both modes cost."),
    "prompts": ("budgeteer.cli.commands.prompts", "Print the prompts and tool definitions a model is given."),
    "login": ("budgeteer.cli.remote.login", "Keep the token to a dashboard, for push and pull."),
    "push": ("budgeteer.cli.remote.push", "Upload files to a dashboard, and what is added to them later."),
    "pull": ("budgeteer.cli.remote.pull", "Write a workspace's configuration, figures or packed prompt to a file."),
    "config": ("budgeteer.cli.commands.config", "Show, validate or describe a configuration."),
    "doctor": ("budgeteer.cli.commands.doctor", "Look at every part of this installation and say how to mend it."),
}


class LazyGroup(click.Group):
    """A group whose commands are imported only when they run; their help lines stand in COMMANDS."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 — click's signature
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 — click's signature
        if cmd_name not in COMMANDS:
            return None
        command = importlib.import_module(COMMANDS[cmd_name][0]).command
        assert isinstance(command, click.Command)  # noqa: S101 — a promise of COMMANDS, not of the user
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in COMMANDS:
            raise click.UsageError(f"{name}: there is no such command. {_nearest(name)}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 — as above
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


def _nearest(name: str) -> str:
    import difflib

    near = difflib.get_close_matches(name, COMMANDS, n=1)
    return f"Did you mean {near[0]}?" if near else f"Available: {', '.join(COMMANDS)}"


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="budgeteer", message="%(prog)s %(version)s")
def program() -> None:
    """See what fits in a prompt, what does not, and why.

    Everything but serve, link, backup, restore and doctor works without a database or a broker, and everything but
    those, login, push and pull without a network. Exit status: 0 done, the prompt fits; 1 it cannot be made to fit, or
    something does not work; 2 bad input or bad usage.
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the program with `arguments` (default: those of the process) and leave with its exit status."""
    _use_utf8()
    guard_output()
    sys.exit(_run(list(sys.argv[1:] if arguments is None else arguments)))


def _run(arguments: list[str]) -> int:
    try:
        with program.make_context("budgeteer", arguments) as context:
            status = program.invoke(context)
        sys.stdout.flush()
    except click.exceptions.Exit as left:
        return left.exit_code
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        return _reader_went_away()
    except (click.ClickException, BudgeteerError) as error:
        _complain(error)
        return CANNOT_FIT if isinstance(error, BudgetExceeded) else BAD_INPUT
    return status if isinstance(status, int) else DONE


def _complain(error: click.ClickException | BudgeteerError) -> None:
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        click.echo(error.format_message(), err=True)
        return
    sentence = error.format_message() if isinstance(error, click.ClickException) else str(error)
    complain(sentence)
    if isinstance(error, click.UsageError) and error.ctx:
        click.echo(f"'{error.ctx.command_path} --help' lists what it takes.", err=True)


def _reader_went_away() -> int:
    """Standard output was closed by its reader (`| head`): nobody is left to tell, so that is a normal end."""
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, sys.stdout.fileno())
    return DONE


def _use_utf8() -> None:
    """Write UTF-8 whatever the locale says; a lone surrogate from a transcript becomes its escape."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
