"""One caller turn as the notes take it: the words, how surely they were heard, and what was asked."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from pipecat_memory.records.call_state import NextStep
from pipecat_memory.records.turn import Trust

Source = Literal["speech", "typed", "dtmf"]

MAX_HYPOTHESES = 10
"""Recogniser alternatives looked at; telephone recognisers give five to ten."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Heard:
    """A caller's turn so far.

    Args:
        turn: its number among the committed turns.
        text: what was said, segments joined.
        at: when, aware.
        key: stable id of the turn.
        nbest: alternatives of each segment, best first; empty where the recogniser gives none.
        speaker: the recogniser's label.
        is_caller: False for another voice on the line.
        trust: `low` for promoted partials and speech without voice activity.
        language: tag of the recogniser such as `en-GB`; None lets the words tell.
        source: spoken, typed or keyed.
        confidence: of the recogniser, 0..1.
        asked: our own next step as it stood when the agent last spoke.
        agent_said: what was heard of the agent's last reply.
        incomplete: the call ended inside the turn.
    """

    turn: int
    text: str
    at: datetime
    key: str = ""
    nbest: tuple[tuple[str, ...], ...] = ()
    speaker: str | None = None
    is_caller: bool = True
    trust: Trust = "high"
    language: str | None = None
    source: Source = "speech"
    confidence: float | None = None
    asked: NextStep | None = None
    agent_said: str = ""
    incomplete: bool = False

    def hypotheses(self) -> tuple[str, ...]:
        """The turn as each rank of the recogniser heard it, best first; at least `text`."""
        deepest = max((len(segment) for segment in self.nbest), default=0)
        if deepest < 2:
            return (self.text,)
        ranks = range(min(deepest, MAX_HYPOTHESES))
        return tuple(
            " ".join(segment[min(rank, len(segment) - 1)] for segment in self.nbest if segment)
            for rank in ranks
        )

    def __repr__(self) -> str:
        return f"<Heard turn={self.turn} source={self.source}>"
