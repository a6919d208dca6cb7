"""What one event of a call sets off: masked, folded, journalled, foreseen, written. All of it at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from . import events as ev
from .guesses import Guesses
from .ledger.effects import (
    Effect,
    Promoted,
    Rejected,
    ReplyOpened,
    SegmentHeard,
    TurnAmended,
    TurnCommitted,
    TurnForgotten,
)
from .ledger.reducer import Ledger
from .pausing import Pause
from .records.turn import Turn
from .withheld import Withheld
from .writing.journal import PROVISIONAL

if TYPE_CHECKING:
    from .call import CallMemory


class Following:
    """Follows the events of one call. Sync, no I/O: it only queues what has to be written."""

    def __init__(self, call: CallMemory) -> None:
        self._call = call
        self._withheld = Withheld(call, self._follow)
        self._pause = Pause()
        self._guesses = Guesses()

    def apply(self, event: ev.Event) -> tuple[Effect, ...]:
        """See `CallMemory.apply`."""
        call = self._call
        if call.identity.keeps_apart(event):
            return ()
        event, hits = self._withheld.keepable(event)
        paused = call.course.ledger.paused
        turns = call.course.ledger.turns
        effects = call.course.apply(event)
        if found := self._withheld.told_by(event):
            effects = _as_they_are(effects, call.course.ledger)
        event = self._withheld.kept(event)
        if hits + found:
            call.count("masked", hits + found)
        self._journal(event, effects, paused=paused)
        self._foresee(event)
        for effect in effects:
            self._follow(effect)
            if isinstance(effect, TurnForgotten):
                self._forget(next(turn for turn in turns if turn.key == effect.key), event)
        match event:
            case ev.CallerIdentified():
                return (*effects, *call.identity.told(event))
            case ev.Party():
                self._seat(event)
            case ev.Corrected() if not any(isinstance(effect, Rejected) for effect in effects):
                call.memory.keeper.corrected(call, event.by)
            case ev.Documents():
                call.reader.documents(event.docs)
            case _:
                pass
        return effects

    def _journal(self, event: ev.Event, effects: Sequence[Effect], *, paused: bool) -> None:
        if isinstance(event, ev.CallerIdentified):
            return
        if not self._pause.keeps(event, paused=paused):
            if any(isinstance(effect, TurnCommitted) for effect in effects):
                self._call.journal.event(ev.TurnEnded(t=event.t))  # words off the record ended a turn on it
            return
        for effect in effects:
            if isinstance(effect, Promoted):
                self._call.journal.event(ev.UserPartial(t=effect.at, text=effect.partial_text))
        if isinstance(event, ev.RolledBack):  # the journal begins with who is on the line now
            event = replace(event, turn=max(0, event.turn - self._call.course.others))
        if not isinstance(event, PROVISIONAL):
            self._call.journal.event(self._guesses.wordless(event))

    def _foresee(self, event: ev.Event) -> None:
        """Words on their way start the embedding of the query; a cut drops it."""
        match event:
            case ev.UserPartial(text=text) if len(text) >= self._call.settings.prefetch_chars:
                self._call.reader.prefetch.want(text)
            case ev.TurnSpeculated(text=text):
                self._call.reader.prefetch.want(text)
            case ev.UserFinal() | ev.UserTyped():
                ledger = self._call.course.ledger
                turn = ledger.open_turn or (ledger.turns or (None,))[-1]
                if turn is not None:
                    self._call.reader.prefetch.want(turn.text)
                if ledger.open_turn is not None and self._call.live:
                    self._call.memory.tasks.spawn(self._prepare(ledger.open_turn.text), "prepare briefing")
            case ev.Interrupted():
                self._call.reader.prefetch.cancel()
            case _:
                pass

    async def _prepare(self, text: str) -> None:
        """Once these words are embedded, make ready what a reply to them needs: the turn still goes on."""
        if await self._call.reader.prefetch.settled(text):
            self._call.reader.prepare(self._call.course, text)

    def _follow(self, effect: Effect) -> None:
        match effect:
            case TurnCommitted(turn) | TurnAmended(turn):
                self._call.count("turns_committed", int(isinstance(effect, TurnCommitted)))
                if self._call.course.ledger.machine:
                    return  # no person's words
                if self._call.course.started.remember and turn.trust == "high" and not turn.promoted:
                    writer = self._call.writer
                    writer.turn(turn, self._call.course.history() if writer.asks else ())
            case ReplyOpened(reply, True):
                call = self._call
                call.telling.replied(reply, lambda: call.reader.brief(call.course, None))
            case _:
                pass

    def _seat(self, event: ev.Party) -> None:
        """Who is on the line decides whose facts they are."""
        if event.role == "caller" and event.speaker is not None:
            self._call.writer.caller_voice = event.speaker
        if event.role != "caller" and event.speaker is not None:
            self._call.writer.other_voices.add(event.speaker)
        if event.role != "caller" and event.speaker is None:
            self._call.writer.labels_sure = event.event == "left"

    def _forget(self, turn: Turn, event: ev.Event) -> None:
        """A turn is no longer history: not asked for, not claimed, struck out where that was asked for."""
        self._call.writer.forget(turn.key)
        self._call.findings.forget(turn)
        if isinstance(event, ev.MemoryForgetLast):
            self._call.journal.strike_turn(turn, event.t)


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
