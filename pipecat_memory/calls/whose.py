"""Whose an event is: of who was on the line when it began, however late it comes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import events as ev
from ..ledger.speech import GRACE

if TYPE_CHECKING:
    from .stay import Stay

_OPENINGS = (ev.ReplyStarted, ev.ToolCalled)
_PIECES = (ev.ReplyText, ev.ReplyHeard, ev.ReplyEnded, ev.ToolReturned)
_OF_THE_LINE = (ev.CallerIdentified, ev.CallEnded)
"""What is told of the line as it is now, whatever moment it names."""
_VOICED = (ev.UserPartial, ev.UserFinal, ev.TurnSpeculated, ev.SpeculationWithdrawn, ev.TurnEnded)
"""What a voice amounts to; a final may tell itself when it began."""
_ANEW = (ev.UserStarted, ev.UserTyped, ev.Dtmf)
"""What shows that a voice from before goes on no more: somebody begins anew."""
_BETWEEN_KEYS = 5.0
"""Seconds between two keys of one entry, at most: the time that keypads give."""


class Whose:
    """Of one call. Before the line has changed hands everything is of who is there.

    Args:
        first: of who is on the line when the call begins.
    """

    def __init__(self, first: Stay) -> None:
        self.now = first
        """Of who is on the line."""
        self.left: list[Stay] = []
        """Of those who left the line, oldest first."""
        self._speaking: tuple[Stay, float] | None = None
        """Whose voice goes on from before the line changed hands, and until when."""
        self._keying: tuple[Stay, float] | None = None
        """The same of an entry on the keypad."""
        self._waiting: dict[str, list[ev.Event]] = {}

    @property
    def all(self) -> tuple[Stay, ...]:
        """Of all who were on the line, oldest first."""
        return (*self.left, self.now)

    def hand_over(self, then: Stay, *, speaking: bool, keyed: float | None) -> None:
        """Somebody else is on the line. Who was leaves it amid a word or an entry, which may go on.

        Args:
            then: of who is there from now on.
            speaking: a word is not over.
            keyed: when the last key came of an entry that is not done.
        """
        stay = self.now
        self.left.append(stay)
        self.now = then
        self._speaking = (stay, float("inf")) if speaking else None
        self._keying = None if keyed is None else (stay, keyed + _BETWEEN_KEYS)

    def stay_of(self, event: ev.Event) -> Stay | None:
        """The stay that an event is of; None where it has to wait for what it is a piece of."""
        now = self.now
        if not self.left or isinstance(event, _OF_THE_LINE):
            return now
        if isinstance(event, _ANEW) and event.t >= now.since:
            self._speaking = None
        if isinstance(event, _OPENINGS + _PIECES):
            return self._with_id(event)
        began = event.started if isinstance(event, ev.UserFinal) and event.started is not None else event.t
        return self._goes_on(event, began) or self._at(began)

    def waited_for(self, event: ev.Event) -> list[ev.Event]:
        """The pieces that waited for this event."""
        return self._waiting.pop(_id(event), []) if isinstance(event, _OPENINGS) else []

    def given_up(self) -> list[str]:
        """Ids that pieces wait for, when nothing will open them any more."""
        ids, self._waiting = list(self._waiting), {}
        return [id.partition(" ")[2] for id in ids]

    def _with_id(self, event: ev.Event) -> Stay | None:
        for stay in reversed(self.all):
            if stay.course.ledger.agent.holds(event):
                return stay
        if isinstance(event, _OPENINGS) or event.t < self.now.since:
            return self._at(event.t)
        self._waiting.setdefault(_id(event), []).append(event)
        return None

    def _at(self, t: float) -> Stay:
        return next((stay for stay in reversed(self.all) if stay.since <= t), self.left[0])

    def _goes_on(self, event: ev.Event, began: float) -> Stay | None:
        """Whose voice or entry an event goes on with, if it began before the line changed hands."""
        if self._keying is not None and isinstance(event, ev.Dtmf):
            stay, until = self._keying
            goes_on = event.t <= until
            self._keying = (stay, event.t + _BETWEEN_KEYS) if goes_on and not event.done else None
            return stay if goes_on else None
        if self._speaking is None:
            return None
        stay, until = self._speaking
        if began > until or (isinstance(event, ev.UserFinal) and event.started is not None):
            self._speaking = None
        elif isinstance(event, ev.UserStopped):
            self._speaking = stay, event.t + GRACE
            return stay
        elif isinstance(event, _VOICED):
            return stay
        return None


def _id(event: ev.Event) -> str:
    """What an event opens or is a piece of."""
    if isinstance(event, ev.ToolCalled | ev.ToolReturned):
        return f"tool {event.id}"
    return f"reply {getattr(event, 'reply', '')}"
