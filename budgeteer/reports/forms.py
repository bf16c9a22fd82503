"""The form for sharing a report."""

from __future__ import annotations

from typing import Any, override

from django import forms

from budgeteer.engine.errors import InputError
from budgeteer.reports.models import DEFAULT_DAYS, LONGEST_DAYS, Content
from budgeteer.reports.sharing.embedding import MOST_CHARS as MOST_ORIGIN_CHARS
from budgeteer.reports.sharing.embedding import origins_in
from budgeteer.reports.sharing.password import LEAST_CHARS, MOST_CHARS


class PublishForm(forms.Form):
    """What is chosen when sharing; `form_key` is drawn anew for each form that is shown."""

    form_key = forms.UUIDField(widget=forms.HiddenInput, required=False)
    title = forms.CharField(
        max_length=120,
        strip=True,
        required=False,
        help_text="May be empty. Whoever has the link reads it, at every level. A full report without a title is "
        "called like its workspace.",
        widget=forms.TextInput(attrs={"class": "in", "autocomplete": "off"}),
    )
    content = forms.ChoiceField(choices=Content.choices, initial=Content.NUMBERS, widget=forms.RadioSelect)
    days = forms.IntegerField(
        label="Expires after",
        initial=DEFAULT_DAYS,
        min_value=1,
        max_value=LONGEST_DAYS,
        widget=forms.NumberInput(attrs={"class": "num", "inputmode": "numeric"}),
        error_messages={
            "required": "Say after how many days the link stops working.",
            "invalid": f"Days are a whole number from 1 to {LONGEST_DAYS}.",
            "min_value": f"Days are a whole number from 1 to {LONGEST_DAYS}.",
            "max_value": f"Days are a whole number from 1 to {LONGEST_DAYS}.",
        },
    )
    password = forms.CharField(
        required=False,
        strip=False,
        min_length=LEAST_CHARS,
        max_length=MOST_CHARS,
        help_text=f"May be empty. With one, the link alone opens nothing. At least {LEAST_CHARS} characters; send it "
        "another way than the link.",
        widget=forms.PasswordInput(attrs={"class": "in", "autocomplete": "new-password"}),
        error_messages={"min_length": f"A password has at least {LEAST_CHARS} characters. Type it again."},
    )
    embed_on = forms.CharField(
        label="Embed on",
        required=False,
        max_length=MOST_ORIGIN_CHARS,
        help_text="May be empty: then no site can show it in a frame. Otherwise the sites that may, such as "
        "https://wiki.example.com.",
        widget=forms.TextInput(attrs={"class": "in", "autocomplete": "off", "spellcheck": "false"}),
    )

    def clean_embed_on(self) -> str:
        """The origins in the form of a content policy."""
        try:
            return " ".join(origins_in(self.cleaned_data["embed_on"]))
        except InputError as error:
            raise forms.ValidationError(str(error)) from error

    @override
    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("password") and cleaned.get("embed_on"):
            message = "A report with a password cannot be embedded: a frame keeps no cookie. Leave one of them empty."
            self.add_error("embed_on", message)
        return cleaned
