"""The sentences of recentExchange."""

from __future__ import annotations

from budgeteer.engine.config import MOST_HISTORY_MESSAGES
from budgeteer.engine.history.view import HistoryFit, HistoryView, Rule
from budgeteer.engine.ledger import Reason

_NAME = "recentExchange"


def explain_recent(view: HistoryView, fit: HistoryFit, rule: Rule, row: int) -> Reason:
    """Why the message at `row` is left out, or why only its opening stays."""
    if rule is Rule.LINE_RENEWED:
        return Reason(_NAME, "It names what went before; a new line says that and more.")
    messages, tokens = int(fit.needed_messages[row]), int(fit.needed_tokens[row])
    if not messages:
        return Reason(_NAME, "It names what went before, and no room is left for it.")
    if rule is Rule.TOPIC_ANCHOR:
        if fit.anchor is None:
            return Reason("topicAnchor", "The oldest message: it is short and stays as the topic.")
        whole_if = _kept_if(view, messages, tokens).replace("Kept", "Kept whole", 1)
        return Reason("topicAnchor", "The oldest message: its opening stays as the topic.", whole_if)
    most, room_tokens = view.config.max_history_messages, max(view.room_tokens, 0)
    if messages > most:
        before = f" and the {most} message{'s' * (most > 1)} that may stand before it" if most else ""
        sentence = f"Older than the last exchange{before}."
    else:
        sentence = f"Does not fit: {tokens:,} tokens of history with it and all after it, {room_tokens:,} are left."
    return Reason(_NAME, sentence, _kept_if(view, messages, tokens))


def _kept_if(view: HistoryView, messages: int, tokens: int) -> str:
    """Every limit that would have to be wider for `messages` older messages, `tokens` of history in all."""
    if messages > MOST_HISTORY_MESSAGES:
        return f"Never kept whole by this strategy: at most {MOST_HISTORY_MESSAGES} older messages may stay."
    wanted = []
    if messages > view.config.max_history_messages:
        wanted.append(f"history.maxHistoryMessages were ≥ {messages:,}")
    if tokens > view.room_tokens:
        wanted.append(f"{tokens:,} tokens were left for history")
    return f"Kept if {' and '.join(wanted)}."
