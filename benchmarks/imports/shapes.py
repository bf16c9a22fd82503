"""Large files in the shapes of formats, written record by record: a prompt, a call with its result, a reply, again."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, Final

from benchmarks.inputs import texts

type Record = dict[str, Any]

STAMP: Final = "2026-01-02T03:04:05Z"

#: Texts that are used over and over, each with a number in front: making them is no part of what is measured.
POOL: Final = 2_000
#: The means of their lengths in characters: of a prompt or a reply, and of a tool's result.
SAID, RESULT = 700, 3_000
#: Records of one conversation, where the file holds many.
TURNS: Final = 4


@dataclass(frozen=True, slots=True)
class Shape:
    """How a file of a format is written.

    Attributes:
        title: as the table names it.
        format: the format it is read as.
        records: endless records, given a source of turns.
        around: what stands before and behind the records of one JSON document; nothing for a record a line.
        key: the field by which the records are those of an object.
        head: what stands on the first line.
        is_typical: whether the largest size is measured too.
    """

    title: str
    format: str
    records: Callable[[Iterator[Turn]], Iterator[Record]]
    around: tuple[str, str] | None = None
    key: str = ""
    head: Sequence[Record] = ()
    is_typical: bool = False


@dataclass(frozen=True, slots=True)
class Turn:
    """A prompt, a call of `Read` with its result, and a reply; numbered from 0."""

    number: int
    asked: str
    path: str
    result: str
    reply: str


def turns(said: int = SAID, result: int = RESULT) -> Iterator[Turn]:
    """Turns without an end, the same every time."""
    chance = random.Random(said + result)
    spoken = [texts.prose(chance, said) for _ in range(POOL)]
    found = [texts.code(chance, result) for _ in range(POOL // 4)]
    for number in count():
        yield Turn(
            number,
            f"{number} {chance.choice(spoken)}",
            f"/src/{number}.py",
            f"{number} {chance.choice(found)}",
            f"{number} {chance.choice(spoken)}",
        )


def write(path: Path, shape: Shape, megabytes: int) -> int:
    """Write a file of that size; how many bytes it has."""
    before, behind = shape.around or ("", "\n")
    between = ",\n" if shape.around else "\n"
    with path.open("w", encoding="utf-8") as file:
        size = file.write(before)
        size += sum(file.write(json.dumps(record) + "\n") for record in shape.head)
        for at, record in enumerate(shape.records(turns())):
            named = f"{json.dumps(record[shape.key])}: " if shape.key else ""
            size += file.write(f"{between if at else ''}{named}{json.dumps(record)}")
            if size >= megabytes * 1_000_000:
                break
        return size + file.write(behind)


def openai_messages(talk: Iterator[Turn]) -> Iterator[Record]:
    """Messages of OpenAI chat."""
    for one in talk:
        yield {"role": "user", "content": one.asked}
        function = {"name": "Read", "arguments": json.dumps({"path": one.path})}
        yield {"role": "assistant", "tool_calls": [{"id": f"k{one.number}", "type": "function", "function": function}]}
        yield {"role": "tool", "tool_call_id": f"k{one.number}", "content": one.result}
        yield {"role": "assistant", "content": one.reply}


def small_messages(_talk: Iterator[Turn]) -> Iterator[Record]:
    """Messages of OpenAI chat of about a kilobyte each, and nothing else."""
    for one in turns(950, 1):
        yield {"role": "user", "content": one.asked}
        yield {"role": "assistant", "content": one.reply}


def tiny_messages(_talk: Iterator[Turn]) -> Iterator[Record]:
    """Messages of OpenAI chat of about 200 bytes each."""
    for one in turns(150, 1):
        yield {"role": "user", "content": one.asked}
        yield {"role": "assistant", "content": one.reply}


def openai_conversations(talk: Iterator[Turn]) -> Iterator[Record]:
    """Requests of some turns each."""
    messages = openai_messages(talk)
    for _ in count():
        yield {"messages": [next(messages) for _ in range(TURNS * 4)]}


def anthropic_messages(talk: Iterator[Turn]) -> Iterator[Record]:
    """Messages of Anthropic's API."""
    for one in talk:
        use = {"type": "tool_use", "id": f"k{one.number}", "name": "Read", "input": {"path": one.path}}
        yield {"role": "user", "content": [{"type": "text", "text": one.asked}]}
        yield {"role": "assistant", "content": [use]}
        result = {"type": "tool_result", "tool_use_id": f"k{one.number}", "content": one.result}
        yield {"role": "user", "content": [result]}
        yield {"role": "assistant", "content": [{"type": "text", "text": one.reply}]}


def gemini_contents(talk: Iterator[Turn]) -> Iterator[Record]:
    """Contents of the Gemini API."""
    for one in talk:
        yield {"role": "user", "parts": [{"text": one.asked}]}
        yield {"role": "model", "parts": [{"functionCall": {"name": "Read", "args": {"path": one.path}}}]}
        answer = {"name": "Read", "response": {"output": one.result}}
        yield {"role": "user", "parts": [{"functionResponse": answer}]}
        yield {"role": "model", "parts": [{"text": one.reply}]}


def claude_code(talk: Iterator[Turn]) -> Iterator[Record]:
    """Lines of Claude Code's sessions."""
    for number, message in enumerate(anthropic_messages(talk)):
        said = message | ({"id": f"msg_{number}"} if message["role"] == "assistant" else {})
        above = _uuid(number - 1) if number else None
        yield {
            "parentUuid": above, "uuid": _uuid(number), "sessionId": "large", "type": message["role"], "message": said,
            "timestamp": STAMP, "cwd": "/src", "version": "2.0.0", "isSidechain": False,
        }  # fmt: skip


def codex(talk: Iterator[Turn]) -> Iterator[Record]:
    """Lines of Codex rollouts."""
    for one in talk:
        call = {"call_id": f"k{one.number}", "name": "Read", "arguments": json.dumps({"path": one.path})}
        for item in (
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": one.asked}]},
            {"type": "function_call", **call},
            {"type": "function_call_output", "call_id": f"k{one.number}", "output": one.result},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": one.reply}]},
        ):
            yield {"timestamp": STAMP, "type": "response_item", "payload": item}


def pi(talk: Iterator[Turn]) -> Iterator[Record]:
    """Entries of pi's sessions."""
    numbers = count()

    def entry(message: Record) -> Record:
        at = next(numbers)
        above = _uuid(at - 1) if at else None
        return {"type": "message", "id": _uuid(at), "parentId": above, "timestamp": STAMP, "message": message}

    for one in talk:
        call = {"type": "toolCall", "id": f"k{one.number}", "name": "Read", "arguments": {"path": one.path}}
        result = {"role": "toolResult", "toolCallId": f"k{one.number}", "toolName": "Read"}
        yield entry({"role": "user", "content": [{"type": "text", "text": one.asked}]})
        yield entry({"role": "assistant", "content": [call]})
        yield entry({**result, "content": [{"type": "text", "text": one.result}]})
        yield entry({"role": "assistant", "content": [{"type": "text", "text": one.reply}]})


def antigravity(talk: Iterator[Turn]) -> Iterator[Record]:
    """Steps of Antigravity's transcripts."""
    for one in talk:
        steps: tuple[Record, ...] = (
            {"source": "USER_EXPLICIT", "type": "USER_INPUT", "content": one.asked},
            {"source": "MODEL", "type": "PLANNER_RESPONSE", "tool_calls": [{"name": "Read", "args": {"p": one.path}}]},
            {"source": "MODEL", "type": "VIEW_FILE", "content": one.result},
            {"source": "MODEL", "type": "PLANNER_RESPONSE", "content": one.reply},
        )
        for at, step in enumerate(steps):
            yield {"step_index": one.number * 4 + at, "status": "DONE", "created_at": STAMP, **step}


def copilot_cli(talk: Iterator[Turn]) -> Iterator[Record]:
    """Events of the Copilot CLI."""
    for one in talk:
        request = {"toolCallId": f"k{one.number}", "name": "Read", "arguments": {"path": one.path}}
        for kind, data in (
            ("user.message", {"content": one.asked}),
            ("assistant.message", {"content": "", "toolRequests": [request]}),
            (
                "tool.execution_complete",
                {"toolCallId": f"k{one.number}", "success": True, "result": {"content": one.result}},
            ),
            ("assistant.message", {"content": one.reply, "toolRequests": []}),
        ):
            yield {
                "type": kind,
                "data": data,
                "id": f"{one.number}{kind}{len(data)}",
                "timestamp": STAMP,
                "parentId": None,
            }


def sharegpt(talk: Iterator[Turn]) -> Iterator[Record]:
    """Conversations of ShareGPT."""
    for number in count():
        said: list[Record] = []
        for one in (next(talk) for _ in range(TURNS * 2)):
            said += [{"from": "human", "value": one.asked}, {"from": "gpt", "value": one.reply}]
        yield {"id": f"c{number}", "conversations": said}


def oasst_messages(talk: Iterator[Turn]) -> Iterator[Record]:
    """Messages of OpenAssistant, a line each: trees of a prompt, two replies, and what was said to the first."""
    for number in count():
        one, two = next(talk), next(talk)
        said = (
            ("a", None, "prompter", one.asked, None), ("b", "a", "assistant", one.reply, 0),
            ("c", "a", "assistant", two.reply, 1), ("d", "b", "prompter", two.asked, None),
        )  # fmt: skip
        for name, above, role, text, rank in said:
            yield {
                "message_id": f"{number}{name}", "parent_id": above and f"{number}{above}", "role": role, "text": text,
                "message_tree_id": f"{number}a", "rank": rank, "created_date": STAMP, "lang": "en", "deleted": False,
            }  # fmt: skip


def chatgpt(talk: Iterator[Turn]) -> Iterator[Record]:
    """Conversations of ChatGPT's export."""
    for number in count():
        nodes: Record = {"root": {"id": "root", "message": None, "parent": None, "children": ["n0"]}}
        said = [(role, text) for one in (next(talk) for _ in range(TURNS * 2)) for role, text in _both(one)]
        for at, (role, text) in enumerate(said):
            message = {
                "id": f"n{at}", "author": {"role": role, "name": None, "metadata": {}}, "create_time": 1_700_000_000.5,
                "content": {"content_type": "text", "parts": [text]}, "status": "finished_successfully",
                "weight": 1.0, "metadata": {}, "recipient": "all",
            }  # fmt: skip
            below = [f"n{at + 1}"] if at + 1 < len(said) else []
            nodes[f"n{at}"] = {"id": f"n{at}", "message": message, "children": below}
            nodes[f"n{at}"]["parent"] = f"n{at - 1}" if at else "root"
        last = f"n{len(said) - 1}"
        yield {"title": f"Chat {number}", "mapping": nodes, "current_node": last, "conversation_id": f"c{number}"}


def claude_ai(talk: Iterator[Turn]) -> Iterator[Record]:
    """Conversations of claude.ai's export."""
    sides: Mapping[str, str] = {"user": "human", "assistant": "assistant"}
    for number in count():
        said = [(role, text) for one in (next(talk) for _ in range(TURNS * 2)) for role, text in _both(one)]
        messages = [
            {
                "uuid": _uuid(number * 1_000 + at), "parent_message_uuid": _uuid(number * 1_000 + at - 1),
                "sender": sides[role], "text": text, "content": [{"type": "text", "text": text}], "created_at": STAMP,
                "attachments": [], "files": [],
            }
            for at, (role, text) in enumerate(said)
        ]  # fmt: skip
        yield {"uuid": f"c{number}", "name": f"Chat {number}", "created_at": STAMP, "chat_messages": messages}


def sharegpt_turns(talk: Iterator[Turn]) -> Iterator[Record]:
    """Turns of one conversation of ShareGPT."""
    for one in talk:
        yield {"from": "human", "value": one.asked}
        yield {"from": "gpt", "value": one.reply}


def claude_ai_messages(talk: Iterator[Turn]) -> Iterator[Record]:
    """Messages of one conversation of claude.ai."""
    for chat in claude_ai(talk):
        for at, message in enumerate(chat["chat_messages"]):
            number = int(chat["uuid"][1:]) * TURNS * 4 + at
            yield {**message, "uuid": _uuid(number + 1), "parent_message_uuid": _uuid(number)}


def lm_studio(talk: Iterator[Turn]) -> Iterator[Record]:
    """Messages of LM Studio."""
    for one in talk:
        said: Record = {"type": "singleStep", "role": "user", "content": [{"type": "text", "text": one.asked}]}
        block = {"type": "contentBlock", "content": [{"type": "text", "text": one.reply}]}
        reply: Record = {"type": "multiStep", "role": "assistant", "steps": [block]}
        for version in (said, reply):
            yield {"versions": [version], "currentlySelected": 0}


def open_webui(talk: Iterator[Turn]) -> Iterator[Record]:
    """Messages of Open WebUI, each with the one before it."""
    before: str | None = None
    for one in talk:
        for role, text in _both(one):
            own = f"{one.number}{role}"
            yield {"id": own, "parentId": before, "childrenIds": [], "role": role, "content": text, "timestamp": 1_700}
            before = own


def gemini_cli(talk: Iterator[Turn]) -> Iterator[Record]:
    """Messages of the Gemini CLI's sessions."""
    for one in talk:
        answer = {"functionResponse": {"id": f"k{one.number}", "name": "Read", "response": {"output": one.result}}}
        call = {"id": f"k{one.number}", "name": "Read", "args": {"path": one.path}, "result": [answer]}
        yield {"id": f"u{one.number}", "timestamp": STAMP, "type": "user", "content": one.asked}
        yield {
            "id": f"g{one.number}", "timestamp": STAMP, "type": "gemini", "content": one.reply, "toolCalls": [call],
        }  # fmt: skip


def _both(one: Turn) -> tuple[tuple[str, str], ...]:
    return (("user", one.asked), ("assistant", one.reply))


def _uuid(number: int) -> str:
    return f"{max(number, 0):08x}-0000-4000-8000-{max(number, 0):012x}"


_LIST: Final = ("[", "]")
_CODEX_HEAD: Final = {"timestamp": STAMP, "type": "session_meta", "payload": {"id": "large"}}
_OPEN_WEBUI: Final = ('{"chat": {"history": {"messages": {', "}}}}")
_GEMINI_CLI: Final = ('{"sessionId": "large", "projectHash": "h", "messages": [', "]}")
_PI_HEAD: Final = {"type": "session", "version": 3, "id": "large", "timestamp": STAMP, "cwd": "/src"}

SHAPES: Final = (
    Shape("OpenAI messages a line, with calls", "openai-chat", openai_messages),
    Shape("OpenAI messages of 1 kB a line", "openai-chat", small_messages, is_typical=True),
    Shape("OpenAI messages of 200 bytes a line", "openai-chat", tiny_messages, is_typical=True),
    Shape("OpenAI conversations a line", "openai-chat", openai_conversations),
    Shape("Anthropic messages a line", "anthropic", anthropic_messages),
    Shape("Gemini contents a line", "gemini", gemini_contents),
    Shape("Claude Code session", "claude-code", claude_code, is_typical=True),
    Shape("Codex rollout", "codex", codex, head=(_CODEX_HEAD,), is_typical=True),
    Shape("Copilot CLI events", "copilot-cli", copilot_cli),
    Shape("pi session", "pi", pi, head=(_PI_HEAD,), is_typical=True),
    Shape("Antigravity transcript", "antigravity", antigravity),
    Shape("ShareGPT conversations a line", "sharegpt", sharegpt),
    Shape("OpenAssistant messages a line", "oasst", oasst_messages),
    Shape("OpenAI messages as one list", "openai-chat", openai_messages, around=_LIST),
    Shape("ChatGPT export (one list)", "chatgpt", chatgpt, around=_LIST, is_typical=True),
    Shape("claude.ai export (one list)", "claude-ai", claude_ai, around=_LIST),
    Shape("OpenAI request (one object)", "openai-chat", openai_messages, around=('{"model": "m", "messages": [', "]}")),
    Shape("ShareGPT conversation (one object)", "sharegpt", sharegpt_turns, around=('{"conversations": [', "]}")),
    Shape("claude.ai conversation (one object)", "claude-ai", claude_ai_messages, around=('{"chat_messages": [', "]}")),
    Shape(
        "LM Studio conversation (one object)", "lm-studio", lm_studio, around=('{"name": "Large", "messages": [', "]}")
    ),
    Shape("Open WebUI chat (one object)", "open-webui", open_webui, around=_OPEN_WEBUI, key="id"),
    Shape("Gemini CLI session (one object)", "gemini-cli", gemini_cli, around=_GEMINI_CLI),
)
