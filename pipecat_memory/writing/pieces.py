"""Pieces of a heard reply on their way into the journal: a number read out word by word is one thing."""

from __future__ import annotations

from dataclasses import replace

from ..events import ReplyHeard
from ..stores.digit_runs import ends_in_digits

LONGEST = 60
"""Pieces that are held at most: a card's nineteen digits, with hesitations between them."""


class HeardPieces:
    """Holds pieces back while they may be parts of one number. Nothing else of a reply waits."""

    def __init__(self) -> None:
        self._held: list[ReplyHeard] = []

    def take(self, event: ReplyHeard) -> bool:
        """Hold the piece if a number may go on in or after it; returns whether it was held."""
        if self._held and self._held[0].reply != event.reply:
            return False
        if not self._held and not ends_in_digits(event.text):
            return False
        self._held.append(event)
        return True

    @property
    def open(self) -> bool:
        """Whether the next piece may belong to what is held."""
        return bool(self._held) and len(self._held) < LONGEST and ends_in_digits(self._held[-1].text)

    def release(self) -> list[ReplyHeard]:
        """What was held, in order."""
        held, self._held = self._held, []
        return held


def joined(pieces: list[ReplyHeard]) -> ReplyHeard:
    """Several pieces as one, of the moment of the first."""
    between = "" if pieces[0].chars else " "
    return replace(pieces[0], text=between.join(piece.text for piece in pieces))
