"""The forms of sources: upload, rename, and the mapping of an unknown file."""

from __future__ import annotations

from dataclasses import dataclass, replace

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.http import QueryDict
from django.utils.datastructures import MultiValueDict

from budgeteer.engine.errors import FormatError
from budgeteer.formats.mapping.field_mapping import PATHS, VERSION, FieldMapping, mapping_from_json


@dataclass(frozen=True, slots=True)
class UploadForm:
    """One use of the drop zone.

    Attributes:
        files: chosen or dropped, each a source of its own.
        folder: the files of one folder, which becomes one source.
        paths: JSON, the path and time of each file in `folder`.
        text: pasted, with the line ends it had before the browser sent them.
        is_kept: the text is kept where no format reads it, since its owner will say how it is read.
        as_format: the importer asked for; "" leaves the choice to detection.
    """

    files: tuple[UploadedFile[bytes], ...] = ()
    folder: tuple[UploadedFile[bytes], ...] = ()
    paths: str = ""
    text: str = ""
    as_format: str = ""
    is_kept: bool = False

    @property
    def is_empty(self) -> bool:
        """Nothing was chosen and nothing was pasted."""
        return not self.files and not self.folder and not self.text.strip()


def read_submission(data: QueryDict, files: MultiValueDict[str, UploadedFile[bytes]]) -> UploadForm:
    """The fields `files`, `folder`, `paths`, `text`, `format` and `keep` of a POST."""
    return UploadForm(
        files=tuple(files.getlist("files")),
        folder=tuple(files.getlist("folder")),
        paths=data.get("paths", ""),
        text=data.get("text", "").replace("\r\n", "\n"),
        as_format=data.get("format", ""),
        is_kept="keep" in data,
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


@dataclass(frozen=True, slots=True)
class MappingField:
    """One input of the form of a mapping: a path and its title."""

    key: str
    title: str
    value: str
    error: str = ""


@dataclass(frozen=True, slots=True)
class MappingForm:
    """A mapping as a form shows and sends it; roles are lines like `human = user`.

    Attributes:
        error: what is wrong with it and is not of one path.
        mapping: what was typed, None where something is wrong.
    """

    title: str
    fields: tuple[MappingField, ...]
    roles: str
    roles_error: str = ""
    error: str = ""
    mapping: FieldMapping | None = None


def form_of(mapping: FieldMapping) -> MappingForm:
    """The form filled with a mapping."""
    fields = tuple(MappingField(key, title, getattr(mapping, key)) for key, title in PATHS.items())
    roles = "\n".join(f"{name} = {role}" for name, role in mapping.roles.items())
    return MappingForm(mapping.title, fields, roles, mapping=mapping)


def read_mapping(data: QueryDict) -> MappingForm:
    """The form of a POST, each problem beside its input."""
    typed = {key: data.get(f"map-{key}", "").strip() for key in PATHS}
    title, roles = data.get("map-title", "").strip(), data.get("map-roles", "").replace("\r\n", "\n")
    named = dict(_role_line(line) for line in roles.split("\n") if line.strip())
    form = MappingForm(title, tuple(MappingField(key, PATHS[key], typed[key]) for key in PATHS), roles)
    try:
        mapping = mapping_from_json({"budgeteerMapping": VERSION, "title": title, "roles": named, **typed})
    except FormatError as error:
        said = f"{error.what}. {error.mend}." if error.mend else f"{error.what}."
        if error.where in PATHS:
            marked = tuple(replace(one, error=said) if one.key == error.where else one for one in form.fields)
            return replace(form, fields=marked)
        is_role = error.where.partition(".")[0] == "roles"
        return replace(form, roles_error=said) if is_role else replace(form, error=said)
    return replace(form, mapping=mapping)


def _role_line(line: str) -> tuple[str, str]:
    """A line `human = user`; the last sign divides, for a name may hold one."""
    name, _, role = line.rpartition("=")
    return name.strip(), role.strip()
