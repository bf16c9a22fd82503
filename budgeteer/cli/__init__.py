"""The command line: the engine from a shell, and `serve` to start the dashboard.

Results go to standard output, everything else to standard error. Exit status: 0 done, 1 it cannot be made to fit,
2 bad input or bad usage. `--help` imports no Django, numpy, tokenizer or pydantic: each command is a module of its
own, loaded when it runs.
"""

from budgeteer.cli.program import main

__all__ = ["main"]
