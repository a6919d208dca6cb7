"""The course of one call: everything it amounts to, as a pure fold of its events.

The live call, `replay` and the recovery of a call whose process died all use this one fold, so
they can't disagree. Nothing here does I/O.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Literal

from .errors import UsedWrongly
from .events import CallEnded, CallStarted, Corrected, Event
from .ledger.effects import (
    Effect,
    Rejected,
    ReplyOpened,
    SegmentHeard,
    TurnAmended,
    TurnCommitted,
    TurnForgotten,
    TurnsRenumbered,
)
from .ledger.history import MaskHeard
from .ledger.reducer import Ledger
from .ledger.segments import Entry
from .notes.book import Notes, correct, hear, open_notes, patch, rollback, settle
from .notes.evidence import Candidates
from .notes.heard import Heard
from .notes.known import known_before
from .notes.mention import Moment
from .notes.next_step import next_step
from .notes.patch import DeepPatch
from .records.action import Action
from .records.call_state import NextStep, SlotValue
from .records.schema import DEFAULT_SCHEMA, MemorySchema
from .records.summary import OpenItem
from .records.turn import HistoryItem, Segment, Turn

SECRET = "***"  # noqa: S105 - what is shown in place of one
"""Stands where a secret slot's value would."""

_Kind = Literal["turn", "patch", "correct", "rollback", "settle"]


@dataclass(slots=True)
class _Step:
    """One thing that moved the notes, and what they were after it, so that it can be redone."""

    kind: _Kind
    key: str
    run: Callable[[Notes], Notes]
    after: Notes
    heard: Heard | None = None
    """The turn it took, where it took one."""


class Course:
    """One call as it went so far.

    Args:
        started: the event that opened it.
        schema: the app's schema; None takes the event's, else the default one.
        interrupted_reply: `prefix` or `drop`.
        candidates: the app's table of possible values for a slot.
        mask: takes what must not be kept out of a heard text, given it and the rest of its reply.
    """

    def __init__(
        self,
        started: CallStarted,
        *,
        schema: MemorySchema | None = None,
        interrupted_reply: Literal["prefix", "drop"] = "prefix",
        candidates: Candidates | None = None,
        mask: MaskHeard = lambda text, _rest: text,
    ) -> None:
        if schema is None:
            schema = MemorySchema.from_dict(started.schema) if started.schema else DEFAULT_SCHEMA
        self.started = started
        self.schema = schema
        self.ledger = Ledger(interrupted_reply=interrupted_reply, mask=mask)
        self.guards: dict[str, tuple[str, ...]] = {}
        """Guarded tools that the model can call now, and the slots each requires."""
        self.next_log: list[NextStep] = []
        self.ended: str | None = None
        self.unreturned: frozenset[str] = frozenset()
        """Tool calls that were running when the call ended: what became of them is not known."""
        self.updates = 0
        """Grows with every event; equal values mean that nothing changed."""
        self._latest = started.t
        self._blank = open_notes(schema, timezone=started.timezone, at=started.at, candidates=candidates)
        self._base = self._blank
        self._steps: list[_Step] = []
        self._context: dict[str, tuple[NextStep | None, str]] = {}
        self._asked: dict[str, NextStep] = {}

    @property
    def notes(self) -> Notes:
        return self._steps[-1].after if self._steps else self._base

    @property
    def at(self) -> datetime:
        """The moment of the latest event."""
        return self.started.at + timedelta(seconds=self._latest)

    @property
    def turn(self) -> int:
        """Number of the last committed turn, 0 before the first."""
        turns = self.ledger.turns
        return turns[-1].number if turns else 0

    @property
    def outcome(self) -> str:
        return self.ledger.outcome(self.ended or "crash")

    def apply(self, event: Event) -> tuple[Effect, ...]:
        """Take one event; returns what it changed."""
        self._latest = max(self._latest, event.t)
        self.updates += 1
        if isinstance(event, CallEnded) and self.ended is None:
            self.unreturned = frozenset(tool.id for tool in self.ledger.tools if tool.status is None)
        effects = self.ledger.apply(event)
        for effect in effects:
            self._follow(effect)
        if isinstance(event, Corrected):
            try:
                self.correct(event.path, event.value, event.by)
            except UsedWrongly:
                return (*effects, Rejected("wrong_value", "corrected"))
        if isinstance(event, CallEnded):
            self.ended = event.reason
            at = self.at
            self._redo("settle", "end", lambda notes: settle(notes, at))
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
        self._base = replace(self._blank, profile=dict(profile), known=known)
        if resumed:
            kept = {n: replace(v, turn=0) for n, v in resumed.items() if self.schema.slot(n)}
            self._base = replace(self._base, state=replace(self._base.state, slots=kept))
        self.updates += 1
        self._refold(0)

    def speculate(self, text: str, nbest: Sequence[str] = ()) -> Notes:
        """The notes as they would be if the caller's turn were `text`. Nothing is kept.

        Args:
            text: what the caller seems to have said.
            nbest: the recogniser's alternatives for the whole of it, best first.
        """
        turn = self.ledger.open_turn
        number = turn.number if turn else self.turn + 1
        base = self._before(turn.key) if turn else self.notes
        segments = (Segment(text, self._latest, nbest=tuple(nbest)),) if nbest else ()
        guess = Turn(number, "speculation", text, self._latest, segments)
        return hear(base, self._heard(guess, remember=False))

    def break_off(self) -> None:
        """End a call that nobody ended: its process died, and its open turn is kept as incomplete."""
        if self.ended is None:
            self.apply(CallEnded(t=self._latest, reason="crash"))

    def deepen(self, turn: Turn, found: DeepPatch) -> None:
        """The model's findings for a turn enter the notes here and nowhere else."""
        at, number = self._moment_of(turn), turn.number
        later = {t.key for t in self.ledger.turns if t.number > number}
        if any(step.kind == "patch" and step.key in later for step in self._steps):
            # What the call is about was told of a later turn already.
            found = replace(found, task=None, goal=None, topic=None, mood=None)
        self.updates += 1
        self._redo("patch", turn.key, lambda notes: patch(notes, found, number, at))

    def correct(self, path: str, value: Any, by: str) -> None:
        """A person mends the notes."""
        at, number = self.at, self.turn
        self.updates += 1
        self._add("correct", lambda notes: correct(notes, path, value, by=by, at=at, turn=number))

    def rollback(self, turn: int) -> None:
        """Put the notes back to what they were after that turn (0 = before the first)."""
        later = {t.key for t in self.ledger.turns if t.number > turn}
        first = next((i for i, s in enumerate(self._steps) if s.kind == "turn" and s.key in later), None)
        earlier = self.notes if first is None else self._start_of(first)
        at, number = self.at, self.turn
        self.updates += 1
        self._add("rollback", lambda notes: rollback(notes, earlier, number, at))

    def next_step(self, notes: Notes | None = None) -> NextStep:
        return next_step(
            notes or self.notes,
            missed=self.ledger.missed,
            tools=self.ledger.tools,
            guards=self.guards,
            began=self.started.at,
        )

    def state_report(self) -> dict[str, Any]:
        """The notes in the report's form; what stands in a secret slot is not shown."""
        report = self.notes.state.report()
        for slot in self.schema.slots:
            if slot.secret and slot.name in report["slots"]:
                report["slots"][slot.name] |= {"value": SECRET, "spoken": SECRET}
                report["slots"][slot.name].pop("asked", None)
        return report

    def secrets(self) -> list[str]:
        """What callers said for secret slots, longest first: to be kept out of everything stored."""
        said: set[str] = set()
        for slot in self.schema.slots:
            held = self.notes.state.slots.get(slot.name) if slot.secret else None
            if held is not None:
                said |= {str(held.value), held.spoken, str(held.asked or ""), held.asked_spoken}
        return sorted((text for text in said if len(text) > 1), key=len, reverse=True)

    def history(self) -> tuple[HistoryItem, ...]:
        return self.ledger.history()

    def actions(self, sources: Mapping[str, Sequence[str]]) -> list[Action]:
        """What the agent did, a record a heard reply; `sources` are its briefing lines by reply."""
        rows: list[Action] = []
        for index, item in enumerate(i for i in self.history() if i.role == "assistant"):
            tools = tuple(
                {"id": t.id, "name": t.name, "status": t.status}
                for t in self.ledger.tools
                if t.turn == item.turn
            )
            rows.append(
                Action(
                    step=f"{self.started.call}:{index + 1}",
                    call=self.started.call,
                    turn=item.turn,
                    reply=item.reply,
                    heard=item.text[:300],
                    tools=tools,
                    sources=tuple(sources.get(item.reply or "", ()))[:20],
                )
            )
        return rows

    # Inside.

    def _follow(self, effect: Effect) -> None:
        match effect:
            case SegmentHeard(turn) | TurnCommitted(turn) | TurnAmended(turn):
                self._hear(turn)
            case TurnForgotten(key):
                index = next((i for i, s in enumerate(self._steps) if s.key == key), None)
                self._steps = [s for s in self._steps if s.key != key]
                if index is not None:
                    self._refold(index)
            case TurnsRenumbered():
                self._reorder()
            case ReplyOpened(reply, True):
                step = self.next_step()
                self.next_log.append(step)
                self._asked[reply] = step
            case _:
                pass

    def _hear(self, turn: Turn) -> None:
        """Fold a turn as it stands now; its mere end adds no words, and the notes have heard the rest."""
        heard = self._heard(turn)
        found = self._found("turn", turn.key)
        if found is None or self._steps[found].heard != heard:
            self._redo("turn", turn.key, _hearing(heard), heard)

    def _heard(self, turn: Turn, *, remember: bool = True) -> Heard:
        context = self._context.get(turn.key)
        if context is None:
            last = self.ledger.last_heard
            context = (self._asked.get(last.reply or "") if last else None, last.text if last else "")
            if remember:
                self._context[turn.key] = context
        asked, said = context
        caller = self.ledger.caller_speaker
        speaker = turn.speaker
        return Heard(
            turn=turn.number,
            key=turn.key,
            text=turn.text,
            nbest=tuple(s.nbest for s in turn.segments),
            speaker=speaker,
            is_caller=speaker is None or caller is None or speaker == caller,
            trust=turn.trust,
            at=self._moment_of(turn),
            language=turn.language,
            source=turn.segments[-1].source if turn.segments else "speech",
            confidence=min((s.confidence for s in turn.segments if s.confidence is not None), default=None),
            asked=asked,
            agent_said=said,
            incomplete=turn.incomplete,
        )

    def _moment_of(self, turn: Turn) -> datetime:
        return self.started.at + timedelta(seconds=max(turn.started, 0.0))

    def _before(self, key: str) -> Notes:
        """The notes as they were before the turn of that key."""
        found = self._found("turn", key)
        return self.notes if found is None else self._start_of(found)

    def _found(self, kind: _Kind, key: str) -> int | None:
        """The place of that step; the last ones are asked for most."""
        places = range(len(self._steps) - 1, -1, -1)
        return next((i for i in places if self._steps[i].key == key and self._steps[i].kind == kind), None)

    def _start_of(self, index: int) -> Notes:
        return self._steps[index - 1].after if index else self._base

    def _add(self, kind: _Kind, run: Callable[[Notes], Notes]) -> None:
        self._steps.append(_Step(kind, f"{kind}-{self.updates}", run, run(self.notes)))

    def _redo(self, kind: _Kind, key: str, run: Callable[[Notes], Notes], heard: Heard | None = None) -> None:
        """Replace the step of that kind and key, or add it at the end, and fold on from there."""
        found = self._found(kind, key)
        if found is None:
            self._steps.append(_Step(kind, key, run, run(self.notes), heard))
            return
        self._steps[found] = replace(self._steps[found], run=run, heard=heard)
        self._refold(found)

    def _refold(self, index: int) -> None:
        for i in range(index, len(self._steps)):
            step = self._steps[i]
            self._steps[i] = replace(step, after=step.run(self._start_of(i)))

    def _reorder(self) -> None:
        """A late turn slipped in between: fold all turns again, in the order they were spoken."""
        blocks: dict[str, list[_Step]] = {}
        current = ""
        for step in self._steps:
            current = step.key if step.kind == "turn" else current
            blocks.setdefault(current, []).append(step)
        order = {turn.key: turn for turn in self.ledger.turns}
        if (late := self.ledger.open_turn) is not None:
            order.setdefault(late.key, late)
        steps = list(blocks.pop("", []))
        for key, turn in order.items():
            heard = self._heard(turn)
            for step in blocks.pop(key, []):
                turned = step.kind == "turn"
                steps.append(replace(step, run=_hearing(heard), heard=heard) if turned else step)
        self._steps = steps + [step for block in blocks.values() for step in block]
        self._refold(0)


def _hearing(heard: Heard) -> Callable[[Notes], Notes]:
    return lambda notes: hear(notes, heard)
