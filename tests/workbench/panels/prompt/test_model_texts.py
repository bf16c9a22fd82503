from __future__ import annotations

import json

from click.testing import CliRunner
from django.test import Client

from budgeteer.cli.commands.prompts import PROMPTS, command
from budgeteer.engine.packing.sections.own_tools import OURS
from budgeteer.workbench.models import Workspace
from budgeteer.workbench.panels.prompt.model_texts import prompt_texts


def test_every_text_of_the_command_line_is_there_as_it_prints_it() -> None:
    shown = {text.name: text.text for text in prompt_texts(OURS)}
    for name in PROMPTS:
        if name in shown:
            assert CliRunner().invoke(command, [name]).output == f"{shown[name]}\n"
        else:
            for form in ("openai", "anthropic"):
                printed = CliRunner().invoke(command, [name, "--form", form]).output
                assert json.loads(printed) == json.loads(shown[f"{name} {form}"])


def test_they_stand_on_the_page_to_be_copied(client: Client, library: Workspace) -> None:
    page = client.get(library.get_absolute_url(), {"view": "config"}).content.decode()
    for text in prompt_texts(OURS):
        assert f'data-copy="#prompt-{text.key}"' in page
        assert f'id="prompt-{text.key}"' in page
