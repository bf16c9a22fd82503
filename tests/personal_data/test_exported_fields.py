"""Every field that leads to a person is in the download, or it is said why not."""

from __future__ import annotations

import pytest
from django.apps import apps

from budgeteer.personal_data.exported_fields import EXPORTED, WITHHELD, WITHHELD_MODELS
from tests.personal_data.holdings import models_that_lead_to_an_account


def test_every_model_that_leads_to_an_account_is_written_or_withheld() -> None:
    found = {model._meta.label for model in models_that_lead_to_an_account()}
    assert found == EXPORTED.keys() | WITHHELD_MODELS.keys()
    assert EXPORTED.keys() & WITHHELD_MODELS.keys() == set()


@pytest.mark.parametrize("label", EXPORTED)
def test_every_field_is_written_or_withheld_with_a_reason(label: str) -> None:
    written = [name.removesuffix("_id") for name in EXPORTED[label]]
    fields = [field.name for field in apps.get_model(label)._meta.concrete_fields]
    assert sorted([*written, *WITHHELD[label]]) == sorted(fields)
    assert all(WITHHELD[label].values())
