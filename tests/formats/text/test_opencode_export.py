"""Sessions that OpenCode exports as Markdown, in the forms of its versions and with less than all chosen."""

from __future__ import annotations

import pytest

from budgeteer.engine.content.conversation import Message, ReasoningPart, TextPart, calls_of, results_of, text_of
from budgeteer.engine.errors import FormatError
from budgeteer.formats.detect import import_bytes
from budgeteer.formats.messages.imported import Imported
from tests.formats.makers.texts import OPENCODE_EXPORT

HEAD = """# Ferries

**Session ID:** ses_f
**Created:** 3/1/2026
**Updated:** 3/1/2026

---

## User

Go

---

"""
FENCED = """## Assistant

I look.

```
Tool: bash

**Input:**
```json
{
  "command": "ls"
}
```
**Output:**
```
pier.txt
```
```

```
Tool: list
```

There is one.

---

"""


def imported(text: str) -> Imported:
    return import_bytes(text.encode(), name="session.md")


def told(message: Message) -> list[str]:
    """What is said or came of a call, then the calls."""
    said = [part for part in message.parts if isinstance(part, TextPart)]
    came = [part for result in results_of(message) for part in result.content if isinstance(part, TextPart)]
    return [
        "\n\n".join(part.text for part in (*said, *came)),
        *(f"{call.name}{call.arguments}" for call in calls_of(message)),
    ]


def test_a_session_has_its_id_its_model_and_each_result_behind_its_call() -> None:
    found = imported(OPENCODE_EXPORT)
    (chat,) = found.conversations
    assert (found.format, chat.id, chat.title, chat.model) == (
        "opencode-export", "ses_tide1", "Tides of the harbour", "claude-y",
    )  # fmt: skip
    assert [message.role for message in chat.messages] == ["user", "assistant", "tool", "tool", "assistant", "user"]
    assert chat.messages[1].parts[0] == ReasoningPart("The file may tell.\n\nLook there.")
    assert told(chat.messages[2]) == ["A table:\n```text\n## User\n```\nand\n```\n40 cm\n```\n\nIt is so."]
    (failed,) = results_of(chat.messages[3])
    assert (failed.is_error, told(chat.messages[3])) == (True, ["no command"])
    assert found.accounting is not None
    assert not found.accounting.is_lossy


def test_calls_in_fences_are_read_with_and_without_what_came_of_them() -> None:
    (chat,) = imported(HEAD + FENCED).conversations
    assert [told(message) for message in chat.messages] == [
        ["Go"],
        ["I look.\n\nThere is one.", 'bash{"command":"ls"}', "list"],
        ["pier.txt"],
    ]


def test_a_thought_that_no_call_follows_leaves_the_words_behind_its_first_paragraph() -> None:
    (chat,) = imported(HEAD + "## Assistant\n\n_Thinking:_\n\nHm.\n\nYes.\n\nIt is.\n\n---\n").conversations
    assert chat.messages[1].parts[0] == ReasoningPart("Hm.")
    assert text_of(chat.messages[1]) == "Yes.\n\nIt is."


@pytest.mark.parametrize("ending", ["", "\n", "\nit goes on"])
def test_a_result_that_is_cut_off_goes_to_the_end(ending: str) -> None:
    (chat,) = imported(f"{HEAD}## Assistant\n\n**Tool: bash**\n\n**Output:**\n```\npier{ending}").conversations
    assert told(chat.messages[2])[0].startswith("pier")


def test_windows_lines_and_a_mark_of_the_order_of_bytes_change_nothing() -> None:
    plain, marked = imported(HEAD + FENCED), imported("\ufeff" + (HEAD + FENCED).replace("\n", "\r\n"))
    assert list(marked.conversations[0].messages) == list(plain.conversations[0].messages)


def test_a_file_with_the_first_lines_alone_is_no_session() -> None:
    text = HEAD.split("---", maxsplit=1)[0]
    assert imported(text).format == "text"
    with pytest.raises(FormatError):
        import_bytes(text.encode(), as_format="opencode-export")
