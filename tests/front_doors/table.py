"""Calls that both front doors must remember alike.

| level | Pipecat | LiveKit |
|---|---|---|
| session | a pipeline, fake services | an `AgentSession`, fake models, LiveKit's own audio clock |
| RoomIO | the same | the same, linked to a SIP participant of LiveKit's own stand-in for a room |
| job process | a pipeline in a process of its own | a worker's job process, with a fake job |

`allowed` names what may differ because a framework can't know it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Level = Literal["session", "RoomIO", "job process"]

ANY_WORD = "the word at which a reply was cut: LiveKit's audio runs by the clock, Pipecat's fake stands still"
ASKED_FOR = "alternatives come to LiveKit only with `attach_session(..., nbest=True)`, as here"
FRAME = "who calls late: LiveKit's linked participant tells, a Pipecat app pushes `MemoryIdentifyFrame`"


@dataclass(frozen=True)
class Case:
    """One call.

    Args:
        name: what it shows.
        turns: (what the caller says, what the model answers); an answer that starts with `!` is a tool call
            followed, after the bar, by the reply.
        slots: values that the notes must hold at the end.
        facts: (key, value) that the profile must hold.
        others: what the recogniser also made of the last turn.
        late: nobody is known to call before the last turn.
        cut: the last reply is interrupted after a few words.
        killed: the process dies after the last turn; compared is what the next call is told.
        level: where it runs.
        allowed: differences that are allowed.
    """

    name: str
    turns: tuple[tuple[str, str], ...]
    slots: tuple[tuple[str, object], ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    others: tuple[str, ...] = ()
    late: bool = False
    cut: bool = False
    killed: bool = False
    level: Level = "session"
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
    Case(
        "what the recogniser also heard",
        (("A table please", "What's your name?"), ("maria lopes", "Good.")),
        slots=(("name", "Maria Lopez"),),
        others=("mario lopes", "maria lopez"),
        allowed=(ASKED_FOR,),
    ),
    Case(
        "a caller known late",
        (("Hello there", "Hello."), ("I am allergic to walnuts", "Noted.")),
        facts=(("allergy", "walnuts"),),
        late=True,
        level="RoomIO",
        allowed=(FRAME,),
    ),
    Case(
        "a process that dies",
        (("I am allergic to walnuts.", "Noted."),),
        facts=(("allergy", "walnuts"),),
        killed=True,
        level="job process",
    ),
)
