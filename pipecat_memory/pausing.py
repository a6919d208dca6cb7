"""What a pause keeps out of the journal: words do not get there, unless what they belong to had begun before.

The ledger goes by when something began, and the journal has to tell the same.
"""

from __future__ import annotations

from . import events as ev

_WORDLESS = (
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
)
"""What says nothing, or is journalled without its words: in a pause too, for the ledger goes by it."""


class Pause:
    """Follows what begins and when the record is off."""

    def __init__(self) -> None:
        self._begun: set[tuple[str, str]] = set()
        """Replies and tool calls whose beginning is on the record."""
        self._at = 0.0

    def keeps(self, event: ev.Event, *, paused: bool) -> bool:
        """Whether an event is on the record; asked of every event, once.

        Args:
            event: the one that has just been taken.
            paused: the record was off before it.
        """
        if paused and self._off(event):
            return False
        match event:
            case ev.MemoryPaused(t=t) if not paused:
                self._at = t
            case ev.ReplyStarted() | ev.ToolCalled():
                self._begun |= _part_of(event)
            case _:
                pass
        return True

    def _off(self, event: ev.Event) -> bool:
        match event:
            case ev.UserFinal(started=float(started) | int(started)):
                return started >= self._at
            case ev.ReplyText() | ev.ReplyHeard() | ev.ReplyEnded() | ev.ToolReturned():
                return not _part_of(event) & self._begun
            case _:
                return not isinstance(event, _WORDLESS)


def _part_of(event: ev.Event) -> set[tuple[str, str]]:
    """The reply or tool call that an event tells of, if any."""
    match event:
        case ev.ReplyStarted() | ev.ReplyText() | ev.ReplyHeard() | ev.ReplyEnded():
            return {("reply", event.reply)}
        case ev.ToolCalled() | ev.ToolReturned():
            return {("tool", event.id)}
        case _:
            return set()
