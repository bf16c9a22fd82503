"""The form that makes an access token."""

from __future__ import annotations

from typing import Any

from django import forms

from budgeteer.access.rules import AccountRole
from budgeteer.tokens.scopes import Scope, scope_named, scopes_for

#: How long a token may be good for, in days.
DAYS = ((7, "7 days"), (30, "30 days"), (90, "90 days"), (366, "A year"))


class TokenForm(forms.Form):
    """A name, scopes, and for how long. Scopes that the role has no use of are not offered."""

    name = forms.CharField(max_length=80, error_messages={"required": "A token needs a name."})
    scopes = forms.MultipleChoiceField(error_messages={"required": "Choose what the token may be used for."})
    days = forms.TypedChoiceField(choices=DAYS, coerce=int, initial=90)
    form_key = forms.UUIDField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, role: AccountRole | None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.offered = scopes_for(role)
        scopes = self.fields["scopes"]
        assert isinstance(scopes, forms.MultipleChoiceField)  # noqa: S101 - for the type
        scopes.choices = [(scope.label, scope.title) for scope in self.offered]

    def clean_name(self) -> str:
        """The name on one line."""
        return " ".join(str(self.cleaned_data["name"]).split())

    def clean_scopes(self) -> tuple[Scope, ...]:
        """The scopes as rows."""
        found = (scope_named(label) for label in self.cleaned_data["scopes"])
        return tuple(scope for scope in found if scope is not None)

    def chosen(self) -> frozenset[str]:
        """The scopes that are ticked when the form is drawn."""
        value: Any = self["scopes"].value() or ()
        return frozenset(str(label) for label in value)
