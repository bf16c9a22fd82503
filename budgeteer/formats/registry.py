"""The format registry: built-in formats and those of other packages, in the order of detection.

A new format of ours is one module with `detect` and `read`, and one row in `OUR_FORMATS`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial

from budgeteer.formats import transcript_archives
from budgeteer.formats.adk import evaluation_sets, sessions
from budgeteer.formats.anthropic import messages
from budgeteer.formats.chatgpt import importer as chatgpt_export
from budgeteer.formats.claude_code import importer as claude_code
from budgeteer.formats.codex import importer as codex
from budgeteer.formats.copilot import importer as copilot_cli
from budgeteer.formats.datasets import bfcl, llama_factory, oasst, sharegpt, swe_agent, toolbench
from budgeteer.formats.format import Format
from budgeteer.formats.gemini import cli_sessions, requests, studio
from budgeteer.formats.langchain import importer as langchain
from budgeteer.formats.libraries import chunks, features, skills, tools, usage_file
from budgeteer.formats.openai import chat, responses
from budgeteer.formats.pi import importer as pi
from budgeteer.formats.plugins import load_plugins
from budgeteer.formats.text import markdown_transcript, plain_text, text_transcripts
from budgeteer.formats.ui_messages import importer as ui_messages

OUR_FORMATS: tuple[Format, ...] = (
    Format("skills", "Skill library", "skills", skills.detect, skills.read),
    Format("features", "Feature library", "features", features.detect, features.read),
    Format(
        "claude-code", "Claude Code session", "conversation", claude_code.detect, claude_code.read, in_archives=True
    ),
    Format("codex", "Codex rollout", "conversation", codex.detect, codex.read, in_archives=True),
    Format(
        "copilot-cli", "Copilot CLI session", "conversation", copilot_cli.detect, copilot_cli.read, in_archives=True
    ),
    Format("pi", "pi session", "conversation", pi.detect, pi.read, in_archives=True),
    Format("chatgpt", "ChatGPT export", "conversation", chatgpt_export.detect, chatgpt_export.read, in_archives=True),
    Format("oasst", "OpenAssistant trees", "conversation", oasst.detect, oasst.read, in_archives=True),
    Format("langchain", "LangChain dump", "conversation", langchain.detect, langchain.read, in_archives=True),
    Format("ai-sdk", "AI SDK UI messages", "conversation", ui_messages.detect, ui_messages.read, in_archives=True),
    Format("toolbench", "ToolBench", "conversation", toolbench.detect, toolbench.read, in_archives=True),
    Format("sharegpt", "ShareGPT", "conversation", sharegpt.detect, sharegpt.read, in_archives=True),
    Format(
        "llama-factory", "LLaMA-Factory", "conversation", llama_factory.detect, llama_factory.read, in_archives=True
    ),
    Format("bfcl", "BFCL tasks", "conversation", bfcl.detect, bfcl.read, in_archives=True),
    Format(
        "text-transcripts",
        "Text transcripts",
        "conversation",
        text_transcripts.detect,
        text_transcripts.read,
        in_archives=True,
    ),
    Format("swe-agent", "SWE-agent trajectory", "conversation", swe_agent.detect, swe_agent.read, in_archives=True),
    Format("markdown", "Markdown transcript", "conversation", markdown_transcript.detect, markdown_transcript.read),
    Format(
        "gemini-cli", "Gemini CLI session", "conversation", cli_sessions.detect, cli_sessions.read, in_archives=True
    ),
    Format("adk", "ADK session", "conversation", sessions.detect, sessions.read, in_archives=True),
    Format(
        "adk-evals",
        "ADK evaluation set",
        "conversation",
        evaluation_sets.detect,
        evaluation_sets.read,
        in_archives=True,
    ),
    Format("ai-studio", "AI Studio prompt", "conversation", studio.detect, studio.read, in_archives=True),
    Format("gemini", "Gemini API", "conversation", requests.detect, requests.read, in_archives=True),
    Format(
        "openai-responses",
        "OpenAI Responses",
        "conversation",
        responses.detect,
        responses.read,
        in_archives=True,
    ),
    Format("chunks", "Retrieval chunks", "chunks", chunks.detect, chunks.read),
    Format(
        "anthropic",
        "Anthropic Messages",
        "conversation",
        messages.detect,
        messages.read,
        in_archives=True,
    ),
    Format("openai-chat", "OpenAI chat", "conversation", chat.detect, chat.read, in_archives=True),
    Format("tools", "Tool definitions", "tools", tools.detect, tools.read),
    Format("usage", "Usage of skills and tools", "usage", usage_file.detect, usage_file.read),
    Format("pasted-chat", "Pasted chat", "conversation", plain_text.detect_chat, plain_text.read_chat),
    Format("text", "Plain text", "text", plain_text.detect_text, plain_text.read_text),
)
"""In the order they are asked: an archive with one SKILL.md is a skill library before it is anything else."""

ARCHIVES = "transcripts"
"""The format of archives, whose files are read by every row that says `in_archives`."""

_BEHIND_ARCHIVES = "usage"
_PLAIN = "pasted-chat"


@dataclass(frozen=True, slots=True)
class Registry:
    """Every format in the order they are asked, and a sentence for each of another package that is left out."""

    formats: tuple[Format, ...]
    warnings: tuple[str, ...] = ()


@cache
def registry() -> Registry:
    """Our formats and those that installed packages offer, looked for once in a process."""
    plugins = load_plugins({ARCHIVES, *(row.name for row in OUR_FORMATS)})
    rows = list(OUR_FORMATS)
    warnings = list(plugins.warnings)
    for row in plugins.formats:
        names = [each.name for each in rows]
        place = _BEHIND_ARCHIVES if row.before == ARCHIVES else row.before or _PLAIN
        if place not in names:
            warnings.append(
                f"The format `{row.name}` of {row.package} asks to stand before `{row.before}`, which there is not; "
                f"it stands before `{_PLAIN}`"
            )
            place = _PLAIN
        rows.insert(names.index(place), row)
    return Registry(_with_archives(rows), tuple(warnings))


def _with_archives(rows: Sequence[Format]) -> tuple[Format, ...]:
    """The rows with that of archives, which asks the others about each file."""
    readers = tuple(row for row in rows if row.in_archives)
    archives = Format(
        ARCHIVES,
        "Archive of transcripts",
        "conversation",
        partial(transcript_archives.detect, readers=readers),
        partial(transcript_archives.read, readers=readers),
    )
    at = [row.name for row in rows].index(_BEHIND_ARCHIVES)
    return (*rows[:at], archives, *rows[at:])
