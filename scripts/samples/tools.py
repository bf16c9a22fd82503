"""The sample catalogue of tools, in the form an MCP server lists them; and the tools of the sample session."""

from __future__ import annotations

from typing import Any

from samples.tools_table import TABLE

USED_BY_AGENT = (
    "repo_search_code", "repo_get_diff", "repo_open_pull_request", "tracker_search_issues", "tracker_get_issue",
    "tracker_create_issue", "tracker_add_comment", "database_describe_table", "database_run_query",
    "database_explain_query", "cloud_tail_logs", "cloud_deploy", "monitoring_query_metric", "monitoring_list_alerts",
    "monitoring_get_trace", "documents_search_documents", "browser_open_page", "browser_read_page", "browser_click",
)  # fmt: skip
READING = ("list_", "get_", "read_", "search_", "find_", "explain_", "query_", "describe_", "compare_", "who_")
TYPES: dict[str, dict[str, Any]] = {
    "str": {"type": "string"},
    "int": {"type": "integer"},
    "bool": {"type": "boolean"},
    "date": {"type": "string", "format": "date"},
    "datetime": {"type": "string", "format": "date-time"},
    "list": {"type": "array", "items": {"type": "string"}},
    "object": {"type": "object", "additionalProperties": True},
}
PAGE = {
    "cursor": {"type": "string", "description": "Where to go on, from the answer before"},
    "page_size": {"type": "integer", "minimum": 1, "maximum": 200, "description": "How many at once, 50 if left out"},
}


def _schema(parameters: str, *, paged: bool) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    required = []
    for parameter in parameters.split("; "):
        name, kind, meaning = parameter.split(":", 2)
        if kind.endswith("!"):
            required.append(name)
        kind = kind.rstrip("!")
        form = dict(TYPES[kind]) if kind in TYPES else {"type": "string", "enum": kind.split("/")}
        properties[name] = form | {"description": meaning}
    schema = {"type": "object", "properties": properties | (PAGE if paged else {})}
    return schema | ({"required": required} if required else {}) | {"additionalProperties": False}


def catalogue() -> list[dict[str, Any]]:
    """Return every tool of the catalogue, service by service."""
    tools, service = [], ""
    for line in TABLE.strip().splitlines():
        if line.startswith("# "):
            service = line[2:]
        elif line:
            name, description, parameters = line.split(" | ")
            reads = name.startswith(READING)
            tools.append(
                {
                    "name": f"{service}_{name}",
                    "description": description,
                    "inputSchema": _schema(parameters, paged=name.startswith("list_")),
                    "annotations": {
                        "title": f"{service.capitalize()}: {name.replace('_', ' ')}",
                        "readOnlyHint": reads,
                    },
                }
            )
    return tools


def _own(name: str, description: str, parameters: str) -> dict[str, Any]:
    return {"name": name, "description": description, "inputSchema": _schema(parameters, paged=False)}


def of_agent() -> list[dict[str, Any]]:
    """Return the tools the sample session calls."""
    return [
        _own(
            "Read",
            "Read a file. Lines come numbered; long files can be read in parts. Several files may be read at once by calling this tool several times in one message.",
            "file_path:str!:Absolute path; offset:int:First line; limit:int:How many lines",
        ),
        _own(
            "Grep",
            "Search file contents for a regular expression. Prefer it to grep in the shell: it skips what version control ignores and caps its output.",
            "pattern:str!:Regular expression; path:str:File or folder; glob:str:Only files like this; output_mode:content/files_with_matches/count:What comes back; -n:bool:With line numbers; -i:bool:Ignore case",
        ),
        _own(
            "Glob",
            "Find files by name, most recently changed first.",
            "pattern:str!:For example **/*.py; path:str:Folder to look in",
        ),
        _own(
            "Edit",
            "Replace one passage of a file by another. The old passage has to stand there exactly once, with enough around it to be unmistakable.",
            "file_path:str!:Absolute path; old_string:str!:The passage as it is; new_string:str!:As it shall be; replace_all:bool:Every occurrence",
        ),
        _own(
            "Write",
            "Write a whole file. An existing file has to be read first.",
            "file_path:str!:Absolute path; content:str!:The whole text",
        ),
        _own(
            "Bash",
            "Run a command in a shell that keeps its folder. Output over 30,000 characters is cut. Quote paths with spaces, prefer absolute paths, never use it to read or search files, and never push, delete branches or touch production without being asked to. A command that runs longer than two minutes is stopped unless a longer limit is given.",
            "command:str!:The command; description:str:What it does, in five to ten words; timeout:int:Milliseconds; run_in_background:bool:Do not wait for it",
        ),
        _own(
            "TodoWrite",
            "Keep the list of what is to be done, one item in progress at a time. Use it for anything of three steps or more.",
            "todos:list!:Every item with its state",
        ),
        _own(
            "Task",
            "Give a piece of work to a helper that starts with nothing but what you tell it.",
            "description:str!:Three to five words; prompt:str!:Everything it has to know; kind:search/plan/general:What sort of helper",
        ),
    ]
