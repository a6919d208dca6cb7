"""The course of one call: everything it amounts to, as a pure fold of its events.

The live call, `replay` and the recovery of a call whose process died all use this one fold, so
they can't disagree. Nothing here does I/O.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import takewhile
from typing import Any, Literal

from ..errors import UsedWrongly
from ..events import (
    CallEnded,
    CallStarted,
    Corrected,
    Event,
    Interrupted,
    MachineDetected,
    MemoryResumed,
    Party,
    RolledBack,
    TurnEnded,
)
from ..ledger.effects import (
    Effect,
    ReplyOpened,
    SegmentHeard,
    TurnAmended,
    TurnCommitted,
    TurnForgotten,
    TurnsRenumbered,
)
from ..ledger.history import MaskHeard
from ..ledger.reducer import Ledger
from ..ledger.segments import Entry
from ..notes.book import Notes, correct, hear, open_notes, patch, rollback, settle
from ..notes.evidence import Candidates
from ..notes.known import known_before
from ..notes.mention import Moment
from ..notes.next_step import next_step
from ..notes.patch import DeepPatch
from ..notes.secret import shown
from ..notes.timeline import Timeline
from ..records.call_state import NextStep, SlotValue
from ..records.schema import MemorySchema
from ..records.summary import OpenItem
from ..records.turn import HistoryItem, Segment, Turn
from .hearing import Hearing


class Course:
    """One call as it went so far.

    Args:
        started: the event that opened it.
        schema: the app's schema; None takes the event's, else the default one.
        interrupted_reply: `prefix` or `drop`.
        candidates: the app's table of possible values for a slot.
        mask: takes what must not be kept out of a heard text, given it and the rest of its reply.
        run: stands before the keys of turns.
    """

    def __init__(
        self,
        started: CallStarted,
        *,
        schema: MemorySchema | None = None,
        interrupted_reply: Literal["prefix", "drop"] = "prefix",
        candidates: Candidates | None = None,
        mask: MaskHeard = lambda text, _rest: text,
        run: str = "",
    ) -> None:
        self.started = started
        self.schema = schema = schema or MemorySchema.of(started.schema)
        self.ledger = Ledger(interrupted_reply=interrupted_reply, mask=mask, run=run)
        self.guards: dict[str, tuple[str, ...]] = {}
        """Guarded tools that the model can call now, and the slots each requires."""
        self.next_log: list[NextStep] = []
        self.ended: str | None = None
        self.cut_short = False
        """Nobody ended it: its process died, or still holds it elsewhere."""
        self.unreturned: frozenset[str] = frozenset()
        """Tool calls that were running when the call ended or broke off: what became of them is not known."""
        self.updates = 0
        """Grows with what may change what a reply is told: not with a turn's mere end."""
        self._requires = any(slot.required for slot in schema.slots)
        self.secret = any(slot.secret for slot in schema.slots)
        """Whether there are slots whose values are kept nowhere."""
        self._latest = started.t
        self._blank = open_notes(schema, timezone=started.timezone, at=started.at, candidates=candidates)
        self._timeline = Timeline(self._blank)
        self._hearing = Hearing(self.ledger, started.at)

    @property
    def notes(self) -> Notes:
        return self._timeline.notes

    @property
    def at(self) -> datetime:
        """The moment of the latest event."""
        return self.started.at + timedelta(seconds=self._latest)

    @property
    def turn(self) -> int:
        return self.ledger.last_number

    @property
    def outcome(self) -> str:
        return self.ledger.outcome(self.ended or "crash")

    def apply(self, event: Event) -> tuple[Effect, ...]:
        """Take one event; returns what it changed."""
        self._latest = max(self._latest, event.t)
        if isinstance(event, CallEnded) and self.ended is None:
            self.unreturned |= self._running()
        open_turn = self.ledger.open_turn
        effects = self.ledger.apply(event)
        if len(effects) != 1 or not isinstance(effects[0], TurnCommitted) or effects[0].turn != open_turn:
            self.updates += 1
        for effect in effects:
            self._follow(effect)
        if isinstance(event, Corrected):
            try:
                self.correct(event.path, event.value, event.by)
            except UsedWrongly:
                return (*effects, self.ledger.reject("wrong_value", "corrected"))
        if isinstance(event, RolledBack):
            self.rollback(event.turn)
        if isinstance(event, Party | MachineDetected):
            for turn in self.ledger.turns:  # who speaks is often told after the words
                self._timeline.hear(self._hearing.of(turn))
        if isinstance(event, CallEnded):
            self.ended = event.reason
            at = self.at
            self._timeline.redo("settle", "end", lambda notes: settle(notes, at))
        return effects

    def guard(self, tools: Mapping[str, tuple[str, ...]]) -> None:
        """The guarded tools that the model can call from here on, with the slots each requires."""
        if tools != self.guards:
            self.guards = dict(tools)
            self.updates += 1

    def redact(self, old: Entry, new: Entry) -> tuple[Effect, ...]:
        """Put a masked entry of the caller in the place of one; returns what it changed."""
        self.updates += 1
        effects = self.ledger.redact(old, new)
        for effect in effects:
            self._follow(effect)
        return tuple(effects)

    def learn(
        self,
        profile: Mapping[str, Any],
        resumed: Mapping[str, SlotValue] | None = None,
        left_open: Sequence[OpenItem] = (),
    ) -> None:
        """What is known of the caller has arrived.

        Args:
            profile: values by key, which take part in fusion from the first turn on.
            resumed: slots of a call that dropped minutes ago; this call goes on with them.
            left_open: what earlier calls left open; its values are confirmed, not asked for again.
        """
        begins = Moment(self.started.at, self.started.timezone)
        known = known_before(self.schema, profile, left_open, begins)
        base = replace(self._blank, profile=dict(profile), known=known)
        if resumed:
            kept = {n: replace(v, turn=0) for n, v in resumed.items() if self.schema.slot(n)}
            base = replace(base, state=replace(base.state, slots=kept))
        self.updates += 1
        self._timeline.rebase(base)

    def speculate(self, text: str, nbest: Sequence[str] = ()) -> Notes:
        """The notes as they would be if the caller's turn were `text`. Nothing is kept.

        Args:
            text: what the caller seems to have said.
            nbest: the recogniser's alternatives for the whole of it, best first.
        """
        turn = self.ledger.open_turn
        number = turn.number if turn else self.turn + 1
        base = self._timeline.before([turn.key]) if turn else self.notes
        segments = (Segment(text, self._latest, nbest=tuple(nbest)),) if nbest else ()
        guess = Turn(number, "speculation", text, self._latest, segments)
        return hear(base, self._hearing.of(guess, remember=False))

    def break_off(self) -> None:
        """End a call that nobody ended: its process died, and its open turn is kept as incomplete."""
        if self.ended is None:
            self.cut_short = True
            self.apply(CallEnded(t=self._latest, reason="crash"))

    def break_between(self, t: float | None = None) -> None:
        """The call goes on elsewhere, or later: what was under way is over.

        Args:
            t: when, in seconds of the call; None = with the latest event.
        """
        t = self._latest if t is None else t
        self.unreturned |= self._running()
        if self.ledger.paused:
            self.apply(MemoryResumed(t=t))
        self.ledger.leave_open(t)
        self.apply(Interrupted(t=t))
        self.apply(TurnEnded(t=t))

    def deepen(self, turn: Turn, found: DeepPatch) -> None:
        """The model's findings for a turn enter the notes here and nowhere else."""
        if self._timeline.patched(t.key for t in self._after(turn.number)):
            # What the call is about was told of a later turn already.
            found = replace(found, task=None, goal=None, topic=None, mood=None)
        self.updates += 1

        def enter(notes: Notes) -> Notes:
            # A late turn may have moved this one since.
            now = next((t for t in reversed(self.ledger.turns) if t.key == turn.key), turn)
            return patch(notes, found, now.number, self._hearing.moment(now))

        self._timeline.redo("patch", turn.key, enter)

    def correct(self, path: str, value: Any, by: str) -> None:
        """A person mends the notes."""
        at, number = self.at, self.turn
        self.updates += 1
        self._timeline.add(
            "correct",
            f"correct-{self.updates}",
            lambda notes: correct(notes, path, value, by=by, at=at, turn=number),
        )

    def rollback(self, turn: int) -> None:
        """Put the notes back to what they were after that turn (0 = before the first)."""
        at, number = self.at, self.turn
        self.updates += 1
        self._timeline.put_back(
            f"rollback-{self.updates}",
            [t.key for t in self._after(turn)],
            lambda notes, earlier: rollback(notes, earlier, number, at),
        )

    def next_step(self, notes: Notes | None = None) -> NextStep:
        return next_step(
            notes or self.notes,
            missed=self.ledger.missed,
            tools=self.ledger.tools if self.guards or self._requires else (),
            guards=self.guards,
            began=self.started.at,
        )

    def state_report(self) -> dict[str, Any]:
        """The notes in the report's form; what stands in a secret slot is not shown."""
        return shown(self.notes.state, self.schema)

    def remask(self) -> None:
        """More must not be kept than was known: what was heard of the agent is put together again."""
        self.updates += 1
        self.ledger.remask()

    def history(self) -> Sequence[HistoryItem]:
        """What was said and heard, in order of speech."""
        return self.ledger.history()

    def _after(self, number: int) -> Iterator[Turn]:
        """The turns behind that one, latest first."""
        return takewhile(lambda turn: turn.number > number, reversed(self.ledger.turns))

    def _follow(self, effect: Effect) -> None:
        match effect:
            case SegmentHeard(turn) | TurnCommitted(turn) | TurnAmended(turn):
                self._timeline.hear(self._hearing.of(turn))
            case TurnForgotten(key):
                self._timeline.drop(key)
                if (later := self.ledger.open_turn) is not None:
                    self._timeline.hear(self._hearing.anew(later))
            case TurnsRenumbered():
                turns = {turn.key: turn for turn in self.ledger.turns}
                if (late := self.ledger.open_turn) is not None:
                    turns.setdefault(late.key, late)
                self._timeline.reorder([self._hearing.of(turn) for turn in turns.values()])
            case ReplyOpened(reply, True):
                step = self.next_step()
                self.next_log.append(step)
                self._hearing.asks(reply, step)
            case _:
                pass

    def _running(self) -> frozenset[str]:
        return frozenset(tool.id for tool in self.ledger.tools if tool.status is None)
