"""Sessions of agents in the shapes their programs write, in our own words: builders for Codex, Copilot CLI and pi."""

from __future__ import annotations

from typing import Any

from tests.formats.shapes import jsonl

STAMP = "2026-03-04T05:06:07.000Z"


class Rollout:
    """A Codex rollout being written line by line."""

    def __init__(self, **meta: Any) -> None:
        payload = {"id": "r-1", "cwd": "/w", "base_instructions": {"text": "You are a careful agent."}, **meta}
        self.lines: list[dict[str, Any]] = []
        self.add("session_meta", payload)

    def add(self, kind: str, payload: Any) -> None:
        self.lines.append({"timestamp": STAMP, "type": kind, "payload": payload})

    def item(self, kind: str, **more: Any) -> None:
        self.add("response_item", {"type": kind, **more})

    def event(self, kind: str, **more: Any) -> None:
        self.add("event_msg", {"type": kind, **more})

    def said(self, role: str, *texts: str) -> None:
        kind = "output_text" if role == "assistant" else "input_text"
        self.item("message", role=role, content=[{"type": kind, "text": text} for text in texts])
        self.event("agent_message" if role == "assistant" else "user_message", message=texts[-1])

    def call(self, call_id: str, name: str = "exec_command", arguments: str = '{"cmd":"ls"}') -> None:
        self.item("function_call", name=name, arguments=arguments, call_id=call_id)

    def output(self, call_id: str, output: Any = "done") -> None:
        self.item("function_call_output", call_id=call_id, output=output)

    def usage(self, tokens: int, total: int) -> None:
        last = {"input_tokens": tokens, "cached_input_tokens": tokens // 2, "output_tokens": 5}
        self.event("token_count", info={"last_token_usage": last, "total_token_usage": {"input_tokens": total}})

    @property
    def data(self) -> bytes:
        return jsonl(*self.lines)


class Events:
    """A Copilot CLI session being written event by event; each event names the one before it."""

    def __init__(self) -> None:
        self.lines: list[dict[str, Any]] = []
        self.add("session.start", sessionId="p-1", selectedModel="gpt-x")

    def add(self, kind: str, /, **data: Any) -> str:
        uid = f"e{len(self.lines) + 1}"
        parent = self.lines[-1]["id"] if self.lines else None
        self.lines.append({"type": kind, "data": data, "id": uid, "timestamp": STAMP, "parentId": parent})
        return uid

    def user(self, text: str, **more: Any) -> str:
        return self.add("user.message", content=text, transformedContent=f"<now>5</now>\n\n{text}", **more)

    def assistant(self, text: str, *calls: str, **more: Any) -> str:
        requests = [{"toolCallId": each, "name": "bash", "arguments": {"command": each}} for each in calls]
        uid = self.add("assistant.message", content=text, model="gpt-y", toolRequests=requests, **more)
        for each in calls:
            self.add("tool.execution_start", toolCallId=each, toolName="bash", arguments={"command": each})
        return uid

    def result(self, call_id: str, text: str = "done", **more: Any) -> str:
        result = {"content": text, "detailedContent": f"{text}, in detail"}
        return self.add("tool.execution_complete", toolCallId=call_id, success=True, result=result, **more)

    @property
    def data(self) -> bytes:
        return jsonl(*self.lines)


class PiSession:
    """A pi session being written entry by entry: without ids as version 1, or as a tree."""

    def __init__(self, *, tree: bool = False, **header: Any) -> None:
        self.tree = tree
        self.last: str | None = None
        self.lines: list[dict[str, Any]] = [
            {"type": "session", "id": "q-1", "timestamp": STAMP, "cwd": "/w", "modelId": "model-a", **header}
        ]

    def add(self, kind: str, uid: str = "", **more: Any) -> str:
        line: dict[str, Any] = {"type": kind, "timestamp": STAMP, **more}
        if self.tree:
            uid = uid or f"n{len(self.lines)}"
            line |= {"id": uid, "parentId": self.last}
            self.last = uid
        self.lines.append(line)
        return uid

    def said(self, role: str, content: Any, uid: str = "", **more: Any) -> str:
        return self.add("message", uid, message={"role": role, "content": content, **more})

    def user(self, text: str, uid: str = "") -> str:
        return self.said("user", [{"type": "text", "text": text}], uid)

    def assistant(self, *blocks: Any, uid: str = "", **more: Any) -> str:
        usage = {"input": 3, "output": 9, "cacheRead": 100, "cacheWrite": 20}
        return self.said("assistant", list(blocks), uid, model="model-b", usage=usage, **more)

    def result(self, call_id: str, text: str = "done", **more: Any) -> str:
        content = [{"type": "text", "text": text}]
        return self.said("toolResult", content, toolCallId=call_id, toolName="bash", **more)

    @property
    def data(self) -> bytes:
        return jsonl(*self.lines)


def pi_call(call_id: str, name: str = "bash") -> dict[str, Any]:
    return {"type": "toolCall", "id": call_id, "name": name, "arguments": {"command": "ls"}}
