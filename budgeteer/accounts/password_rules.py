"""A rule for passwords beside Django's: enough different characters."""

from __future__ import annotations

from typing import Final

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError

LEAST_CHARACTERS: Final = 5


class VariedPasswordValidator:
    """Refuses a password of few different characters: blanks, or a short word again and again."""

    def validate(self, password: str, user: User | None = None) -> None:
        """Check one password.

        Raises:
            ValidationError: it has too few different characters, blanks and case left aside.
        """
        del user
        if len(set("".join(password.casefold().split()))) < LEAST_CHARACTERS:
            raise ValidationError(self.get_help_text(), code="password_not_varied")

    def get_help_text(self) -> str:
        """What a form says beside the field."""
        return f"Your password must have at least {LEAST_CHARACTERS} different characters."
