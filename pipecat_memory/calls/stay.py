"""One person's time on the line: what was said and done, masked, folded and journalled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from .. import events as ev
from ..ledger.effects import Effect, Promoted, SegmentHeard, TurnAmended, TurnCommitted, TurnForgotten
from ..ledger.reducer import Ledger
from ..reading.briefing import Briefing
from ..records.schema import MemorySchema
from ..writing.journal import PASSING, Journal
from .course import Course
from .guesses import Guesses
from .pausing import Pause, wordless
from .withheld import Withheld

if TYPE_CHECKING:
    from ..call import CallMemory


class Stay:
    """Of one call, which has a single one unless the line changes hands.

    Args:
        call: whose line it is.
        schema: what to note; None takes that of the call's opening, else the default one.
        run: stands before the ids of its records.
        follow: takes the effects of words that were taken back.
        since: seconds of the call at which it began.
    """

    def __init__(
        self,
        call: CallMemory,
        schema: MemorySchema | None,
        run: str,
        follow: Callable[[Effect], None],
        since: float = float("-inf"),
    ) -> None:
        self.since = since
        self.course = Course(
            call.started,
            schema=schema,
            interrupted_reply=call.settings.interrupted_reply,
            candidates=call.memory.candidates,
            mask=lambda text, rest: call.secrets.mask(text, after=rest)[0],
            run=run if call.live else "",
        )
        self.journal = Journal(call.id, run, call.memory.tasks, call.memory.clock, call.secrets)
        self.briefings: list[str] = []
        """What the model was told before each reply."""
        self.sources: dict[str, tuple[str, ...]] = {}
        """The lines of its briefing, by reply."""
        self._call = call
        self._withheld = Withheld(call, self.course, self.journal, follow)
        self._pause = Pause()
        self._guesses = Guesses()

    def take(self, event: ev.Event) -> tuple[ev.Event, tuple[Effect, ...]]:
        """Take one event; returns it as it may be kept, and what it changed."""
        event, hits = self._withheld.keepable(event)
        ledger = self.course.ledger
        paused, turns = ledger.paused, ledger.turns
        began = ledger.caller.place((event.t, 0), event)[0] if isinstance(event, ev.UserFinal) else None
        kept = self._pause.keeps(event, paused=paused, began=began)
        effects = self.course.apply(event)
        if found := self._withheld.told_by(event):
            effects = _as_they_are(effects, ledger)
        event = self._withheld.kept(event)
        if hits + found:
            self._call.count("masked", hits + found)
        if kept:
            self._write(event, effects)
        elif (told := wordless(event)) is not None:
            self.journal.event(told)
        if isinstance(event, ev.MemoryForgetLast):
            gone = {effect.key for effect in effects if isinstance(effect, TurnForgotten)}
            for turn in turns:
                if turn.key in gone:
                    self.journal.strike_turn(turn, event.t)
        return event, effects

    def briefed(self, reply: str, told: Briefing) -> None:
        """A reply begins, for which the model was told this."""
        self.briefings.append(told.text)
        self.sources[reply] = told.sources

    def _write(self, event: ev.Event, effects: Sequence[Effect]) -> None:
        if isinstance(event, ev.CallerIdentified):
            return
        for effect in effects:
            if isinstance(effect, Promoted):
                self.journal.event(ev.UserPartial(t=effect.at, text=effect.partial_text))
        if not isinstance(event, PASSING) and (told := self._guesses.wordless(event)) is not None:
            self.journal.event(told)


def _as_they_are(effects: Sequence[Effect], ledger: Ledger) -> tuple[Effect, ...]:
    """Effects with the turns as they stand now."""
    now = {turn.key: turn for turn in ledger.turns}
    if (late := ledger.open_turn) is not None:
        now.setdefault(late.key, late)
    return tuple(
        replace(effect, turn=now.get(effect.turn.key, effect.turn))
        if isinstance(effect, SegmentHeard | TurnCommitted | TurnAmended)
        else effect
        for effect in effects
    )
