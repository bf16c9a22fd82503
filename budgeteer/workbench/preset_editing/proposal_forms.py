"""Forms of proposals: what is said about one beside its configuration, and what a workspace becomes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar

from django import forms

from budgeteer.presets.models import PROVENANCE_FIELDS, Preset, PresetProposal
from budgeteer.presets.proposals import ProposalWords

if TYPE_CHECKING:
    _ProposalModelForm = forms.ModelForm[PresetProposal]
else:  # Django's form is no generic at run time
    _ProposalModelForm = forms.ModelForm


class ProposalForm(_ProposalModelForm):
    """Note and provenance of a proposal; title and description too where it is for a new preset."""

    class Meta:
        model = PresetProposal
        fields: ClassVar[list[str]] = ["title", "description", "note", *PROVENANCE_FIELDS]
        labels: ClassVar[dict[str, str]] = {
            "harness_version": "Its version",
            "source_url": "Source",
            "checked_on": "Checked on",
        }
        help_texts: ClassVar[dict[str, str]] = {
            "title": "Of the new preset.",
            "description": "One sentence: who should choose it, and what it does.",
            "note": "Why this version, in a few words; shown in the history.",
        }
        widgets: ClassVar[dict[str, forms.Widget]] = {
            **{
                name: forms.TextInput(attrs={"class": "in", "autocomplete": "off"})
                for name in ("title", "description", "note", "harness", "harness_version")
            },
            "source_url": forms.URLInput(attrs={"class": "in", "placeholder": "https://", "autocomplete": "off"}),
            "checked_on": forms.DateInput(attrs={"class": "in", "type": "date"}, format="%Y-%m-%d"),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["note"].required = True
        self.fields["note"].error_messages["required"] = "Say in a few words why."
        if self.instance.preset_id:
            del self.fields["title"], self.fields["description"]
        elif self.instance.pk:
            self.fields["title"].required = True

    @property
    def main_fields(self) -> list[forms.BoundField]:
        """The fields that stand open."""
        return [field for field in self.visible_fields() if field.name not in PROVENANCE_FIELDS]

    @property
    def provenance_fields(self) -> list[forms.BoundField]:
        """Where the numbers come from."""
        return [self[name] for name in PROVENANCE_FIELDS]

    @property
    def has_provenance(self) -> bool:
        """Whether any of them is filled in or refused."""
        return any(field.value() or field.errors for field in self.provenance_fields)

    @property
    def words(self) -> ProposalWords:
        """What a valid form says."""
        data = self.cleaned_data
        return ProposalWords(
            note=data["note"],
            title=data.get("title", ""),
            description=data.get("description", ""),
            provenance={name: data[name] for name in PROVENANCE_FIELDS},
        )


class SaveAsPresetForm(ProposalForm):
    """What a workspace's configuration becomes: a new preset, or the next version of one that is there."""

    target = forms.ChoiceField(label="Save as", required=False, widget=forms.Select(attrs={"class": "sel"}))
    field_order = ("target", *ProposalForm.Meta.fields)

    def __init__(self, *args: Any, presets: Iterable[Preset], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.presets = {preset.slug: preset for preset in presets}
        named = [(slug, f"The next version of {preset.title}") for slug, preset in self.presets.items()]
        self.fields["target"].choices = [("", "A new preset"), *named]  # type: ignore[attr-defined]
        self.fields["title"].help_text = "For a new preset only."
        self.fields["description"].help_text += " For a new preset only."

    @property
    def preset(self) -> Preset | None:
        """The preset that a valid form names; None for a new one."""
        return self.presets.get(self.cleaned_data["target"])

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        if data.get("target") == "" and not data.get("title"):
            self.add_error("title", "A new preset needs a title.")
        return data
