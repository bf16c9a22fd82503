"""Texts for a model about pruning: the tool `compress`, a system text for each mode, four nudges.

The words are ours; that there are these seven texts, and what each must say, is the seed's (dynamic context pruning).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

from budgeteer.engine.config.schema import TextsConfig
from budgeteer.engine.content.library import ToolDefinition
from budgeteer.engine.content.written_messages import BLOCK_HEADER
from budgeteer.engine.packing.pruning.nudges import Nudge
from budgeteer.engine.packing.sections.own_tools import OURS, own_tool, worded

_DESCRIPTION: Final = f"""\
Replace finished stretches of this conversation by summaries that you write. Each range becomes one block; from then \
on you see the block in place of its messages.

Which range: from `startId` up to and including `endId`, both taken from the tags that are visible now. A tag such \
as <id>m042</id> stands at the end of the message it names, <id>b3</id> at the end of a block. `startId` must come \
before `endId`. A range may not part a tool call from its results. Do not make up ids.

What to write: everything that is needed to go on without the messages. File paths, names and signatures, decisions \
and their reasons, limits that were found, what is settled and what is open. What the user asked for keeps its exact \
scope; quote short requests word for word. Leave out what led nowhere, long outputs and repetition.

Blocks inside a range: they stand under the line {BLOCK_HEADER}. Name each of them exactly once as (b3), at the \
place where it belongs; it is replaced there by the whole block, so write sentences that read well around it. Name \
no other block that way: outside of this use, write "block 3". Before you call, list the blocks inside the range and \
check that your summary names exactly these, each once.

Several ranges: give all that are ready in one call, as long as they do not overlap. They are checked together, and \
if one of them is wrong none is applied."""

_PARAMETERS: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "topic": {"type": "string", "description": "What the ranges were about, in three to five words."},
        "ranges": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "properties": {
                    "startId": {"type": "string", "description": "Id of the first message or block, such as m012."},
                    "endId": {"type": "string", "description": "Id of the last message or block, such as m034 or b2."},
                    "summary": {"type": "string", "description": "The complete record of what the range holds."},
                },
                "required": ["startId", "endId", "summary"],
            },
        },
    },
    "required": ["topic", "ranges"],
}

#: The system text of mode `auto`.
_SYSTEM_AUTO: Final = """\
# Keeping the context small

The room for this conversation is limited, and what fills it makes your work slower and less precise. Keep it small \
as you go: `{tool}` replaces stretches of the conversation by summaries that you write. Tags such as \
<id>m012</id> and <id>b2</id> are put in by the environment so that you can name messages and blocks. Never write \
such tags yourself.

Compress a stretch when it is closed: a question is answered, a change is made and checked, an attempt is given up. \
Several short, closed stretches are better than one long one; give those that are ready in one call. Do it regularly \
while you work, not only when you are told to.

Leave a stretch as it is while you still work on it, or while you may need its exact text in the next steps: code to \
edit, error messages, file contents. Before you compress, ask yourself whether the summary alone would be enough to \
go on. It becomes the only record of what happened."""

#: The system text of mode `manual`.
_SYSTEM_MANUAL: Final = """\
# Compressing on request

`{tool}` replaces stretches of this conversation by summaries that you write. Tags such as <id>m012</id> and \
<id>b2</id> are put in by the environment so that you can name messages and blocks. Never write such tags yourself.

Use it only when the user asks for it, or when a reminder says that the context is nearly full. Never do it on your \
own account, and not as tidying up between steps.

When you do, take only stretches that are closed, and write everything down that is needed to go on: paths, \
decisions, findings, limits, and what the user asked for in their own words. Give several stretches in one call."""

#: What the environment says with a nudge.
_NUDGES: Final[Mapping[Nudge, str]] = {
    "contextLimitStrong": """\
The context is over its limit. Call `{tool}` now, before anything else; only a step that cannot be interrupted \
may be finished first. Take one large range of older, settled work, from the beginning on, and leave what you are \
working on as it is. Split it only if one summary could not hold everything. Write the summary so that nothing has \
to be looked up again, with the user's requests in their own words.""",
    "contextLimitSoft": """\
The context is nearly full. Look for older work that is closed and call `{tool}` on it, several ranges in one \
call if there are several. Leave what you are working on as it is. If nothing is closed yet, go on and compress as \
soon as something is.""",
    "iteration": """\
You have made many calls since the user last wrote. If a part of that work is closed and will not be needed word for \
word, call `{tool}` on it; several short ranges are better than a long one.""",
    "turn": """\
Look over the conversation: is there a stretch that is closed, or that the user has turned away from? Call \
`{tool}` on it, in short ranges, and keep what is still in use.""",
}


def compress_tool(texts: TextsConfig = OURS) -> ToolDefinition:
    """The definition, in MCP's form; tool_forms.tool_in_form gives it in any provider's."""
    return own_tool(texts.compress_tool_name, texts.compress_tool or _DESCRIPTION, _PARAMETERS)


def system_text(mode: Literal["auto", "manual"], texts: TextsConfig = OURS) -> str:
    """What a system text says to a model that has the tool."""
    own = {"auto": texts.compress_auto or _SYSTEM_AUTO, "manual": texts.compress_manual or _SYSTEM_MANUAL}
    return worded(own[mode], texts.compress_tool_name)


def nudge_text(nudge: Nudge, texts: TextsConfig = OURS) -> str:
    """What the environment says with a nudge."""
    own = {
        "contextLimitStrong": texts.nudge_limit_strong,
        "contextLimitSoft": texts.nudge_limit_soft,
        "iteration": texts.nudge_iteration,
        "turn": texts.nudge_turn,
    }
    return worded(own[nudge] or _NUDGES[nudge], texts.compress_tool_name)
