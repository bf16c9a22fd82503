"""Transcripts of agent-shell for Emacs."""

from __future__ import annotations

from budgeteer.engine.content.conversation import ReasoningPart, calls_of, result_text, results_of, text_of
from budgeteer.formats.detect import import_bytes
from budgeteer.formats.messages.imported import Imported
from tests.formats.makers.texts import AGENT_SHELL

HEAD, TURNS = AGENT_SHELL.split("---\n", 1)
CALL = """### Tool Call [failed]: Write plan.md

**Tool:** edit
**Timestamp:** 2026-03-01 10:00:03
**Parameters:**
file_path: plan.md
content: # Plan

## Notes

```
06:10
```

````
```
No such folder
```
````


"""


def imported(text: str) -> Imported:
    return import_bytes(text.encode(), name="2026-03-01.md")


def test_thoughts_calls_and_results_are_one_reply_up_to_the_next_prompt() -> None:
    found = imported(AGENT_SHELL)
    (chat,) = found.conversations
    assert [message.role for message in chat.messages] == ["user", "assistant", "tool", "assistant"]
    assert isinstance(chat.messages[1].parts[0], ReasoningPart)
    assert [message.created for message in chat.messages[:2]] == ["2026-03-01 10:00:00", "2026-03-01 10:00:02"]
    assert found.accounting is not None
    assert not found.accounting.is_lossy


def test_what_was_asked_is_kept_as_its_words_and_a_failure_is_told() -> None:
    found = imported(f"{HEAD}---\n\n## User (2026-03-01 10:00:00)\n\nWrite it\n\n{CALL}{CALL[:80]}")
    (chat,) = found.conversations
    (first, second) = [call for message in chat.messages for call in calls_of(message)]
    assert first.name == "edit"
    assert first.arguments.startswith("Write plan.md\n**Parameters:**\nfile_path: plan.md\ncontent: # Plan\n\n## Notes")
    (result,) = [one for message in chat.messages for one in results_of(message)]
    assert (result.is_error, result_text(result)) == (True, "```\nNo such folder\n```")
    assert second.name == "edit"
    assert "Calls without a result in the transcript: 1" in found.warnings


def test_an_older_prompt_in_a_quote_and_the_names_above_are_read() -> None:
    head = HEAD.rstrip("\n") + "\n**Session ID:** s-7\n**Model:** claude-opus-5\n\n---\n"
    (chat,) = imported(head + "\n## User\n\n> Hello\n> there\n\n## Agent\n\nHi\n").conversations
    assert (chat.id, chat.model) == ("s-7", "claude-opus-5")
    assert [text_of(message) for message in chat.messages] == ["Hello\nthere", "Hi"]
