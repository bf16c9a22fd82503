"""Groups: calls and their results live together; what does not pair up is named."""

from budgeteer.engine.content.conversation import Message, ReasoningPart, TextPart, ToolCallPart, ToolResultPart
from budgeteer.engine.content.pairing import Fault, pair


def user(text: str = "hi") -> Message:
    return Message("user", (TextPart(text),))


def calls(*ids: str) -> Message:
    return Message("assistant", tuple(ToolCallPart(call_id, "run", "{}") for call_id in ids))


def result(call_id: str) -> Message:
    return Message("tool", (ToolResultPart(call_id, (TextPart("ok"),)),))


def thinking() -> Message:
    return Message("assistant", (ReasoningPart("hm"),))


def faults(messages: list[Message]) -> list[Fault]:
    return [place.fault for place in pair(messages).place]


def test_results_that_change_places_are_known() -> None:
    places = pair([user(), calls("a", "b", "c"), result("b"), result("a"), result("c"), user()]).place
    assert [place.moved for place in places] == [False, False, True, True, False, False]


def test_a_call_id_that_was_used_before_is_known_for_the_call_and_its_result() -> None:
    places = pair([calls("a"), result("a"), calls("b", "a"), result("b"), result("a"), calls("c"), result("c")]).place
    assert [place.again for place in places] == [False, False, True, True, True, False, False]


def test_reasoning_has_an_heir_where_the_assistant_goes_on_to_say_or_call_something() -> None:
    says = Message("assistant", (TextPart("yes"),))
    blank = Message("assistant", (TextPart(" "),))
    for after, heir in (
        ([says], True),
        ([thinking(), says], True),
        ([calls("a"), result("a")], True),
        ([calls("a")], False),
        ([blank], False),
        ([user()], False),
        ([], False),
    ):
        assert pair([thinking(), *after]).place[0].heir is heir


def test_only_the_assistant_calls() -> None:
    asked = Message("user", (ToolCallPart("a", "run", "{}"),))
    assert faults([asked, result("a")]) == [Fault.NONE, Fault.NO_CALL]


def test_an_assistant_message_and_its_results_are_one_group() -> None:
    pairing = pair([user(), calls("a", "b"), result("b"), result("a"), user()])
    assert pairing.group == [0, 1, 1, 1, 2]
    assert pairing.place[1].answered == {0, 1}
    assert pairing.turn == [1, 1, 1, 1, 2]
    assert {place.fault for place in pairing.place} == {Fault.NONE}


def test_reasoning_that_precedes_a_call_belongs_to_its_group() -> None:
    assert pair([user(), thinking(), calls("a"), result("a")]).group == [0, 1, 1, 1]
    assert pair([thinking(), user()]).group == [0, 1]


def test_a_result_without_its_call_is_named() -> None:
    assert faults([user(), result("x")]) == [Fault.NONE, Fault.NO_CALL]


def test_a_result_that_does_not_follow_its_call_is_named_and_the_call_is_unanswered() -> None:
    pairing = pair([calls("a"), user(), result("a")])
    assert [place.fault for place in pairing.place] == [Fault.NONE, Fault.NONE, Fault.NOT_NEXT]
    assert pairing.place[0].answered == frozenset()
    assert pairing.group == [0, 1, 2]


def test_a_second_answer_to_one_call_is_named() -> None:
    assert faults([calls("a"), result("a"), result("a")]) == [Fault.NONE, Fault.NONE, Fault.REPEATED]


def test_a_call_without_a_name_is_never_answered_and_its_result_is_named() -> None:
    hidden = Message("assistant", (TextPart("hm"), ToolCallPart("a", " ", "{}"), ToolCallPart("b", "run", "{}")))
    pairing = pair([thinking(), hidden, result("b"), result("a"), user(), result("a")])
    assert [place.fault for place in pairing.place] == [
        *[Fault.NONE] * 3,
        Fault.UNNAMED,
        Fault.NONE,
        Fault.NO_CALL,
    ]
    assert pairing.place[1].answered == {2}
    assert not pair([thinking(), Message("assistant", (ToolCallPart("a", "", ""),)), result("a")]).place[0].heir
    used = pair([Message("assistant", (ToolCallPart("a", "", ""),)), result("a"), calls("a"), result("a")])
    assert not any(place.again for place in used.place)


def test_call_ids_may_be_used_again_in_a_later_turn() -> None:
    pairing = pair([calls("a"), result("a"), calls("a"), result("a")])
    assert {place.fault for place in pairing.place} == {Fault.NONE}
    assert pairing.group == [0, 0, 1, 1]


def test_no_messages_are_no_groups() -> None:
    assert pair([]).group == []


def test_two_results_in_another_order_than_their_calls_are_both_out_of_place() -> None:
    call = calls("a", "b")
    assert [place.moved for place in pair([call, result("a"), result("b")]).place] == [False, False, False]
    assert [place.moved for place in pair([call, result("b"), result("a")]).place] == [False, True, True]


def test_what_nobody_typed_begins_no_turn() -> None:
    told = Message("user", (TextPart("<output>"),), typed=False)
    assert list(pair([thinking(), user(), told, calls("a"), user(), told]).turn) == [0, 1, 1, 1, 2, 2]


def test_a_message_with_words_beside_its_result_answers_by_its_first_result() -> None:
    mixed = Message("tool", (TextPart("Here:"), ToolResultPart("a", (TextPart("ok"),)), ToolResultPart("b", ())))
    pairing = pair([user(), calls("a", "b"), mixed, result("b"), user()])
    assert pairing.group == [0, 1, 1, 1, 2]
    assert pairing.place[1].answered == {0, 1}
    assert faults([user(), mixed]) == [Fault.NONE, Fault.NO_CALL]


def test_a_block_that_is_read_back_begins_no_turn_and_what_was_typed_behind_it_does() -> None:
    text = "[Compressed conversation section]\n\nA start."
    tagged = Message("user", (TextPart(text), TextPart("<id>b1</id>")))
    typed = Message("user", (TextPart(text), TextPart("<id>b1</id>"), TextPart("And now?")))
    assert pair([user(text), tagged, user("One"), typed]).turn == [0, 0, 1, 2]
