"""What the caller said: a fold over the caller's events in the order in which they happened."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace

from ..events import (
    CallEnded,
    Dtmf,
    Event,
    MemoryForgetLast,
    MemoryPaused,
    MemoryResumed,
    ReplyStarted,
    SpeculationWithdrawn,
    TurnEnded,
    TurnSpeculated,
    UserFinal,
    UserPartial,
    UserStarted,
    UserStopped,
    UserTyped,
)
from ..records.turn import Turn
from .changes import Keys, changes
from .effects import Effect, SegmentHeard
from .growing import Growing
from .guesses import Guesses, LeftOpen
from .off_record import OffRecord
from .segments import Entries, Entry, said
from .spans import Span, ended_at, missed
from .speech import SILENCE, Place
from .timeline import Timeline
from .voices import Voices

_FIRST: Place = (float("-inf"), 0)


class CallerSide:
    """The caller's turns. Everything follows from the set of events, whatever order they come in.

    An event in order of time costs the same however long the call is; one out of order folds the
    call again from its start.
    """

    def __init__(self, run: str = "") -> None:
        self.turns = Growing[Turn]()
        self.places: list[Place] = []
        self.open_turn: Turn | None = None
        self._timeline = Timeline()
        self.keys = Keys(run)
        self.voices = Voices()
        self.changed: Place | None = None
        """From where on the last event changed turns, their numbers or what is dropped; None = nothing."""
        self._reset()

    def _reset(self) -> None:
        self.counts: dict[str, int] = {}
        self.off_record = OffRecord()
        self.guesses = Guesses()
        self.voices.reset()
        self._spans = [Span()]
        self.ends: list[Place] = []
        self._ended: Place | None = None
        self._entries = Entries()
        self._over = False
        self._dirty: int | None = None

    @property
    def missed(self) -> bool:
        """The last turn that ended had voice, but no words that were surely said."""
        return missed(self._spans, self.off_record.pauses)

    @property
    def keyed(self) -> float | None:
        """When the last key came of an entry on the keypad that is not done."""
        said = self._spans[-1].said
        return said[-1].at[0] if said and not said[-1].done else None

    def closed_by(self, t: float) -> Turn | None:
        """The turn that the turn end reported at `t` closed, as it stands now; None while it is empty."""
        span = ended_at(self._spans, t)
        turns = self.turns[span.before : span.before + len(span.drafts)] if span else ()
        return max(turns, key=lambda turn: (turn.trust == "high", turn.number), default=None)

    def before(self, place: Place) -> int:
        """How many committed turns started before that moment."""
        return bisect_left(self.places, place)

    def take(self, event: Event, arrival: int) -> list[Effect]:
        """Put one event in its place; returns what it changed."""
        at = (event.t, arrival)
        if self._timeline.add(at, event):
            self._step(at, event)
        else:
            self._refold()
        return self._settle()

    def redact(self, old: Entry, new: Entry) -> list[Effect]:
        """Take another entry in the place of one; returns what it changed."""
        self._timeline.swap(old, new)
        self.keys.alias(said(old, _FIRST, _FIRST).ident, said(new, _FIRST, _FIRST).ident)
        self._refold()
        return self._settle()

    def _refold(self) -> None:
        self._reset()
        self._dirty = 0
        for place, earlier in self._timeline:
            self._step(place, earlier)

    def sounded(self, t: float) -> list[Effect]:
        """The agent was heard: what was said soon after did not come out of silence."""
        self.voices.sounded(t)
        self.changed = None
        for index in range(self._index((t, 0)), self._index((t + SILENCE, 0)) + 1):
            if any(d.trust == "low" for d in self._spans[index].drafts):
                self._touch(index)
                break
        return self._settle()

    # One event, in order of time.

    def _step(self, at: Place, event: Event) -> None:
        match event:
            case UserStarted():
                self._begin(at)
            case UserStopped():
                if (window := self.voices.of(at[1]).end(at[0])) is not None:
                    self._spans[self._index(window.place)].windows.append(window)
            case UserPartial(text=text):
                if text.strip() and not self.off_record.paused:
                    self.voices.of(at[1]).partial(at, text, self._ended)
            case UserFinal() | UserTyped() | Dtmf():
                self._say(at, event)
            case TurnEnded():
                self.guesses.confirm()
                self._end_turn(at, explicit=True)
            case ReplyStarted(record=True):
                if not self.voices.of(at[1]).active and not self.guesses.stands:
                    self._end_turn(at, explicit=False)
            case CallEnded():
                if not self._over:
                    self._end_turn(at, explicit=True, cut=True)
                    self.guesses.leave_open(at)
                    self._over = True
            case LeftOpen():
                self.guesses.leave_open(at)
            case TurnSpeculated(text=text):
                self.guesses.make(at, text)
            case SpeculationWithdrawn():
                self.guesses.take_back(at)
            case _:
                self._off(at, event)

    def _off(self, at: Place, event: Event) -> None:
        match event:
            case MemoryPaused():
                self.off_record.pause(at)
            case MemoryResumed():
                self.off_record.resume(at)
            case MemoryForgetLast():
                self._forget(at)
            case _:
                pass

    def _begin(self, at: Place) -> None:
        if (window := self.voices.of(at[1]).begin(at, self._ended)) is not None:
            self._spans[-1].windows.append(window)
            # Speech may be reported just before its voice activity is.
            self._touch(len(self._spans) - 1)

    def _say(self, at: Place, event: UserFinal | UserTyped | Dtmf) -> None:
        entry = said(event, at, self.place(at, event))
        if not entry.segment.text.strip():
            self._count("finals_empty")
            if entry.segment.source == "speech":
                self.voices.of(at[1]).empty(at[0], self._ended)
            return
        known = self._entries.add(entry)
        if known is not None:
            self._count("finals_repeated")
            if known.segment.text != entry.segment.text:
                known.segment = replace(known.segment, text=entry.segment.text)
                self._touch(self._index(known.place))
            return
        if entry.segment.source == "speech":
            self.voices.of(at[1]).words(entry)
        if self.off_record.pauses(entry.place):
            self._count("finals_off_record")
            return
        index = self._index(entry.place)
        span = self._spans[index]
        span.said.append(entry)
        self._count("finals_late" if span.end is not None else "finals")
        beside = index > 0 and any(w.promoted for w in self._spans[index - 1].windows)
        self._touch(index - 1 if beside else index)

    def place(self, at: Place, event: Entry) -> Place:
        """When what the caller says there began, as far as can be told."""
        if not isinstance(event, UserFinal):
            return at
        if event.started is not None:
            return (event.started, at[1])
        return self.voices.of(at[1]).place(at, self.ends)

    def _end_turn(self, at: Place, *, explicit: bool, cut: bool = False) -> None:
        span = self._spans[-1]
        self._spans.append(span.split(at, explicit=explicit, cut=cut))
        self.ends.append(at)
        first = len(self._spans) - 2
        if explicit:
            since = first
            while since and not self._spans[since - 1].explicit:
                since -= 1
            for index in range(since, first + 1):
                self._promote(index, all_of=True)
            self._ended = at
            self.voices.of(at[1]).turn_ended()
        else:
            self._promote(first, all_of=False)
        self._touch(first)

    def _promote(self, index: int, *, all_of: bool) -> None:
        span = self._spans[index]
        kept = [w for w in span.windows if not self.off_record.pauses(w.place)]
        if not any(w.partial for w in kept):
            return
        span.windows = kept
        if (all_of or any(w.emptied for w in kept)) and span.promote():
            self._touch(index)

    def _forget(self, at: Place) -> None:
        if self.off_record.forgot_at(at[0]):
            return
        for index in range(len(self._spans) - 2, -1, -1):
            span = self._spans[index]
            if span.forgotten:
                continue
            self._group(index)
            if span.drafts:
                span.forgotten = True
                self.off_record.forget(span.drafts[0].place, at)
                self._count("turns_forgotten")
                self._touch(index)
                return

    # From spans to turns.

    def _index(self, place: Place) -> int:
        return bisect_left(self.ends, place)

    def _touch(self, index: int) -> None:
        self._dirty = index if self._dirty is None else min(self._dirty, index)

    def _count(self, name: str) -> None:
        self.counts[name] = self.counts.get(name, 0) + 1

    def _group(self, index: int) -> None:
        span, beside = self._spans[index], self._spans[index + 1 : index + 2]
        same = self.voices.told_with(beside[0].said, span.end) if beside and span.end else ()
        span.group(self.voices.silent, same)

    def _settle(self) -> list[Effect]:
        """Make the touched spans' turns anew and say what changed."""
        first, self._dirty = self._dirty, None
        self.changed = None
        if first is None:
            return []
        # All spans before an open one are closed, so their drafts are committed.
        count = self._spans[first - 1].before + len(self._spans[first - 1].drafts) if first else 0
        old, old_open = {t.key: t for t in self.turns.cut(count)}, self.open_turn
        places = self.places[count:]
        del self.places[count:]
        taken: set[str] = set()
        partials: dict[str, float] = {}
        self.open_turn = None
        for index in range(first, len(self._spans)):
            span = self._spans[index]
            span.cut = span.cut or (self._over and span.end is None)
            self._group(index)
            span.before = len(self.turns)
            for draft in span.drafts:
                key = self.keys.of(draft.idents, taken)
                partials[key] = draft.partial_at
                turn = draft.turn(len(self.turns) + 1, key)
                if span.end is not None or self._over:
                    self.turns.append(turn)
                    self.places.append(draft.place)
                elif turn.trust == "high":
                    self.open_turn = turn
        self.changed = min([*places, *self.places[count:]], default=None)
        if first == 0:
            self.changed = _FIRST
        effects = changes(old, self.turns[count:], partials)
        grown = self.open_turn
        if grown is not None and (old_open is None or grown.segments != old_open.segments):
            effects.append(SegmentHeard(grown))
        return effects
