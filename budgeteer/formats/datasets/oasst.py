"""OpenAssistant and similar sets: prompts with ranked replies, as trees or as one message a line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from budgeteer.engine.content.conversation import Conversation, Message, Role, TextPart
from budgeteer.engine.content.library import compact_json
from budgeteer.formats.messages.branches import other_leaves, path_to, with_branches
from budgeteer.formats.messages.imported import Imported, Skipped
from budgeteer.formats.messages.message_spool import MessageSpool
from budgeteer.formats.messages.numbering import Notes, numbered, put_aside, short_line, text_value, title_of
from budgeteer.formats.messages.objects import OBJECT
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.entries import entries_of, mappings, mostly
from budgeteer.formats.reading.importing import require

_ROLES: Mapping[str, Role] = {"prompter": "user", "user": "user", "assistant": "assistant", "system": "system"}
_UNRANKED = 1_000_000


def detect(document: Document) -> str | None:
    """Why a document is OpenAssistant's, None when it is not."""
    if mostly(document, _is_tree):
        return "holds trees of a `prompt` and its `replies`, as OpenAssistant's do"
    if mostly(document, _is_message):
        return "holds messages with a `message_id`, a `parent_id` and a text, as OpenAssistant's do"
    return None


def _is_tree(value: Mapping[str, Any]) -> bool:
    prompt = value.get("prompt")
    return bool(prompt) and isinstance(prompt, OBJECT) and isinstance(prompt.get("text"), str) and "replies" in prompt


def _is_message(value: Mapping[str, Any]) -> bool:
    return "message_id" in value and "parent_id" in value and "role" in value and isinstance(_words(value), str)


def _words(raw: Mapping[str, Any]) -> Any:
    """What a message says: under `text`, or under `content` where sets were written anew with OpenAI's names."""
    return raw.get("text", raw.get("content"))


def read(document: Document) -> Imported:
    """Read every tree: the best ranked replies as the main branch, the others behind it.

    Raises:
        FormatError: there is no tree.
    """
    skipped = list(document.skipped)
    found: list[Conversation] = []
    repeating = document.notes.fresh()
    for tree in _trees(document, skipped):
        end = tree.best()
        if end is None:
            skipped.append(Skipped(tree.where, "every message of it was deleted or has no text"))
            continue
        main = tree.conversation(end, document.notes)
        leaves = other_leaves(tree.parents.get, tree.saying(), set(path_to(tree.parents.get, end)))
        others = (tree.conversation(leaf, repeating, main.title) for leaf in leaves)
        found += with_branches(main, others, document.notes, total=len(leaves))
    require(found, document, "OpenAssistant")
    return Imported("", "", "conversation", conversations=tuple(found), skipped=tuple(skipped))


@dataclass(slots=True)
class _Tree:
    """The messages of one tree by id, in the order of the file, the one before each, and where the tree stands.

    Each message is made once, when it is met, and shared by the branches that it stands in. Those of a file too large
    to hold are put aside then; of a message that says nothing the raw one is kept, to be told as left out. Of the first
    prompt the beginning is kept, which names the branches, so that nothing is read back for it.
    """

    name: str
    where: str
    aside: MessageSpool | None = None
    messages: dict[str, Message] = field(default_factory=dict)
    parents: dict[str, str | None] = field(default_factory=dict)
    ranks: dict[str, float] = field(default_factory=dict)
    silent: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    model: str = ""
    first: str = ""
    first_line: str = ""

    def add(self, raw: Mapping[str, Any], parent: str | None, line: int, kept: Mapping[str, Any] | None = None) -> str:
        """Add a message; its id, made where it has none. `kept` is the raw message as it is to be kept."""
        given = text_value(raw.get("message_id")) or f"message-{len(self.parents) + 1}"
        self.parents[given] = parent
        if given == self.first:
            self.first = self.first_line = ""
        role, words = _ROLES.get(text_value(raw.get("role"))), text_value(_words(raw))
        if role is not None and words and raw.get("deleted") is not True:
            created = text_value(raw.get("created_date"))
            message = Message(role, (TextPart(words),), given, created=created, line=line)
            self.messages[given], self.ranks[given] = put_aside(message, self.aside), _rank(raw)
            self.silent.pop(given, None)
            if role == "user" and not self.first:
                self.first, self.first_line = given, short_line(words)
        else:
            self.silent[given] = raw if kept is None else kept
            self.messages.pop(given, None)
        self.model = self.model or text_value(raw.get("model_name"))
        return given

    def saying(self) -> list[str]:
        """The messages that say something, in the order of the file."""
        return [name for name in self.parents if name in self.messages]

    def best(self) -> str | None:
        """The end of the main branch: from the first prompt on, the best ranked reply of each message."""
        children: dict[str | None, list[str]] = {}
        for name in self.saying():
            above = self.parents[name]
            children.setdefault(above if above in self.parents else None, []).append(name)
        at: str | None = None
        seen: set[str] = set()
        while replies := [name for name in children.get(at, ()) if name not in seen]:
            at = min(replies, key=self.ranks.__getitem__)
            seen.add(at)
        return at

    def conversation(self, end: str, notes: Notes, title: str = "") -> Conversation:
        """The branch that ends in a message, named by its first prompt where no title is given."""
        messages: list[Message] = []
        path = path_to(self.parents.get, end)
        begun = self.first_line if path[0] == self.first else ""
        for name in path:
            message = self.messages.get(name)
            if message is None:
                raw = self.silent.get(name, {})
                notes.count("Messages that were deleted or have no text, left out", of=raw)
            else:
                messages.append(message)
        done = numbered(messages, notes)
        return Conversation(self.name, title or begun or title_of(done, self.name), done, model=self.model)


def _rank(raw: Mapping[str, Any]) -> float:
    rank = raw.get("rank")
    return _UNRANKED if rank is None or isinstance(rank, bool) or not isinstance(rank, int | float) else rank


def _trees(document: Document, skipped: list[Skipped]) -> Iterator[_Tree]:
    """Each tree, in the order of the file; single messages are put together by their tree."""
    scattered: dict[str, _Tree] = {}
    aside = document.notes.aside
    for entry in entries_of(document, skipped):
        value = entry.value
        if _is_tree(value):
            prompt = value["prompt"]
            name = text_value(value.get("message_tree_id")) or text_value(prompt.get("message_id"))
            yield _grown(prompt, _Tree(name or f"c{entry.number}", entry.where, aside), entry.number)
        elif _is_message(value):
            name = text_value(value.get("message_tree_id")) or "messages"
            tree = scattered.get(name)
            if tree is None:
                tree = scattered[name] = _Tree(name, f"the tree {name[:60]}", aside)
            tree.add(value, text_value(value.get("parent_id")) or None, entry.number, entry.object)
        else:
            skipped.append(Skipped(entry.where, "no prompt with replies, and no message", compact_json(value)[:500]))
    yield from scattered.values()


def _grown(prompt: Mapping[str, Any], tree: _Tree, line: int) -> _Tree:
    """The tree of a prompt; replies below replies, each before what follows it."""
    waiting: list[tuple[Mapping[str, Any], str | None]] = [(prompt, None)]
    while waiting:
        raw, above = waiting.pop()
        name = tree.add(raw, above, line)
        waiting += [(reply, name) for reply in reversed(mappings(raw.get("replies")))]
    return tree
