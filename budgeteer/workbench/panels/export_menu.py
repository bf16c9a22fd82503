"""The export menu of a workspace: request forms of the model's own provider, and of others with their models."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from django.utils.text import slugify

from budgeteer.engine.models.registry import MODELS
from budgeteer.engine.providers.registry import PROVIDERS

#: OpenAI offers its models in both of its forms.
OPENAI_FORMS: frozenset[str] = frozenset({"openai-chat", "openai-responses"})


def forms_of(provider: str) -> frozenset[str]:
    """The request forms in which the provider of one form takes its models."""
    return OPENAI_FORMS if provider in OPENAI_FORMS else frozenset({provider})


@dataclass(frozen=True, slots=True)
class ExportForm:
    """A request form in which the packed prompt is downloaded; `models` may be named in it, none for the own one."""

    name: str
    title: str
    models: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ExportMenu:
    """Everything that the menu prints: it stays the same while a workspace is tuned.

    Attributes:
        file: what charts that are saved from the page are called, without the chart's name.
        own: the forms whose provider offers the model; all of them where nobody knows whose it is.
        foreign: the others, each with its provider's models.
    """

    workspace_id: UUID
    file: str
    own: tuple[ExportForm, ...]
    foreign: tuple[ExportForm, ...]


def export_menu(workspace_id: UUID, name: str, model: str) -> ExportMenu:
    """The menu of a workspace with that name, packed for that model."""
    row = MODELS.get(model)
    own = forms_of(row.provider) if row else frozenset(PROVIDERS)
    return ExportMenu(
        workspace_id=workspace_id,
        file=slugify(name) or "workspace",
        own=tuple(ExportForm(form.name, form.title) for key, form in PROVIDERS.items() if key in own),
        foreign=tuple(
            ExportForm(form.name, form.title, _models_in(key)) for key, form in PROVIDERS.items() if key not in own
        ),
    )


def _models_in(form: str) -> tuple[str, ...]:
    forms = forms_of(form)
    return tuple(row.name for row in MODELS.values() if row.provider in forms)
