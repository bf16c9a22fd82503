"""The forms of a team in the admin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django import forms
from django.contrib.auth.models import User

from budgeteer.teams.models import Team, key_of
from budgeteer.teams.sharing import EVERYONE

if TYPE_CHECKING:
    _TeamModelForm = forms.ModelForm[Team]
else:  # Django's forms are no generics at run time
    _TeamModelForm = forms.ModelForm


class TeamForm(_TeamModelForm):
    """The name of a team, which no other has in whatever case."""

    class Meta:
        """Of a team only the name is typed."""

        model = Team
        fields = ("name",)

    def clean_name(self) -> str:
        """The name on one line, without characters that show as nothing or turn the direction of what follows."""
        name = "".join(filter(str.isprintable, " ".join(str(self.cleaned_data["name"]).split()))).strip()
        if not name:
            raise forms.ValidationError("A team needs a name that can be read.")
        if key_of(name) == EVERYONE.name:
            raise forms.ValidationError("Everyone is what all accounts here together are called.")
        if Team.objects.filter(name_key=key_of(name)).exclude(pk=self.instance.pk).exists():
            raise forms.ValidationError("There is a team of this name.")
        return name


class NewTeamForm(TeamForm):
    """A new team: its name, and who looks after it."""

    owner = forms.ModelChoiceField(
        User.objects.filter(is_active=True).order_by("username"),
        help_text="Adds and removes members on the team's page; needs no other right.",
    )
