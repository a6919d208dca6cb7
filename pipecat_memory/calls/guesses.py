"""What is provisional, as the journal tells it: that it was there, never in what words."""

from __future__ import annotations

from dataclasses import replace

from .. import events as ev

INTERIM = "…"
"""Stands where interim words stood. It holds no letter, so that nobody takes it for any."""

_NEW_WORDS = (ev.UserStarted, ev.UserStopped, ev.UserFinal, ev.TurnEnded, ev.MemoryPaused, ev.MemoryResumed)
"""What interim words do not go on after: those that come then are others."""


class Guesses:
    """Of one call: that the recogniser had words for a voice, and guesses that a turn ended.

    The ledger goes by both: by the first it tells whose words come without a start of their own, by the
    second what became of a reply.
    """

    def __init__(self) -> None:
        self._text = ""
        self._count = 0
        self._interim = False

    def wordless(self, event: ev.Event) -> ev.Event | None:
        """The event as it is journalled.

        Of interim words one mark is, the first time since anything else was told of the voice; of a guess a
        number, the same for the same words. Anything else is as it is; None where it is not journalled.
        """
        if isinstance(event, ev.UserPartial):
            if self._interim or not event.text.strip():
                return None
            self._interim = True
            return replace(event, text=INTERIM)
        if isinstance(event, _NEW_WORDS):
            self._interim = False
        if isinstance(event, ev.SpeculationWithdrawn):
            return replace(event, text="")
        if not isinstance(event, ev.TurnSpeculated):
            return event
        if event.text != self._text:
            self._text, self._count = event.text, self._count + 1
        return replace(event, text=str(self._count))
