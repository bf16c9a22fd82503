"""A small file in the shape of each maker's format, by the format's name; the shapes stand in `makers/`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from tests.formats.editors.antigravity_shapes import ANTIGRAVITY
from tests.formats.makers.agents import (
    CLAUDE_STREAM,
    CLINE,
    CODEX_EXEC,
    CONTINUE,
    CURSOR,
    CURSOR_STREAM,
    DROID,
    GOOSE,
    KIMI,
    LETTA,
    OPENCODE,
    QWEN_CODE,
    VSCODE_CHAT,
    ZED,
)
from tests.formats.makers.chat_exports import CLAUDE_AI, DEEPSEEK, GROK, LIBRECHAT, LM_STUDIO, OPEN_WEBUI, SPOKEN_ROWS
from tests.formats.makers.datasets import (
    GLAIVE,
    INSTRUCTIONS,
    LMFLOW,
    MOSS,
    MT_BENCH,
    QUESTIONS,
    RANKED,
    RENDERED_CHAT,
    TAU2,
    TURN_PAIRS,
    ULTRACHAT,
    XLAM,
)
from tests.formats.makers.frameworks import (
    AUTOGEN,
    CONVERSE,
    HAYSTACK,
    INSPECT,
    LLAMA_INDEX,
    MICROSOFT_AI,
    MODEL_MESSAGES,
    PYDANTIC_AI,
    SMOLAGENTS,
    SPRING_AI,
)
from tests.formats.makers.interfaces import CLINE_MESSAGES, CURSOR_ROWS
from tests.formats.makers.openhands import OPENHANDS, OPENHANDS_SDK
from tests.formats.makers.runs import AGENT_RUN, AMAZON_Q, AMP, CRUSH
from tests.formats.makers.texts import AIDER, CLAUDE_EXPORT, EXPORTED_CHAT, SPECSTORY
from tests.formats.makers.traces import ATIF, HAR, HELICONE, LANGFUSE, LANGSMITH, MLFLOW, OPENINFERENCE, OTEL, PROXY_LOG
from tests.formats.shapes import dumps, jsonl

MAKERS: Final[Mapping[str, bytes]] = {
    "amazon-q": dumps(AMAZON_Q),
    "amp": dumps(AMP),
    "crush": jsonl(*CRUSH),
    "agent-run": jsonl(*AGENT_RUN),
    "antigravity": jsonl(*ANTIGRAVITY),
    "kimi": jsonl(*KIMI),
    "zed": dumps(ZED),
    "autogen": dumps(AUTOGEN),
    "smolagents": dumps(SMOLAGENTS),
    "microsoft-ai": dumps(MICROSOFT_AI),
    "spring-ai": dumps(SPRING_AI),
    "haystack": dumps(HAYSTACK),
    "llama-index": dumps(LLAMA_INDEX),
    "mt-bench": jsonl(*MT_BENCH),
    "lmflow": dumps(LMFLOW),
    "moss": jsonl(*MOSS),
    "turn-pairs": jsonl(*TURN_PAIRS),
    "ranked": jsonl(*RANKED),
    "questions": jsonl(*QUESTIONS),
    "ultrachat": jsonl(*ULTRACHAT),
    "rendered-chat": jsonl(*RENDERED_CHAT),
    "xlam": jsonl(*XLAM),
    "glaive": jsonl(*GLAIVE),
    "claude-ai": dumps(CLAUDE_AI),
    "open-webui": dumps(OPEN_WEBUI),
    "librechat": dumps(LIBRECHAT),
    "lm-studio": dumps(LM_STUDIO),
    "deepseek": dumps(DEEPSEEK),
    "grok": dumps(GROK),
    "spoken-rows": SPOKEN_ROWS.encode(),
    "claude-stream": jsonl(*CLAUDE_STREAM),
    "cline": dumps(CLINE),
    "cline-messages": dumps(CLINE_MESSAGES),
    "cursor-chats": dumps(CURSOR_ROWS),
    "cursor": jsonl(*CURSOR),
    "droid": jsonl(*DROID),
    "goose": dumps(GOOSE),
    "opencode": dumps(OPENCODE),
    "qwen-code": jsonl(*QWEN_CODE),
    "ai-sdk-model": dumps(MODEL_MESSAGES),
    "vscode-chat": dumps(VSCODE_CHAT),
    "cursor-stream": jsonl(*CURSOR_STREAM),
    "langfuse": dumps(LANGFUSE),
    "atif": dumps(ATIF),
    "openinference": dumps(OPENINFERENCE),
    "letta": dumps(json.dumps(LETTA)),
    "converse": dumps(CONVERSE),
    "pydantic-ai": dumps(PYDANTIC_AI),
    "langsmith": dumps(LANGSMITH),
    "mlflow": dumps(MLFLOW),
    "opentelemetry": dumps(OTEL),
    "har": dumps(HAR),
    "proxy-log": jsonl(*PROXY_LOG),
    "tau2": dumps(TAU2),
    "instructions": jsonl(*INSTRUCTIONS),
    "specstory": SPECSTORY.encode(),
    "aider": AIDER.encode(),
    "exported-chat": EXPORTED_CHAT.encode(),
    "continue": dumps(CONTINUE),
    "codex-exec": jsonl(*CODEX_EXEC),
    "inspect": dumps(INSPECT),
    "helicone": dumps(HELICONE),
    "openhands": dumps(OPENHANDS),
    "openhands-sdk": jsonl(*OPENHANDS_SDK),
    "claude-export": CLAUDE_EXPORT.encode(),
}
"""A fixture by the name of its format; every one is claimed by that format alone, and damaged by the fuzz tests."""
