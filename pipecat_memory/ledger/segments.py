"""One entry of the caller, spoken, typed or keyed, in its place, and what makes it the same again."""

from __future__ import annotations

from ..events import Dtmf, UserFinal, UserTyped
from ..records.turn import Segment
from .speech import Place, Said

Entry = UserFinal | UserTyped | Dtmf


def said(event: Entry, at: Place, place: Place) -> Said:
    """The entry as a segment.

    Args:
        event: the entry.
        at: when it was delivered.
        place: when its speech began; of typed and keyed input the delivery.
    """
    match event:
        case Dtmf():
            digits = event.digits.strip()
            return Said(
                Segment(digits, event.t, source="dtmf"), at, at, ("dtmf", event.t, digits), event.done
            )
        case UserTyped():
            ident = ("typed", event.id) if event.id else ("typed", event.t, event.text)
            return Said(Segment(event.text, event.t, event.id, source="typed"), at, at, ident)
        case UserFinal():
            start = event.t if event.started is None else event.started
            segment = Segment(
                event.text,
                place[0],
                event.id,
                event.speaker,
                event.language,
                event.confidence,
                event.nbest,
            )
            ident = ("final", event.id) if event.id else ("final", start, event.text)
            return Said(segment, place, at, ident)


class Entries:
    """The caller's entries of a call, each once."""

    def __init__(self) -> None:
        self._said: dict[tuple[object, ...], Said] = {}
        self._pressed: dict[tuple[object, ...], int] = {}

    def add(self, entry: Said) -> Said | None:
        """Take an entry; returns the one that it is again, or None where it is new.

        Equal keys at one moment were pressed twice: keys have no id, and never come a second time.
        """
        if entry.segment.source == "dtmf":
            count = self._pressed[entry.ident] = self._pressed.get(entry.ident, 0) + 1
            entry.ident = (*entry.ident, count) if count > 1 else entry.ident
        known = self._said.setdefault(entry.ident, entry)
        return None if known is entry else known
