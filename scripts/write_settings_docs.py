#!/usr/bin/env python3
"""Write the table of settings into docs/deployment.md and the file .env.example, both from `budgeteer.env`."""

from __future__ import annotations

from pathlib import Path

from budgeteer.env import settings_table
from budgeteer.env_table import Setting

ROOT = Path(__file__).resolve().parent.parent
START = "| variable | default | meaning |"
HEAD = """\
# Copy to .env and change what you need. Everything has a default that works on your own computer.
# docs/deployment.md explains; `NAME_FILE=/path` reads a secret from a file.
"""


def table() -> str:
    """Return the Markdown table of every setting."""
    rows = [START, "|---|---|---|"]
    rows += [
        f"| `{setting.name}`{_file(setting)} | {_default(setting)} | {_meaning(setting)} |"
        for setting in settings_table()
    ]
    return "\n".join(rows) + "\n"


def example() -> str:
    """Return the text of .env.example: each setting, commented out, under what it means."""
    blocks = [f"# {_meaning(setting)}\n#{setting.name}={setting.default}\n" for setting in settings_table()]
    return HEAD + "\n" + "\n".join(blocks)


def deployment_page(page: str) -> str:
    """Return the page with its table written anew."""
    return page[: page.index(START)] + table() if START in page else page + table()


def _file(setting: Setting) -> str:
    return f", `{setting.name}_FILE`" if setting.secret else ""


def _default(setting: Setting) -> str:
    return f"`{setting.default}`" if setting.default else "—"


def _meaning(setting: Setting) -> str:
    local = f" Local mode: {setting.local_default} unless it is set." if setting.local_default is not None else ""
    return f"{setting.meaning}{local} Expected: {setting.expected}."


def main() -> None:
    """Write both files."""
    page = ROOT / "docs" / "deployment.md"
    page.write_text(deployment_page(page.read_text()))
    (ROOT / ".env.example").write_text(example())


if __name__ == "__main__":
    main()
