"""Older forms of formats whose makers changed them, in which files are still kept."""

from __future__ import annotations

from typing import Any

BARE_ROLLOUT: tuple[dict[str, Any], ...] = (
    {"id": "r-0", "timestamp": "2025-08-18T01:16:13.522Z", "instructions": "Be brief.", "git": {"branch": "main"}},
    {"record_type": "state"},
    {
        "type": "message",
        "id": None,
        "role": "user",
        "content": [{"type": "input_text", "text": "<environment_context>\n/w\n</environment_context>"}],
    },
    {"type": "message", "id": None, "role": "user", "content": [{"type": "input_text", "text": "List the piers"}]},
    {"record_type": "state"},
    {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Look."}]},
    {"type": "function_call", "id": "f1", "name": "shell", "arguments": '{"command":["ls"]}', "call_id": "k1"},
    {"type": "function_call_output", "call_id": "k1", "output": '{"output":"a b","metadata":{"exit_code":0}}'},
    {
        "type": "local_shell_call",
        "id": "l1",
        "call_id": "k2",
        "status": "completed",
        "action": {"type": "exec", "command": ["pwd"]},
    },
    {"type": "function_call_output", "call_id": "k2", "output": "/w"},
    {"type": "message", "id": "m1", "role": "assistant", "content": [{"type": "output_text", "text": "Two piers."}]},
)
"""A Codex rollout from before September 2025: a header, then the items without a `payload`."""

FIRST_ROLLOUT: dict[str, Any] = {
    "session": {"timestamp": "2025-05-01T00:00:00.000Z", "id": "r-00", "instructions": ""},
    "items": list(BARE_ROLLOUT[3:4]) + list(BARE_ROLLOUT[5:]),
}
"""A rollout of the first Codex, which was written in TypeScript."""

OLD_EXEC: tuple[dict[str, Any], ...] = (
    {"model": "o3", "workdir": "/w", "provider": "openai", "sandbox": "read-only"},
    {"prompt": "List the piers"},
    {"id": "0", "msg": {"type": "task_started"}},
    {"id": "0", "msg": {"type": "agent_reasoning", "text": "Look."}},
    {"id": "0", "msg": {"type": "exec_command_begin", "call_id": "k1", "command": ["ls"], "cwd": "/w"}},
    {
        "id": "0",
        "msg": {"type": "exec_command_end", "call_id": "k1", "stdout": "a b", "stderr": "", "exit_code": 0},
    },
    {
        "id": "0",
        "msg": {
            "type": "mcp_tool_call_begin",
            "call_id": "k2",
            "invocation": {"server": "docs", "tool": "find", "arguments": {"q": 1}},
        },
    },
    {"id": "0", "msg": {"type": "mcp_tool_call_end", "call_id": "k2", "result": {"Err": "no such page"}}},
    {"id": "0", "msg": {"type": "patch_apply_begin", "call_id": "k3", "changes": {"a": {"add": {"content": "x"}}}}},
    {"id": "0", "msg": {"type": "patch_apply_end", "call_id": "k3", "stdout": "Done", "stderr": "", "success": True}},
    {"id": "0", "msg": {"type": "agent_message", "message": "Two piers."}},
)
"""What `codex exec --json` printed before September 2025."""
