"""Copy a shared workspace: the items it packs, as files of the new owner.

The originals stay with their owner. Of a conversation only the chosen one is written down, without what the workspace
replaces (its system text, its tool definitions); of a skill only what the page shows of it. Items that the owner has
reworded are written as they read now. Each file is in a form that an import reads back exactly, and the same items
give the same bytes.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any, Final

import yaml

from budgeteer.engine.content.conversation import Conversation
from budgeteer.engine.content.library import Skill, ToolDefinition
from budgeteer.engine.content.usage_order import Use
from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.engine.errors import InputError
from budgeteer.engine.inputs.bundle import Inputs, tools_of
from budgeteer.engine.rendering.markdown import markdown_transcript
from budgeteer.sources.measures.measuring import AT_IMPORT
from budgeteer.sources.services import LoadedSource
from budgeteer.workbench.item_content.edits import SYSTEM, edited
from budgeteer.workbench.models import Workspace, WorkspaceSource
from budgeteer.workbench.workspace_inputs import inputs_of, links_of, load_all

#: A top folder as code hosts add it, which an import takes off again, so that nothing else is taken off.
_TOP: Final = "items-0000000/"
_EARLIEST: Final = (1980, 1, 1, 0, 0, 0)
_NOT_SHARED: Final = "What stands under the front matter of this skill was not shared.\n"
#: The id of every conversation in a copy.
COPY_ID: Final = "conversation"
_LEADING: Final = ("system", "developer")


@dataclass(frozen=True, slots=True)
class HandedFile:
    """One source as a file: its name, its bytes, the format they are in, and what a text stands for."""

    name: str
    content: bytes
    as_format: str
    role: str


@dataclass(frozen=True, slots=True)
class HandedOver:
    """Everything a copy is made of: files in their order, and the texts typed into the workspace by field."""

    files: tuple[HandedFile, ...]
    texts: Mapping[str, str]


def hand_over(workspace: Workspace) -> HandedOver:
    """Write down what the workspace packs.

    Raises:
        InputError: a source is still being imported, or a chosen conversation is not there any more.
    """
    links = links_of(workspace)
    for link in links:
        if link.source.is_importing:
            raise InputError("it is still being imported", where=link.source.name, mend="Try again when that is done")
    tokenizer = AT_IMPORT[0]
    loaded = load_all([link for link in links if link.source.is_ready], tokenizer=tokenizer)
    given = inputs_of(workspace, loaded)
    inputs = edited(given, workspace.edits, counter=counter_for(tokenizer))
    return HandedOver(tuple(_files(workspace, loaded, given, inputs)), _texts(workspace, inputs))


def _texts(workspace: Workspace, inputs: Inputs) -> dict[str, str]:
    """The typed texts; one that was reworded holds the wording, and the sources it was made of are left out."""
    return {
        "system_text": inputs.system or "" if SYSTEM in workspace.edits else workspace.system_text,
        "context_text": inputs.workspace_context or "" if "workspace" in workspace.edits else workspace.context_text,
        "query_text": workspace.query_text,
    }


def _files(
    workspace: Workspace, loaded: Sequence[tuple[WorkspaceSource, LoadedSource]], given: Inputs, inputs: Inputs
) -> Iterator[HandedFile]:
    libraries = _Libraries(iter(inputs.skills), iter(inputs.tools or ()))
    specs = iter(inputs.specs)
    roles = WorkspaceSource.Role
    reworded = {roles.SYSTEM: SYSTEM in workspace.edits, roles.CONTEXT: "workspace" in workspace.edits}
    packed = next((one for _, one in loaded if one.kind == "conversation"), None)
    for link, one in loaded:
        if one.kind == "text":
            text = next(specs)[1] if link.role == roles.SPEC else one.text
            if text and not reworded.get(roles(link.role), False):
                yield HandedFile(link.source.name, text.encode(errors="replace"), "text", link.role)
        elif one.kind != "conversation":
            yield _file(link, *libraries.written(one))
        elif one is packed and one.conversation is not None:
            talk = _talk(one.conversation, given, inputs)
            if talk.messages:
                yield _file(link, ".md", markdown_transcript([talk]).encode(errors="replace"), "markdown")


@dataclass(frozen=True, slots=True)
class _Libraries:
    """The skills and tools of all libraries as they read now, taken in the order of their sources."""

    skills: Iterator[Skill]
    tools: Iterator[ToolDefinition]

    def written(self, one: LoadedSource) -> tuple[str, bytes, str]:
        """The next library as a file: its ending, its bytes, its format."""
        match one.kind:
            case "skills":
                mine = [next(self.skills) for _ in one.skills]
                return ".zip", _zipped((skill.path, _skill_file(skill), skill.modified) for skill in mine), "skills"
            case "tools":
                return ".json", _json([dict(next(self.tools).raw) for _ in one.tools or ()]), "tools"
            case "features":
                specs = ((spec.path, spec.text.encode(errors="replace"), "") for spec in one.features)
                return ".zip", _zipped(specs), "features"
            case "chunks":
                return ".json", _json([_chunk(asdict(chunk)) for chunk in one.chunks]), "chunks"
            case _:
                uses = {name: {"count": use.count, **_last(use)} for name, use in one.usage.items()}
                return ".json", _json(uses), "usage"


def _last(use: Use) -> dict[str, float]:
    return {"last": use.last} if use.last else {}


def _talk(conversation: Conversation, given: Inputs, inputs: Inputs) -> Conversation:
    """The conversation without what the workspace uses in its place, and without what is no part of a prompt.

    Nor does it keep its own id, which no page shows: an application opens the original by it.
    """
    messages = list(conversation.messages)
    start = 0
    while inputs.system is not None and start < len(messages) and messages[start].role in _LEADING:
        start += 1
    own: tuple[Mapping[str, Any], ...] = ()
    if given.tools is None:
        own = tuple(tool.raw for tool in (tools_of(conversation) if inputs.tools is None else inputs.tools))
    return replace(
        conversation, id=COPY_ID, messages=messages[start:], tools=own, branches=0, branch_of="", metadata={}
    )


def _file(link: WorkspaceSource, ending: str, content: bytes, as_format: str) -> HandedFile:
    name = PurePosixPath(link.source.name)
    return HandedFile(f"{name.stem or name}{ending}", content, as_format, link.role)


def _skill_file(skill: Skill) -> bytes:
    """A SKILL.md of the same size with name, description and flags; spaces stand where its body was."""
    head = {"name": skill.name, "description": skill.description}
    flags = {key: value for key, value in skill.metadata.items() if isinstance(value, bool)}
    quoted = yaml.safe_dump(head, allow_unicode=True, default_style='"', width=float("inf"), sort_keys=False)
    front = quoted + (yaml.safe_dump(flags, allow_unicode=True) if flags else "")
    written = f"---\n{front}---\n{_NOT_SHARED if skill.body.strip() else ''}".encode(errors="replace")
    return written.ljust(skill.file_bytes, b"\n")


def _chunk(row: Mapping[str, Any]) -> dict[str, Any]:
    named = {"text": row["text"], "chunk_id": row["id"], "score": row["score"], "source": row["source"]}
    return {key: value for key, value in named.items() if key == "text" or value not in ("", None)}


def _zipped(files: Iterable[tuple[str, bytes, str]]) -> bytes:
    """Path, bytes and time of each as an archive that is the same for the same files; nothing in it is compressed."""
    held = list(files)
    top = _TOP if all("/" in path for path, _, _ in held) else ""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for path, content, modified in held:
            archive.writestr(zipfile.ZipInfo(f"{top}{path}", _time(modified)), content)
    return out.getvalue()


def _time(modified: str) -> tuple[int, int, int, int, int, int]:
    try:
        moment = datetime.fromisoformat(modified)
    except ValueError:
        return _EARLIEST
    year, month, day, hour, minute, second, *_ = moment.timetuple()
    return (year, month, day, hour, minute, second) if 1980 <= year <= 2107 else _EARLIEST


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=1).encode(errors="replace")
