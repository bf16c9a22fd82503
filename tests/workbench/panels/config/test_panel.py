from __future__ import annotations

from django.test import Client

from budgeteer.workbench.models import Workspace
from tests.workbench.pages import text_of


def test_the_config_view_shows_the_whole_configuration(client: Client, session: Workspace) -> None:
    html = client.get(f"{session.get_absolute_url()}?view=config").content.decode()
    assert '"maxSkillsPromptChars": 30000' in text_of(html, "config-whole")
    assert text_of(html, "config-delta") == "{}"
