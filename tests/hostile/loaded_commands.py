"""What the processes of commands are forked from: the program with its commands and a tokenizer loaded."""

from __future__ import annotations

import importlib

import budgeteer.api  # noqa: F401 - loaded once for all of them
from budgeteer.cli.program import COMMANDS
from budgeteer.engine.counting.tokenizers import counter_for
from tests.hostile import commands  # noqa: F401 - as above

for _name in ("import", "count", "pack", "config"):
    importlib.import_module(COMMANDS[_name][0])
for _tokenizer in ("o200k_base", "claude-v3"):
    counter_for(_tokenizer).count("Load the vocabulary.")
