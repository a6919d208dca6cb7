"""Guesses that a turn ended, as the journal tells them: when and which, never in what words."""

from __future__ import annotations

from dataclasses import replace

from .. import events as ev


class Guesses:
    """Numbers the guesses of one call. What the ledger makes of a reply goes by which guess stood."""

    def __init__(self) -> None:
        self._text = ""
        self._count = 0

    def wordless(self, event: ev.Event) -> ev.Event:
        """The event as it is journalled: a number in the place of a guess's words, anything else as it is."""
        if isinstance(event, ev.SpeculationWithdrawn):
            return replace(event, text="")
        if not isinstance(event, ev.TurnSpeculated):
            return event
        if event.text != self._text:
            self._text, self._count = event.text, self._count + 1
        return replace(event, text=str(self._count))
