"""What chat applications save: other forms of their files, branches, versions, what was not sent."""

from __future__ import annotations

from typing import Any

import pytest

from budgeteer.engine.content.conversation import ReasoningPart
from budgeteer.engine.errors import FormatError
from budgeteer.formats.chat_exports.pages.html_text import text_of_html
from budgeteer.formats.detect import import_bytes
from tests.formats.maker_shapes import MAKERS
from tests.formats.makers.chat_apps import BIG_AGI, CHERRY_STUDIO, GEMINI_ACTIVITY, KOBOLD_LITE, SILLY_TAVERN
from tests.formats.shapes import dumps, jsonl
from tests.formats.test_makers import told


def roles(data: bytes, **options: Any) -> list[str]:
    return [message.role for message in import_bytes(data, **options).conversations[0].messages]


def test_a_chat_of_silly_tavern_keeps_its_versions_and_hidden_messages_out_and_says_so() -> None:
    found = import_bytes(jsonl(*SILLY_TAVERN))
    (chat,) = found.conversations
    assert (chat.title, chat.model, chat.messages[1].created) == ("Pilot", "llama-4", "2026-03-01T10:00:00Z")
    assert [message.role for message in chat.messages] == [
        "assistant",
        "user",
        "assistant",
        "tool",
        "assistant",
        "system",
    ]
    assert isinstance(chat.messages[0].parts[0], ReasoningPart)
    assert found.findings.counted == (
        ("Other versions of messages, which were replaced, left out", 1),
        ("Messages that are hidden from the model, left out", 1),
    )


def test_characters_of_a_group_are_named_and_one_alone_is_not() -> None:
    said = [{"name": name, "is_user": False, "is_system": False, "mes": f"I am {name}."} for name in ("Ada", "Bo")]
    (group,) = import_bytes(jsonl(*said)).conversations
    assert [message.name for message in group.messages] == ["Ada", "Bo"]
    assert not any(message.name for message in import_bytes(jsonl(*said[:1] * 2)).conversations[0].messages)


def test_a_header_begins_a_chat_and_chubs_messages_are_objects() -> None:
    row = {"name": "A", "is_user": True, "mes": {"message": "Hello."}, "swipes": [{"message": "Hello."}]}
    found = import_bytes(jsonl(*[{"user_name": "U", "character_name": "A"}, row] * 2))
    assert [told(chat)[0] for chat in found.conversations] == [["Hello."], ["Hello."]]


def test_prompts_of_gemini_that_are_far_apart_are_conversations_of_their_own() -> None:
    later = {**GEMINI_ACTIVITY[0], "time": "2026-03-01T10:40:00Z"}
    found = import_bytes(dumps([later, *GEMINI_ACTIVITY[1:]]))
    assert [len(chat.messages) for chat in found.conversations] == [2, 2]
    assert ("Activities that are no prompt, left out", 1) in found.findings.counted


def test_a_title_in_another_language_is_a_prompt_where_it_was_answered() -> None:
    row = {"header": "Gemini-Apps", "title": "Eingegeben: Hallo", "time": "2026-03-01T10:00:00Z", "products": []}
    with pytest.raises(FormatError, match="No Gemini messages were found"):
        import_bytes(dumps([row]))
    found = import_bytes(dumps([{**row, "safeHtmlItem": [{"html": "<p>Guten Tag</p>"}]}]))
    assert told(found.conversations[0])[0] == ["Eingegeben: Hallo", "Guten Tag"]


def test_activities_of_other_products_are_refused_by_their_name() -> None:
    row = {"header": "Search", "title": "Searched for tides", "time": "2026-03-01T10:00:00Z", "products": ["Search"]}
    with pytest.raises(FormatError, match="Google Takeout's activities"):
        import_bytes(dumps([row, row]))


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>One&nbsp;line</p><p>and\nanother</p>", "One\xa0line\n\nand another"),
        ("<pre><code>a = 1\n  b</code></pre>", "a = 1\n  b"),
        ("<table><tr><th>a</th><td>b</td></tr><tr><td>c</td></tr></table>", "a b\n c"),
        ("1 < 2 & 3<br>four <unclosed", "1 < 2 & 3\nfour <unclosed"),
    ],
)
def test_html_is_read_as_a_person_reads_it(html: str, text: str) -> None:
    assert text_of_html(html) == text


def test_a_session_of_chatbox_has_its_branches_and_earlier_topics() -> None:
    main, branch, thread = import_bytes(MAKERS["chatbox"]).conversations
    assert (main.title, main.model, main.recorded[0].input_tokens) == ("Moss", "OpenAI API (gpt-5)", 61)
    assert (branch.branch_of, told(branch)[0][-1]) == (main.id, "It has none.")
    assert (thread.title, told(thread)[0]) == ("Ferns", ["And ferns?"])


def test_an_older_export_of_chatbox_lists_its_sessions() -> None:
    message = {"id": "a", "role": "user", "content": "Hello."}
    failed = {"id": "b", "role": "assistant", "content": "", "error": "no key", "errorCode": 1}
    found = import_bytes(dumps({"chat-sessions": [{"id": "s", "name": "S", "messages": [message, failed]}]}))
    assert (found.format, found.conversations[0].title, told(found.conversations[0])[0]) == ("chatbox", "S", ["Hello."])
    assert ("Errors shown in place of replies, left out", 1) in found.findings.counted


def test_a_topic_of_cherry_studio_is_what_was_sent_and_whole_where_that_is_asked_for() -> None:
    data = dumps(CHERRY_STUDIO)
    (chat,) = import_bytes(data).conversations
    assert (chat.title, chat.model) == ("Bread", "glm-5")
    assert [message.role for message in chat.messages] == ["system", "user", "assistant", "tool", "assistant"]
    assert told(import_bytes(data, whole=True).conversations[0])[0][1] == "Before that"


def test_messages_of_cherry_studio_of_before_there_were_blocks_are_read() -> None:
    rows = [{"id": "1", "role": "user", "content": "Hello."}, {"id": "2", "role": "assistant", "content": "Good day."}]
    found = import_bytes(dumps({"indexedDB": {"topics": [{"id": "t", "messages": rows}]}}))
    assert (found.format, told(found.conversations[0])[0]) == ("cherry-studio", ["Hello.", "Good day."])


def test_a_single_chat_of_big_agi_is_read_as_one_of_all() -> None:
    (chat,) = BIG_AGI["conversations"]
    alone = import_bytes(dumps(chat))
    assert (alone.format, alone.conversations[0].title, alone.conversations[0].model) == ("big-agi", "Bells", "gpt-5")
    assert told(alone.conversations[0]) == told(import_bytes(dumps(BIG_AGI)).conversations[0])


def test_a_chat_of_kobold_is_parted_at_the_names_and_a_story_is_one_text() -> None:
    settings = {"chatname": "You", "chatopponent": "Ada||$||Bo"}
    chat = {**KOBOLD_LITE, "prompt": "A pier.\nYou: Cold?", "actions": ["\nAda: Yes.", "\nBo: No."], "memory": ""}
    assert told(import_bytes(dumps({**chat, "savedsettings": settings})).conversations[0])[0] == [
        "A pier.",
        "Cold?",
        "Yes.",
        "No.",
    ]
    assert roles(dumps({**chat, "savedsettings": settings})) == ["assistant", "user", "assistant", "assistant"]
    assert roles(dumps({**chat, "prompt": "A pier.", "savedsettings": settings})) == ["assistant"]


@pytest.mark.parametrize(
    "chat",
    [
        {"data": [["Who?", "Ada."]], "data_visible": [["Who?", "Ada."]]},
        {
            "type": "risuChat",
            "ver": 1,
            "data": {"message": [{"role": "user", "data": "Who?"}, {"role": "char", "data": "Ada."}]},
        },
        {"name": "Ada", "messages": [{"msg": "Who?", "userId": "u"}, {"msg": "Ada.", "characterId": "c"}]},
        {
            "info": {},
            "histories": {
                "histories": [
                    {
                        "msgs": [
                            {"text": "Who?", "src": {"is_human": True}},
                            {"text": "Ada.", "src": {"is_human": False}},
                        ]
                    }
                ]
            },
        },
    ],
)
def test_chats_with_characters_are_read_in_each_shape(chat: dict[str, Any]) -> None:
    found = import_bytes(dumps(chat))
    assert (found.format, told(found.conversations[0])[0]) == ("character-chat", ["Who?", "Ada."])
    assert [message.role for message in found.conversations[0].messages] == ["user", "assistant"]


def test_a_text_that_claude_shows_beside_other_blocks_is_counted() -> None:
    said = {"uuid": "b", "sender": "assistant", "text": "I think. Low.", "content": [{"type": "text", "text": "Low."}]}
    asked = {"uuid": "a", "sender": "human", "text": "When?", "content": [{"type": "text", "text": "When?"}]}
    empty = {"uuid": "e", "name": "A chat in which nobody said a word", "chat_messages": []}
    found = import_bytes(dumps([{"uuid": "c", "name": "Tides", "chat_messages": [asked, said]}, empty]))
    counted = dict(found.findings.counted)
    assert counted["Texts that the export shows beside the blocks of a reply, left out"] == 1
    assert counted["Conversations without a message, left out"] == 1
    assert found.accounting is not None
    assert found.accounting.unread == 0
