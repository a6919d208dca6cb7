"""What a pause keeps out of the journal: words that began in it, whenever they come.

The ledger goes by when something began, and the journal has to tell the same. Of a reply that began in a
pause it tells when that was said and heard, for turns end and calls are abandoned by it; never in what words.
"""

from __future__ import annotations

import math
from dataclasses import replace

from .. import events as ev

_KEPT = (
    ev.MemoryPaused,
    ev.MemoryResumed,
    ev.CallEnded,
    ev.UserStarted,
    ev.UserStopped,
    ev.TurnEnded,
    ev.Interrupted,
    ev.Party,
    ev.MemoryForgetLast,
    ev.RolledBack,
    ev.TurnSpeculated,
    ev.SpeculationWithdrawn,
    ev.Corrected,
)
"""Journalled in a pause too, for the ledger and the notes go by it: what says nothing, or is journalled
without its words, and what a person writes into the record."""

_BEGIN = (ev.ReplyStarted, ev.ToolCalled)

WORDS = "[unrecorded]"
"""Stands where the words of a reply stood that began off the record: letters, so that something was heard."""


def wordless(event: ev.Event) -> ev.Event | None:
    """What may be told of an event that is off the record; None where that is nothing."""
    match event:
        case ev.ReplyText() | ev.ReplyHeard():
            return replace(event, text=WORDS) if event.text.strip() else event
        case ev.ReplyStarted() | ev.ReplyEnded():
            return event
        case _:
            return None


class Pause:
    """Follows what begins and when the record is off."""

    def __init__(self) -> None:
        self._begun: set[tuple[str, str]] = set()
        """Replies and tool calls whose beginning is on the record."""
        self._off: set[tuple[str, str]] = set()
        """Those whose beginning is not: nothing of them is, whenever it comes."""
        self._stretches: list[tuple[float, float]] = []

    def keeps(self, event: ev.Event, *, paused: bool, began: float | None = None) -> bool:
        """Whether an event is on the record; asked of every event, once.

        Args:
            event: the one that has just been taken.
            paused: the record was off before it.
            began: when what it says began, of a final.
        """
        match event:
            case ev.MemoryPaused(t=t) if not paused:
                self._stretches.append((t, math.inf))
            case ev.MemoryResumed(t=t) if paused:
                self._stretches[-1] = (self._stretches[-1][0], t)
            case _:
                pass
        kept = not self._is_off(event, paused=paused, began=began)
        if isinstance(event, _BEGIN):
            (self._begun if kept else self._off).update(_part_of(event))
        return kept

    def _is_off(self, event: ev.Event, *, paused: bool, began: float | None) -> bool:
        if began is not None:
            return any(start <= began < end for start, end in self._stretches)
        if (part := _part_of(event)) and not isinstance(event, _BEGIN):
            return bool(part & self._off) or (paused and not part & self._begun)
        return paused and not isinstance(event, _KEPT)


def _part_of(event: ev.Event) -> set[tuple[str, str]]:
    """The reply or tool call that an event tells of, if any."""
    match event:
        case ev.ReplyStarted() | ev.ReplyText() | ev.ReplyHeard() | ev.ReplyEnded():
            return {("reply", event.reply)}
        case ev.ToolCalled() | ev.ToolReturned():
            return {("tool", event.id)}
        case _:
            return set()
