"""What a panel is asked to show: a workspace, the view state, the configuration and the packing."""

from __future__ import annotations

from dataclasses import dataclass

from budgeteer.workbench.config_form.editable import EditableConfig
from budgeteer.workbench.models import Workspace
from budgeteer.workbench.preview import Packed
from budgeteer.workbench.state import ViewState


@dataclass(frozen=True, slots=True)
class PanelRequest:
    """Everything that a panel may show a part of.

    Attributes:
        packed: None while something is missing.
        is_draft: a value is still moving: no job is started.
        pasted, paste_error: a configuration that was pasted and refused, and why.
    """

    workspace: Workspace
    state: ViewState
    current: EditableConfig
    packed: Packed | None
    is_draft: bool = False
    pasted: str = ""
    paste_error: str = ""
