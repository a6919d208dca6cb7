"""Calls that both front doors must remember alike.

`level` names where each case runs: all at `session`, that is a real Pipecat pipeline and a real LiveKit
session with fake models. `allowed` names what may differ because a framework can't know it.
"""

from __future__ import annotations

from dataclasses import dataclass

ANY_WORD = "the word at which a reply was cut: LiveKit's audio runs by the clock, Pipecat's fake stands still"


@dataclass(frozen=True)
class Case:
    """One call.

    Args:
        name: what it shows.
        turns: (what the caller says, what the model answers); an answer that starts with `!` is a tool call
            followed, after the bar, by the reply.
        slots: values that the notes must hold at the end.
        facts: (key, value) that the profile must hold.
        cut: the last reply is interrupted after a few words.
        level: where it runs.
        allowed: differences that are allowed.
    """

    name: str
    turns: tuple[tuple[str, str], ...]
    slots: tuple[tuple[str, object], ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    cut: bool = False
    level: str = "session"
    allowed: tuple[str, ...] = ()


LONG = "The table by the big window is free on that day and we open at noon and close rather late."

TABLE = (
    Case("small talk leaves no fact", (("Hello there", "Hello."), ("Are you open", "We are."))),
    Case(
        "a booking with a correction",
        (
            ("A table for four please", "For four, right?"),
            ("No, for five", "Five it is."),
        ),
        slots=(("party_size", 5),),
    ),
    Case(
        "what lasts becomes a fact",
        (("My name is Wren Abbott", "Hello Wren."), ("I am allergic to walnuts", "Noted.")),
        facts=(("name", "Wren Abbott"), ("allergy", "walnuts")),
    ),
    Case(
        "a tool's result is no fact about the caller",
        (("Is a table for four free", "!look_up|At six."), ("Thanks", "Good bye.")),
        slots=(("party_size", 4),),
    ),
    Case(
        "an answer to a question",
        (("A table please", "For how many?"), ("Seven", "Seven, good.")),
    ),
    Case(
        "the caller cuts in",
        (("Is a table for two free", LONG),),
        slots=(("party_size", 2),),
        cut=True,
        allowed=(ANY_WORD,),
    ),
)
