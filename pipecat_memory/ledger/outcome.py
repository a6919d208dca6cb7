"""How a call ended, without a model."""

from __future__ import annotations

from collections.abc import Sequence

from ..records.turn import HistoryItem

_QUESTION_MARKS = "?？؟;՞"
"""Latin, full-width, Arabic, Greek and Armenian; a Greek one is looked for only in Greek text."""
_CLOSERS = " \"'”’)]»』」"

_BY_REASON = {"no_answer": "no_answer", "transferred": "transferred", "error": "failed", "crash": "failed"}


def outcome(
    reason: str,
    history: Sequence[HistoryItem],
    *,
    machine: bool,
    reply_heard: bool,
    answering: bool = False,
) -> str:
    """The outcome of a call: `completed`, `abandoned`, `voicemail`, or what the reason says.

    Args:
        reason: of `call_ended`.
        history: all committed items.
        machine: the far end was found to be no person.
        reply_heard: anything of any reply was heard, kept out of history or not.
        answering: the caller has begun to say something that is not committed yet.
    """
    if reason in _BY_REASON:
        return _BY_REASON[reason]
    if machine:
        return "voicemail"
    if reason == "hangup" and (not reply_heard or (asks(history) and not answering)):
        return "abandoned"
    return "completed"


def asks(history: Sequence[HistoryItem]) -> bool:
    """True while the last thing said is a question of ours."""
    return bool(history) and history[-1].role == "assistant" and is_question(history[-1].text)


def is_question(text: str) -> bool:
    """True where the text ends with a question mark of any script."""
    text = text.rstrip(_CLOSERS)
    if not text:
        return False
    if text[-1] == ";":
        return any("\u0370" <= c <= "\u03ff" for c in text)
    return text[-1] in _QUESTION_MARKS
