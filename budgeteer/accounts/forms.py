"""The forms of accounts in the admin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, override

from django import forms
from django.contrib.auth.forms import BaseUserCreationForm, UserChangeForm
from django.contrib.auth.models import User

from budgeteer.access.rules import AccountRole, is_last_administrator, role_of

if TYPE_CHECKING:
    _ChangeForm = UserChangeForm[User]
    _CreationForm = BaseUserCreationForm[User]
else:  # Django's forms are no generics at run time
    _ChangeForm = UserChangeForm
    _CreationForm = BaseUserCreationForm

ROLE_HELP = (
    "Viewers look at what the team shares, and change nothing. Editors have sources, workspaces and reports of their "
    "own. Administrators are editors who also have this admin."
)
PASSWORD_FIELDS = ("password1", "password2")
INVITATION_HELP = (
    "Leave both empty to invite the person: choose the account in the list, then “Make a link that sets a password”."
)
LAST_ADMINISTRATOR = (
    "{name} is the last administrator whose account is open: nobody could give roles any more. "
    "Make somebody else an administrator first."
)


def _role_field() -> forms.TypedChoiceField:
    return forms.TypedChoiceField(
        choices=AccountRole.choices,
        coerce=lambda value: AccountRole(int(value)),
        initial=AccountRole.VIEWER,
        help_text=ROLE_HELP,
    )


class LostPasswordForm(forms.Form):
    """The mail address that a letter is asked for."""

    address = forms.EmailField(
        max_length=254,
        error_messages={
            "required": "Type the mail address of your account.",
            "invalid": "That is no mail address.",
            "max_length": "A mail address has 254 characters at most.",
        },
    )


class NewAccountForm(_CreationForm):
    """A name, a role and a password, or none: then a link sets it. A viewer unless it says otherwise."""

    role = _role_field()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in PASSWORD_FIELDS:
            self.fields[name].required = False
        self.fields["password1"].help_text = INVITATION_HELP

    @override
    def clean(self) -> dict[str, Any]:
        """Both fields of the password, or none."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        given = [bool(cleaned.get(name)) for name in PASSWORD_FIELDS]
        if any(given) and not all(given) and not self.errors.keys() & set(PASSWORD_FIELDS):
            self.add_error("password2", "Type the password in both fields, or leave both empty.")
        return cleaned

    @override
    def save(self, commit: bool = True) -> User:
        """Save the account; without a password nobody can sign in until a link has set one."""
        user: User = super().save(commit=False)
        if not self.cleaned_data["password1"]:
            user.set_unusable_password()
        if commit:
            user.save()
        return user

    class Meta(BaseUserCreationForm.Meta):
        pass


class AccountForm(_ChangeForm):
    """An account; the last administrator stays one."""

    role = _role_field()

    class Meta(UserChangeForm.Meta):
        labels = {"is_active": "Open"}
        help_texts = {
            "is_active": "A closed account cannot sign in, and is signed out everywhere at once. What it shared stays."
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial["role"] = self._role_when_open()

    @override
    def clean(self) -> dict[str, Any]:
        """Refuse to take the last open administrator's role, or to close their account."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        stays = cleaned.get("role", AccountRole.ADMIN) is AccountRole.ADMIN and cleaned.get("is_active", True)
        if not stays and is_last_administrator(self.instance):
            raise forms.ValidationError(LAST_ADMINISTRATOR.format(name=self.instance.username), code="last_admin")
        return cleaned

    def _role_when_open(self) -> AccountRole:
        user = User(pk=self.instance.pk, is_active=True, is_staff=self.instance.is_staff)
        return role_of(user) or AccountRole.VIEWER
