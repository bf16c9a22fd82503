"""Tool definitions behind a search tool: what a session would take if the model loaded them as it calls them.

Nothing is packed. A request carries the search tool and the definitions of the tools that were called before it or are
called by its own reply; each of them was found by one search, which stays in the conversation as a call and its result.
So do hosts with a search tool of their own; the tools that Anthropic and OpenAI run for it have no published size, so
that ours stands in. Sources: platform.claude.com/docs/en/agents-and-tools/tool-use/tool-search-tool and
developers.openai.com/api/docs/guides/tools-tool-search, read 2026-11-24. OpenAI leaves names and descriptions of
functions that stand in no namespace in the prompt; that is not played.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

import numpy as np

from budgeteer.engine.analysis.replay.requests import has_open_request, reply_rows
from budgeteer.engine.config.schema import BudgetConfig
from budgeteer.engine.content.conversation import Message, TextPart, ToolCallPart, ToolResultPart, calls_of
from budgeteer.engine.content.library import compact_json
from budgeteer.engine.counting.library_measures import Ints, measure_tools
from budgeteer.engine.counting.message_measures import measure_messages
from budgeteer.engine.counting.tokenizers import TokenCounter
from budgeteer.engine.errors import InputError
from budgeteer.engine.inputs.bundle import Bundle
from budgeteer.engine.packing.allocation import allowance, provider_of
from budgeteer.engine.packing.message_overhead import MessageOverhead
from budgeteer.engine.packing.sections.own_tools import own_tool
from budgeteer.engine.packing.sections.tools import ToolCosts

_DESCRIPTION: Final = (
    "Find tools that are not loaded yet. Say in a few words what you want to do; the tools that match are loaded with "
    "their parameters and can be called from your next step on. Search before you say that something cannot be done."
)
_PARAMETERS: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"query": {"type": "string", "description": "What the tool should do, or its name."}},
    "required": ["query"],
}
SEARCH_TOOLS: Final = own_tool("search_tools", _DESCRIPTION, _PARAMETERS)


@dataclass(frozen=True, slots=True)
class CalledTool:
    """One tool: its definition's tokens, how often it is called, and by the reply to which request first (0: never)."""

    name: str
    tokens: int
    calls: int
    first_request: int


@dataclass(frozen=True, slots=True)
class DeferredTools:
    """What the definitions of a session take, and what they would take behind a search tool, in tokens.

    Attributes:
        tools: in the given order. definitions: what all of them take in each request, with what stands around them.
        unused: the names of those that are never called. unused_tokens: what leaving them out saves in each request.
        search_tool: the definition of the search tool with what stands around it.
        sent: by request what the search tool, loaded definitions and searches take.
        searches: what the searches alone take in the last request.
    """

    tools: tuple[CalledTool, ...]
    definitions: int
    unused: tuple[str, ...]
    unused_tokens: int
    search_tool: int
    sent: tuple[int, ...]
    searches: int

    @property
    def requests(self) -> int:
        """How many requests there are; one where no conversation is."""
        return len(self.sent)

    @property
    def saved_tokens(self) -> int:
        """What all requests together would save; negative where the search tool costs more."""
        return self.definitions * self.requests - sum(self.sent)

    def to_json(self) -> dict[str, Any]:
        """As in the command line's contract."""
        return {
            "requests": self.requests,
            "definitions": self.definitions,
            "tools": [
                {"name": one.name, "tokens": one.tokens, "calls": one.calls, "firstRequest": one.first_request or None}
                for one in self.tools
            ],
            "unused": {
                "names": list(self.unused),
                "tokens": self.unused_tokens,
                "set": {"tools.leaveOut": list(self.unused)} if self.unused else {},
            },
            "deferred": {
                "searchTool": self.search_tool,
                "searches": self.searches,
                "last": self.sent[-1],
                "largest": max(self.sent),
                "all": sum(self.sent),
                "saved": self.saved_tokens,
                "bySent": list(self.sent),
            },
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of to_json."""
        tools = tuple(
            CalledTool(one["name"], one["tokens"], one["calls"], one["firstRequest"] or 0) for one in data["tools"]
        )
        unused, deferred = data["unused"], data["deferred"]
        return cls(
            tools,
            data["definitions"],
            tuple(unused["names"]),
            unused["tokens"],
            deferred["searchTool"],
            tuple(deferred["bySent"]),
            deferred["searches"],
        )


def deferred_tools(
    bundle: Bundle, config: BudgetConfig, *, counter: TokenCounter, provider: str | None = None
) -> DeferredTools:
    """The tools of a bundle as they are, and behind a search tool.

    Raises:
        InputError: there are no tool definitions.
    """
    if not bundle.tools:
        raise InputError(
            "there are no tool definitions", mend="Give some with --tools, or a conversation whose file holds them."
        )
    study = _Study(bundle, config, counter, provider or provider_of(config))
    return study.result()


class _Study:
    def __init__(self, bundle: Bundle, config: BudgetConfig, counter: TokenCounter, provider: str) -> None:
        self._bundle = bundle
        self._counter = counter
        self._provider = provider
        self._costs = ToolCosts(provider, counter, allowance(config, counter).row)
        self._tokens = self._costs.tokens(bundle.tool_measures)
        self._ends = [*reply_rows(bundle).tolist(), *([len(bundle.history)] if has_open_request(bundle) else [])]
        self._calls: dict[str, int] = {}
        self._first: dict[str, int] = {}
        self._read_calls()

    def _read_calls(self) -> None:
        """How often each tool is called, and by the reply to which request first."""
        ends = np.array(self._ends, np.int64)
        for row in np.flatnonzero(self._bundle.history_measures.calls > 0).tolist():
            request = int(np.searchsorted(ends, row, side="right"))
            for call in calls_of(self._bundle.history[row]):
                self._calls[call.name] = self._calls.get(call.name, 0) + 1
                self._first.setdefault(call.name, max(request, 1))

    def result(self) -> DeferredTools:
        names = [tool.name for tool in self._bundle.tools]
        first = np.array([self._first.get(name, 0) for name in names], np.int64)
        used = first > 0
        whole = self._with(self._tokens, len(names))
        needed = self._with(self._tokens[used], int(used.sum()))
        search_tokens = self._costs.tokens(measure_tools((SEARCH_TOOLS,), counter=self._counter))
        searches = np.array([self._search_tokens(name) if name in self._first else 0 for name in names], np.int64)
        sent = []
        for request in range(1, max(len(self._ends), 1) + 1):
            loaded = used & (first <= request)
            definitions = self._with(np.concatenate([search_tokens, self._tokens[loaded]]), 1 + int(loaded.sum()))
            sent.append(definitions + int(searches[loaded].sum()))
        return DeferredTools(
            tuple(
                CalledTool(name, int(size), self._calls.get(name, 0), at)
                for name, size, at in zip(names, self._tokens, first.tolist(), strict=True)
            ),
            whole,
            tuple(dict.fromkeys(name for name, at in zip(names, first.tolist(), strict=True) if not at)),
            whole - needed,
            self._with(search_tokens, 1),
            tuple(sent),
            int(searches[used].sum()),
        )

    def _with(self, tokens: Ints, count: int) -> int:
        """Definitions with what they cost together."""
        return int(tokens.sum()) + self._costs.joins(count).tokens

    def _search_tokens(self, name: str) -> int:
        """A search for a tool by its name, and its result, as messages."""
        arguments, answer = compact_json({"query": name}), compact_json({"loaded": [name]})
        said = [
            Message("assistant", (ToolCallPart("search", SEARCH_TOOLS.name, arguments),)),
            Message("tool", (ToolResultPart("search", (TextPart(answer),)),)),
        ]
        measures = measure_messages(said, counter=self._counter)
        frames = MessageOverhead(self._bundle, self._provider, self._counter).messages(measures)
        return int(measures.column(self._provider, "tokens").sum() + frames.sum())
