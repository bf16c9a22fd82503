"""Build the engine's inputs from a workspace: its libraries joined, one conversation as the history."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from budgeteer.engine.content.usage_order import Use
from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.engine.errors import InputError
from budgeteer.engine.inputs.bundle import Inputs, PromptTexts
from budgeteer.engine.inputs.prompt_sources import build_inputs
from budgeteer.jobs.models import Job
from budgeteer.sources import services as sources
from budgeteer.sources.loading import counted_among
from budgeteer.sources.services import LoadedSource
from budgeteer.workbench.models import Workspace, WorkspaceSource


@dataclass(frozen=True, slots=True)
class InputProblem:
    """Something that keeps a preview from being whole: a title, a sentence, and the way to mend it."""

    title: str
    sentence: str
    url: str = ""
    action: str = ""


@dataclass(slots=True)
class InputReadiness:
    """Where the sources of a workspace stand.

    Attributes:
        links: the sources in use, in order, their states brought up to date.
        ready: those that are imported and counted.
        jobs: what is still being worked on.
        problems: what failed.
    """

    links: list[WorkspaceSource] = field(default_factory=list)
    ready: list[WorkspaceSource] = field(default_factory=list)
    jobs: list[Job] = field(default_factory=list)
    problems: list[InputProblem] = field(default_factory=list)


def links_of(workspace: Workspace) -> list[WorkspaceSource]:
    """The sources the workspace uses, in order, their states brought up to date."""
    used = workspace.links.select_related("source").filter(source__deleted_at__isnull=True)
    for link in used:
        sources.refresh_state(link.source)
    return list(used)


def readiness_of(links: Iterable[WorkspaceSource], *, tokenizer: str) -> InputReadiness:
    """Look at every source once, and ask for the counting that is missing.

    Raises:
        TokenizerUnavailable: the tokenizer is not packaged here.
    """
    found = InputReadiness(links=list(links))
    ready = [link.source for link in found.links if link.source.state == "ready"]
    if ready:
        counter_for(tokenizer)
    counted = counted_among(ready, tokenizer)
    for link in found.links:
        job = sources.importing_job(link.source)
        if link.source.state == "ready" and link.source_id not in counted:
            job = sources.ensure_measured(link.source, tokenizer)
        if job is not None:
            found.jobs.append(job)
        elif link.source.state == "ready":
            found.ready.append(link)
        elif link.source.state == "failed":
            found.problems.append(_failed(link))
    return found


def load_all(links: Iterable[WorkspaceSource], *, tokenizer: str) -> list[tuple[WorkspaceSource, LoadedSource]]:
    """Every source with its measures, in order.

    Raises:
        InputError: a chosen conversation is not there any more.
    """
    return [
        (link, sources.load_inputs(link.source, tokenizer=tokenizer, conversation=link.conversation_index))
        for link in links
    ]


def inputs_of(workspace: Workspace, loaded: Sequence[tuple[WorkspaceSource, LoadedSource]]) -> Inputs:
    """What the engine packs: the first conversation, all libraries joined, the typed and pasted texts."""
    texts = _texts(workspace, loaded)
    return build_inputs(
        [one for _, one in loaded],
        PromptTexts(
            system="\n\n".join(texts["system"]) or None,
            specs=tuple(
                (one.name, one.text)
                for link, one in loaded
                if one.kind == "text" and link.role == WorkspaceSource.Role.SPEC
            ),
            workspace_context="\n\n".join(texts["context"]) or None,
            query="\n\n".join(texts["query"]) or None,
        ),
    )


def recorded_of(loaded: Iterable[tuple[WorkspaceSource, LoadedSource]]) -> Mapping[str, Use]:
    """What the usage files record, by the names they give: the counts of several are added, the newest use stays."""
    uses: dict[str, Use] = {}
    for _, one in loaded:
        for name, use in one.usage.items():
            before = uses.get(name, Use())
            uses[name] = Use(before.count + use.count, max(before.last, use.last))
    return uses


def _texts(workspace: Workspace, loaded: Sequence[tuple[WorkspaceSource, LoadedSource]]) -> dict[str, list[str]]:
    """By role, the text typed into the workspace and then the pasted sources that stand for the same."""
    texts = {
        "system": [workspace.system_text],
        "context": [workspace.context_text],
        "query": [workspace.query_text],
    }
    for link, one in loaded:
        if one.kind == "text" and link.role in texts:
            texts[link.role].append(one.text)
    return {role: [text for text in listed if text.strip()] for role, listed in texts.items()}


def _failed(link: WorkspaceSource) -> InputProblem:
    name, said = link.source.name, link.source.error
    inside = said.get("where", "").removeprefix(name).lstrip(": ")
    mend = "Choose its format or map its fields on its page" if said.get("unknown") else said.get("mend", "")
    error = InputError(said.get("what") or "It could not be read", where=inside, mend=mend)
    sentence = f"{error.sentence[:1].upper()}{error.sentence[1:].removesuffix('.')}."
    return InputProblem(f"{name} was not imported.", sentence, link.source.get_absolute_url(), "Open the source")
