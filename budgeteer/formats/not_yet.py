"""Formats that are known but not read yet: named in a refusal, never read as something else."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from budgeteer.engine.errors import FormatError
from budgeteer.formats.conversations import text_value
from budgeteer.formats.document import Document

_SAMPLE = 40
_RESPONSE_ITEMS = frozenset(
    {
        "function_call",
        "function_call_output",
        "custom_tool_call",
        "custom_tool_call_output",
        "reasoning",
        "mcp_call",
        "mcp_list_tools",
        "web_search_call",
        "file_search_call",
        "code_interpreter_call",
        "tool_search_call",
        "computer_call",
    }
)


def known_but_unread(document: Document) -> str | None:
    """The title of the format a document has when it is one that is not read yet."""
    rows = _rows(document)
    for title, fits in _ROW_FORMATS:
        if rows and sum(1 for row in rows if fits(row)) * 2 >= len(rows):
            return title
    value = document.value
    if isinstance(value, Mapping):
        for title, fits in _OBJECT_FORMATS:
            if fits(value):
                return title
    return None


def refuse_unread(title: str, *, where: str = "") -> FormatError:
    """The refusal of a known format."""
    return FormatError(
        f"This looks like {title}, which Budgeteer does not read yet",
        where=where,
        mend="Convert it to OpenAI chat or Anthropic messages, or name its format if this is a mistake",
    )


def _rows(document: Document) -> Sequence[Mapping[str, Any]]:
    """The first objects of a JSONL file or JSON array."""
    if document.shape == "jsonl":
        return [line.value for line in document.lines[:_SAMPLE]]
    if isinstance(document.value, list):
        return [item for item in document.value[:_SAMPLE] if isinstance(item, Mapping)]
    return []


def _typed(row: Mapping[str, Any]) -> str:
    return text_value(row.get("type"))


def _is_codex(row: Mapping[str, Any]) -> bool:
    return isinstance(row.get("payload"), Mapping) and _typed(row) in (
        "session_meta",
        "response_item",
        "event_msg",
        "turn_context",
        "compacted",
    )


def _is_copilot(row: Mapping[str, Any]) -> bool:
    return "." in _typed(row) and isinstance(row.get("data"), Mapping)


def _is_pi(row: Mapping[str, Any]) -> bool:
    message = row.get("message")
    wrapped = _typed(row) == "message" and isinstance(message, Mapping) and "role" in message
    return wrapped or _typed(row) in ("model_change", "thinking_level_change")


def _is_chatgpt(row: Mapping[str, Any]) -> bool:
    return isinstance(row.get("mapping"), Mapping)


def _is_sharegpt(row: Mapping[str, Any]) -> bool:
    turns = row.get("conversations", row.get("conversation"))
    return isinstance(turns, list) and any(isinstance(turn, Mapping) and "from" in turn for turn in turns[:5])


def _is_llama_factory(row: Mapping[str, Any]) -> bool:
    for message in _mappings(row.get("messages"))[:5]:
        parts = _mappings(message.get("content"))
        if any("value" in part and "text" not in part for part in parts):
            return True
    return False


def _is_ui_message(row: Mapping[str, Any]) -> bool:
    parts = row.get("parts")
    return "role" in row and isinstance(parts, list) and any("type" in part for part in _mappings(parts))


def _is_gemini_content(row: Mapping[str, Any]) -> bool:
    parts = row.get("parts")
    return isinstance(parts, list) and row.get("role") in ("user", "model", None) and bool(_mappings(parts))


def _is_langchain_message(row: Mapping[str, Any]) -> bool:
    return "lc" in row and _typed(row) == "constructor"


def _is_bfcl(row: Mapping[str, Any]) -> bool:
    return isinstance(row.get("question"), list) and ("function" in row or "initial_config" in row or "path" in row)


def _is_text_transcript(row: Mapping[str, Any]) -> bool:
    return isinstance(row.get("messages_display"), str)


def _is_response_item(row: Mapping[str, Any]) -> bool:
    return _typed(row) in _RESPONSE_ITEMS and ("call_id" in row or "id" in row or "summary" in row)


def _is_adk_eval(row: Mapping[str, Any]) -> bool:
    return "query" in row and "expected_tool_use" in row


def _is_responses(value: Mapping[str, Any]) -> bool:
    if value.get("object") == "response" or "messages" in value:
        return value.get("object") == "response"
    given = value.get("input")
    known = {"model", "instructions", "tools", "previous_response_id", "max_output_tokens"} & value.keys()
    if isinstance(given, list):
        return bool(known) or any("role" in item or _typed(item) in _RESPONSE_ITEMS for item in _mappings(given))
    return isinstance(given, str) and "model" in value


def _is_gemini(value: Mapping[str, Any]) -> bool:
    contents = _mappings(value.get("contents"))
    candidates = _mappings(value.get("candidates"))
    return any("parts" in item for item in contents) or any("content" in item for item in candidates)


def _is_adk(value: Mapping[str, Any]) -> bool:
    if "eval_cases" in value or "evalCases" in value:
        return True
    return isinstance(value.get("events"), list) and not {"app_name", "appName", "user_id", "userId"}.isdisjoint(value)


def _is_gemini_cli(value: Mapping[str, Any]) -> bool:
    return any(_typed(item) in ("gemini", "user", "info") for item in _mappings(value.get("messages"))[:20])


def _is_langchain(value: Mapping[str, Any]) -> bool:
    return _is_langchain_message(value) or any(map(_is_langchain_message, _mappings(value.get("messages"))[:5]))


def _is_ui_messages(value: Mapping[str, Any]) -> bool:
    return any(map(_is_ui_message, _mappings(value.get("messages"))[:5]))


def _mappings(value: Any) -> list[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []


type _Test = Callable[[Mapping[str, Any]], bool]

_ROW_FORMATS: tuple[tuple[str, _Test], ...] = (
    ("a Codex rollout", _is_codex),
    ("a Copilot CLI session", _is_copilot),
    ("a pi session", _is_pi),
    ("a ChatGPT export", _is_chatgpt),
    ("ShareGPT conversations", _is_sharegpt),
    ("LLaMA-Factory conversations", _is_llama_factory),
    ("AI SDK UI messages", _is_ui_message),
    ("a Gemini conversation", _is_gemini_content),
    ("a LangChain dump", _is_langchain_message),
    ("a BFCL benchmark file", _is_bfcl),
    ("text transcripts (`messages_display`)", _is_text_transcript),
    ("OpenAI Responses items", _is_response_item),
    ("an ADK evaluation", _is_adk_eval),
)

_OBJECT_FORMATS: tuple[tuple[str, _Test], ...] = (
    ("a Codex rollout", _is_codex),
    ("a ChatGPT export", _is_chatgpt),
    ("an OpenAI Responses body", _is_responses),
    ("a Gemini request or response", _is_gemini),
    ("an ADK session", _is_adk),
    ("a Gemini CLI session", _is_gemini_cli),
    ("a LangChain dump", _is_langchain),
    ("AI SDK UI messages", _is_ui_messages),
    ("ShareGPT conversations", _is_sharegpt),
    ("LLaMA-Factory conversations", _is_llama_factory),
    ("a BFCL benchmark file", _is_bfcl),
)
