"""Sessions that Copilot CLI shares as Markdown."""

from __future__ import annotations

from budgeteer.engine.content.conversation import TextPart, calls_of, results_of
from budgeteer.formats.detect import import_bytes
from tests.formats.makers.texts import COPILOT_EXPORT

HEAD = COPILOT_EXPORT.split("### ℹ️", 1)[0]
AGENT = """### 👤 User

Look

---

<sub>⏱️ 2s</sub>

### 📦 task (Completed)

### 💬 Copilot

I search.

### ❌ `grep`

**/srv**

"tide" (/srv)

```
No such folder
```


---

<sub>⏱️ 9s</sub>

### 💬 Copilot

Nothing there.
"""


def test_a_session_has_its_id_and_each_result_behind_its_call() -> None:
    found = import_bytes(COPILOT_EXPORT.encode(), name="session.md")
    (chat,) = found.conversations
    assert (found.format, chat.id) == ("copilot-export", "s-7")
    assert [message.role for message in chat.messages] == ["user", "assistant", "tool", "assistant"]
    assert "Non-message lines, not read: 1 (1 Info)" in found.warnings
    assert found.accounting is not None
    assert not found.accounting.is_lossy


def test_what_a_sub_agent_did_is_a_conversation_of_its_own() -> None:
    found = import_bytes((HEAD + AGENT).encode(), name="session.md")
    main, agent = found.conversations
    assert [message.role for message in main.messages] == ["user", "assistant"]
    assert [call.name for call in calls_of(main.messages[1])] == ["task"]
    assert (agent.is_subagent, [message.role for message in agent.messages]) == (True, ["assistant", "tool"])
    assert [call.arguments for call in calls_of(agent.messages[0])] == ['**/srv**\n\n"tide" (/srv)']
    (result,) = results_of(agent.messages[1])
    assert (result.is_error, result.content) == (True, (TextPart("No such folder"),))
    assert "Calls without a result in the export: 1" in found.warnings
