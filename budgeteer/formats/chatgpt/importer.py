"""ChatGPT's data export: conversations as maps of nodes; `current_node` is the end of the displayed branch.

What programs keep of an export may have no `parent` and no `children`: such nodes are read by their times.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from budgeteer.engine.content.conversation import Conversation
from budgeteer.engine.content.library import compact_json
from budgeteer.formats.chatgpt.export_messages import ExportConversation, is_empty
from budgeteer.formats.messages.branches import other_leaves, path_to, with_branches
from budgeteer.formats.messages.imported import Imported, Skipped
from budgeteer.formats.messages.numbering import Notes, note_opaque, numbered, text_value, title_of
from budgeteer.formats.messages.objects import OBJECT
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.entries import Entry, entries_of, mostly
from budgeteer.formats.reading.importing import require


def detect(document: Document) -> str | None:
    """Why a document is a ChatGPT export, None when it is not."""
    if mostly(document, _is_conversation):
        return "holds conversations with a `mapping` of nodes, as ChatGPT's data export does"
    return None


def _is_conversation(value: Mapping[str, Any]) -> bool:
    nodes = value.get("mapping")
    if not isinstance(nodes, OBJECT):
        return False
    said = [node.get("message") for node in list(nodes.values())[:20] if isinstance(node, OBJECT)]
    if any(isinstance(raw, OBJECT) and "fragments" in raw for raw in said) or any(
        isinstance(raw, OBJECT) and isinstance(raw.get("content"), str) and "author" not in raw for raw in said
    ):
        return False
    return (
        "current_node" in value
        or any(isinstance(node, OBJECT) and {"parent", "children"} & node.keys() for node in list(nodes.values())[:5])
        or any(isinstance(raw, OBJECT) and _is_message(raw) for raw in said)
    )


def _is_message(raw: Mapping[str, Any]) -> bool:
    """Whether an object says something as a node of an export does; some keep no more of a node than this."""
    author = raw.get("author")
    return isinstance(author, OBJECT) and "role" in author and isinstance(raw.get("content"), OBJECT)


def read(document: Document) -> Imported:
    """Read every conversation of an export, its shown branch first and the others behind it.

    Raises:
        FormatError: no conversation says anything.
    """
    skipped = list(document.skipped)
    return read_trees(entries_of(document, skipped), document, skipped)


def read_trees(entries: Iterable[Entry], document: Document, skipped: list[Skipped]) -> Imported:
    """Read entries with a `mapping` of nodes, as `read` reads those of an export."""
    found: list[Conversation] = []
    for entry in entries:
        tree = _Tree.of(entry, skipped, document.notes)
        main = tree.conversation(tree.end(), document.notes) if tree.saying else None
        if main is None or not main.messages:
            skipped.append(Skipped(entry.where, "no message in its `mapping`", compact_json(entry.value)[:500]))
            continue
        leaves = other_leaves(tree.parent, tree.saying, set(path_to(tree.parent, tree.end())))
        others = (tree.conversation(leaf, document.notes.fresh()) for leaf in leaves)
        found += with_branches(main, others, document.notes, total=len(leaves))
    require(found, document, "ChatGPT")
    return Imported("", "", "conversation", conversations=tuple(found), skipped=tuple(skipped))


@dataclass(slots=True)
class _Tree:
    """The nodes of one conversation.

    Attributes:
        nodes: every node by its id.
        saying: ids of the nodes that say something, oldest first.
        chain: where no node names another, the node before each that holds a message.
    """

    entry: Entry
    nodes: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    saying: list[str] = field(default_factory=list)
    chain: dict[str, str | None] = field(default_factory=dict)

    @classmethod
    def of(cls, entry: Entry, skipped: list[Skipped], notes: Notes) -> _Tree:
        """The tree of an entry; what is no node in its mapping is added to `skipped`."""
        tree = cls(entry)
        given = entry.value.get("mapping")
        for name, node in given.items() if isinstance(given, OBJECT) else ():
            if isinstance(node, OBJECT):
                tree.nodes[name] = node
            else:
                skipped.append(Skipped(f"{entry.where}, node {name[:60]}", "no node", compact_json(node)[:500]))
        speaking = [name for name in tree.nodes if not is_empty(tree.message(name))]
        tree.saying = sorted(speaking, key=lambda name: _seconds(tree.message(name)))
        if not any(node.get("parent") or node.get("children") for node in tree.nodes.values()):
            tree._put_in_order(notes)
        return tree

    def _put_in_order(self, notes: Notes) -> None:
        """Chain the nodes that hold a message: by their times where each has one, else as the file has them."""
        names = [name for name in self.nodes if self.message(name)]
        if len(names) < 2:
            return
        timed = all(_seconds(self.message(name)) for name in names)
        if timed:
            names.sort(key=lambda name: _seconds(self.message(name)))
        order = "by their times" if timed else "in the order of the file"
        notes.count(f"Conversations whose nodes name no other, read {order}")
        self.chain = dict(zip(names, [None, *names], strict=False))

    def message(self, name: str) -> Mapping[str, Any]:
        """The message of a node, {} for one without."""
        message = self.nodes[name].get("message")
        return message if isinstance(message, OBJECT) else {}

    def parent(self, name: str) -> str | None:
        """The node before a node."""
        if self.chain:
            return self.chain.get(name)
        above = self.nodes[name].get("parent")
        return above if isinstance(above, str) and above in self.nodes else None

    def end(self) -> str:
        """The node the export shows last; the newest that says something where it names none that does."""
        if self.chain:
            return next(reversed(self.chain))
        named = self.entry.value.get("current_node")
        if isinstance(named, str) and named in self.nodes and set(path_to(self.parent, named)) & set(self.saying):
            return named
        return self.saying[-1]

    def conversation(self, end: str, notes: Notes) -> Conversation:
        """The branch that ends in a node."""
        value = self.entry.value
        talk = ExportConversation(notes)
        for name in path_to(self.parent, end):
            if self.message(name):
                talk.add(name, self.message(name))
        messages = numbered(talk.messages, notes)
        note_opaque(messages, notes)
        given = text_value(value.get("conversation_id")) or text_value(value.get("id"))
        title = text_value(value.get("title")).strip() or title_of(messages, f"Conversation {self.entry.number}")
        model = talk.model or text_value(value.get("default_model_slug"))
        return Conversation(given[:200] or f"c{self.entry.number}", title, messages, model=model)


def _seconds(message: Mapping[str, Any]) -> float:
    given = message.get("create_time")
    return float(given) if isinstance(given, int | float) and abs(given) < 1e12 else 0.0
