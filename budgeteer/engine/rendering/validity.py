"""Check the provider's rules on a rendered request, before it is exported.

Each provider's rules are in its folder; a check looks at the JSON alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.engine.packing.pack import pack
from budgeteer.engine.packing.result import Packing, ValidityCheck
from budgeteer.engine.providers.base import Provider, ProviderRule
from budgeteer.engine.providers.registry import PROVIDERS
from budgeteer.engine.rendering import render_request


def check_packing(packing: Packing) -> list[ValidityCheck]:
    """Every rule of the packing's provider against its rendered request."""
    return check_request(render_request(packing), packing.provider)


def check_every_provider(packing: Packing) -> list[ValidityCheck]:
    """Every rule of every provider, its own first; for the others the same bundle is packed in their form."""
    checks = check_packing(packing)
    counter = counter_for(packing.bundle.tokenizer)
    for provider in PROVIDERS:
        if provider != packing.provider:
            checks += check_packing(pack(packing.bundle, packing.config, counter=counter, provider=provider))
    return checks


def check_request(request: Mapping[str, Any], provider: str) -> list[ValidityCheck]:
    """Every rule of a provider against a request in its form."""
    row = PROVIDERS[provider]
    return [_checked(rule, request, row) for rule in row.rules]


def _checked(rule: ProviderRule, request: Mapping[str, Any], row: Provider) -> ValidityCheck:
    fault = rule.fault(request)
    return ValidityCheck(row.name, rule.name, not fault, f"{row.title}: {fault or rule.promise}.")
