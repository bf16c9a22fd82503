"""The forms of sources: upload and rename."""

from __future__ import annotations

from dataclasses import dataclass

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.http import QueryDict
from django.utils.datastructures import MultiValueDict


@dataclass(frozen=True, slots=True)
class UploadForm:
    """One use of the drop zone.

    Attributes:
        files: chosen or dropped, each a source of its own.
        folder: the files of one folder, which becomes one source.
        paths: JSON, the path and time of each file in `folder`.
        text: pasted, with the line ends it had before the browser sent them.
        as_format: the importer asked for; "" leaves the choice to detection.
    """

    files: tuple[UploadedFile[bytes], ...] = ()
    folder: tuple[UploadedFile[bytes], ...] = ()
    paths: str = ""
    text: str = ""
    as_format: str = ""

    @property
    def is_empty(self) -> bool:
        """Nothing was chosen and nothing was pasted."""
        return not self.files and not self.folder and not self.text.strip()


def read_submission(data: QueryDict, files: MultiValueDict[str, UploadedFile[bytes]]) -> UploadForm:
    """The fields `files`, `folder`, `paths`, `text` and `format` of a POST."""
    return UploadForm(
        files=tuple(files.getlist("files")),
        folder=tuple(files.getlist("folder")),
        paths=data.get("paths", ""),
        text=data.get("text", "").replace("\r\n", "\n"),
        as_format=data.get("format", ""),
    )


class NameForm(forms.Form):
    """A new name for a source."""

    name = forms.CharField(
        max_length=120,
        error_messages={
            "required": "A source needs a name.",
            "max_length": "The name has %(show_value)d characters; 120 fit.",
        },
    )
