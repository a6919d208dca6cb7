"""What the caller said: a fold over the caller's events in the order in which they happened."""

from __future__ import annotations

from bisect import bisect_left, insort
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
from ..records.turn import Segment, Turn
from .effects import (
    Effect,
    Promoted,
    SegmentHeard,
    TurnAmended,
    TurnCommitted,
    TurnForgotten,
    TurnsRenumbered,
)
from .spans import Span
from .speech import Place, Said, Voice

Stretch = tuple[Place, Place]
_ALWAYS: Place = (float("inf"), 0)
_FIRST: Place = (float("-inf"), 0)


class CallerSide:
    """The caller's turns. Everything follows from the set of events, whatever order they come in.

    Events that come in order of time, which is nearly always, cost the same however long the
    call is; one that comes out of order folds the call again from its start.
    """

    def __init__(self) -> None:
        self.turns: list[Turn] = []
        self.places: list[Place] = []
        self.open_turn: Turn | None = None
        self._log: list[tuple[float, int, Event]] = []
        self._stale = False
        self._keys: dict[object, str] = {}
        self._keyed = 0
        self.changed: Place | None = None
        """From where on the last event changed turns, their numbers or what is dropped; None = nothing."""
        self._reset()

    def _reset(self) -> None:
        self.counts: dict[str, int] = {}
        self.forgotten: list[Stretch] = []
        """Stretches of the call that were forgotten, replies and tool calls included."""
        self.withdrawn: list[Stretch] = []
        """Stretches in which replies were started on a guess that was taken back."""
        self._pauses: list[tuple[Place, Place | None]] = []
        self._voice = Voice()
        self._spans = [Span()]
        self._ends: list[Place] = []
        self._ended: Place | None = None
        self._guess: tuple[Place, str] | None = None
        self._said: dict[tuple[object, ...], Said] = {}
        self._over = False
        self._dirty: int | None = None

    @property
    def paused(self) -> bool:
        return bool(self._pauses) and self._pauses[-1][1] is None

    @property
    def missed(self) -> bool:
        """The last turn that ended had voice, but no words that were surely said."""
        if self._spans[-1].worded:
            return False
        for span in reversed(self._spans[:-1]):
            if span.worded:
                return False
            if span.explicit and any(not self.off_record(w.place) for w in span.windows):
                return not span.forgotten
        return False

    def off_record(self, place: Place) -> bool:
        """Whether what began there is off the record: paused."""
        return any(start <= place and (end is None or place < end) for start, end in self._pauses)

    def dropped(self, place: Place) -> bool:
        """Whether a reply or tool call that began there is no history: paused or forgotten."""
        return self.off_record(place) or any(a <= place <= b for a, b in self.forgotten)

    def before(self, place: Place) -> int:
        """How many committed turns started before that moment."""
        return bisect_left(self.places, place)

    def take(self, event: Event, arrival: int) -> list[Effect]:
        """Put one event in its place; returns what it changed."""
        entry = (event.t, arrival, event)
        in_order = not self._log or entry[:2] > self._log[-1][:2]
        if isinstance(event, UserPartial):
            self._thin()
        insort(self._log, entry, key=lambda e: e[:2])
        if not in_order:
            self._stale = True
            if isinstance(event, UserPartial):
                self.changed = None
                return []
        if self._stale:
            self._stale = False
            self._reset()
            self._dirty = 0
            for t, seq, logged in self._log:
                self._step((t, seq), logged)
        else:
            self._step((event.t, arrival), event)
        return self._settle()

    def _thin(self) -> None:
        """Of a run of partials only the first and the last matter."""
        if len(self._log) > 1 and all(isinstance(e, UserPartial) for _, _, e in self._log[-2:]):
            self._log.pop()

    # One event, in order of time.

    def _step(self, at: Place, event: Event) -> None:
        match event:
            case UserStarted():
                self._begin(at)
            case UserStopped():
                if (window := self._voice.end(at[0])) is not None:
                    self._span_at(window.place).windows.append(window)
            case UserPartial(text=text):
                if text.strip() and not self.paused:
                    self._voice.partial(at, text, self._ended)
            case UserFinal() | UserTyped() | Dtmf():
                self._say(at, event)
            case TurnEnded():
                self._guess = None
                self._end_turn(at, explicit=True)
            case ReplyStarted(record=True):
                if not self._voice.active and self._guess is None:
                    self._end_turn(at, explicit=False)
            case CallEnded():
                if not self._over:
                    self._end_turn(at, explicit=True, cut=True)
                    self._withdraw(_ALWAYS)
                    self._over = True
            case TurnSpeculated(text=text):
                if self._guess is None or self._guess[1] != text:
                    self._withdraw(at)
                    self._guess = (at, text)
            case SpeculationWithdrawn():
                self._withdraw(at)
            case _:
                self._off(at, event)

    def _off(self, at: Place, event: Event) -> None:
        match event:
            case MemoryPaused():
                if not self.paused:
                    self._pauses.append((at, None))
            case MemoryResumed():
                if self.paused:
                    self._pauses[-1] = (self._pauses[-1][0], at)
            case MemoryForgetLast():
                self._forget(at)
            case _:
                pass

    def _begin(self, at: Place) -> None:
        if (window := self._voice.begin(at, self._ended)) is not None:
            self._spans[-1].windows.append(window)
            # Speech may be reported just before its voice activity is.
            self._touch(len(self._spans) - 1)

    def _say(self, at: Place, event: UserFinal | UserTyped | Dtmf) -> None:
        said = self._said_by(at, event)
        if said is None:
            return
        known = self._said.get(said.ident)
        if known is not None:
            self._count("finals_repeated")
            if known.segment.text != said.segment.text:
                known.segment = replace(known.segment, text=said.segment.text)
                self._touch(self._index(known.place))
            return
        self._said[said.ident] = said
        if said.segment.source == "speech":
            self._voice.words(said)
        if self.off_record(said.place):
            self._count("finals_off_record")
            return
        index = self._index(said.place)
        span = self._spans[index]
        span.said.append(said)
        self._count("finals_late" if span.end is not None else "finals")
        self._touch(max(0, index - 1) if index and self._spans[index - 1].windows else index)

    def _said_by(self, at: Place, event: UserFinal | UserTyped | Dtmf) -> Said | None:
        match event:
            case Dtmf():
                segment = Segment(event.digits.strip(), event.t, source="dtmf")
                ident: tuple[object, ...] = ("dtmf", event.t, segment.text)
                place, done = at, event.done
            case UserTyped():
                segment = Segment(event.text, event.t, event.id, source="typed")
                ident = ("typed", event.id) if event.id else ("typed", event.t, event.text)
                place, done = at, True
            case UserFinal():
                if not event.text.strip():
                    self._count("finals_empty")
                    self._voice.empty(at[0], self._ended)
                    return None
                place, done = self._place(at, event), True
                segment = Segment(
                    event.text,
                    place[0],
                    event.id,
                    event.speaker,
                    event.language,
                    event.confidence,
                    event.nbest,
                )
                start = event.t if event.started is None else event.started
                ident = ("final", event.id) if event.id else ("final", start, event.text)
        return Said(segment, place, at, ident, done) if segment.text.strip() else None

    def _place(self, at: Place, event: UserFinal) -> Place:
        if event.started is None:
            return self._voice.place(at, self._ends)
        return (event.started, at[1])

    def _end_turn(self, at: Place, *, explicit: bool, cut: bool = False) -> None:
        span = self._spans[-1]
        self._spans.append(span.split(at, explicit=explicit, cut=cut))
        self._ends.append(at)
        first = len(self._spans) - 2
        if explicit:
            since = first
            while since and not self._spans[since - 1].explicit:
                since -= 1
            for index in range(since, first + 1):
                self._promote(index, all_of=True)
            self._ended = at
            self._voice.turn_ended()
        else:
            self._promote(first, all_of=False)
        self._touch(first)

    def _promote(self, index: int, *, all_of: bool) -> None:
        span = self._spans[index]
        kept = [w for w in span.windows if not self.off_record(w.place)]
        if not any(w.partial for w in kept):
            return
        span.windows = kept
        if (all_of or any(w.emptied for w in kept)) and span.promote():
            self._touch(index)

    def _forget(self, at: Place) -> None:
        for index in range(len(self._spans) - 2, -1, -1):
            span = self._spans[index]
            if span.forgotten:
                continue
            self._group(index)
            if span.drafts:
                span.forgotten = True
                self.forgotten.append((span.drafts[0].place, at))
                self._count("turns_forgotten")
                self._touch(index)
                return

    def _withdraw(self, at: Place) -> None:
        if self._guess is not None:
            self.withdrawn.append((self._guess[0], at))
            self._guess = None

    # From spans to turns.

    def _index(self, place: Place) -> int:
        return bisect_left(self._ends, place)

    def _span_at(self, place: Place) -> Span:
        return self._spans[self._index(place)]

    def _touch(self, index: int) -> None:
        self._dirty = index if self._dirty is None else min(self._dirty, index)

    def _count(self, name: str) -> None:
        self.counts[name] = self.counts.get(name, 0) + 1

    def _group(self, index: int) -> None:
        beside = self._spans[index + 1].said if index + 1 < len(self._spans) else ()
        self._spans[index].group(self._voice, beside)

    def _settle(self) -> list[Effect]:
        """Make the touched spans' turns anew and say what changed."""
        first, self._dirty = self._dirty, None
        self.changed = None
        if first is None:
            return []
        count = self._spans[first - 1].before + self._committed(first - 1) if first else 0
        old, old_open = {t.key: t for t in self.turns[count:]}, self.open_turn
        places = self.places[count:]
        del self.turns[count:], self.places[count:]
        taken: set[str] = set()
        self.open_turn = None
        for index in range(first, len(self._spans)):
            span = self._spans[index]
            span.cut = span.cut or (self._over and span.end is None)
            self._group(index)
            span.before = len(self.turns)
            for draft in span.drafts:
                key = self._key(draft.idents, taken)
                turn = replace(draft.turn, key=key, number=len(self.turns) + 1)
                if span.end is not None or self._over:
                    self.turns.append(turn)
                    self.places.append(draft.place)
                elif turn.trust == "high":
                    self.open_turn = turn
        self.changed = min([*places, *self.places[count:]], default=None)
        if first == 0:
            self.changed = _FIRST
        return self._changes(old, self.turns[count:], old_open)

    def _committed(self, index: int) -> int:
        span = self._spans[index]
        return len(span.drafts) if span.end is not None or self._over else 0

    def _key(self, idents: tuple[object, ...], taken: set[str]) -> str:
        """The key this turn had before, else a new one."""
        known = (self._keys[i] for i in idents if i in self._keys)
        key = next((k for k in known if k not in taken), None)
        if key is None:
            self._keyed += 1
            key = f"t{self._keyed}"
        taken.add(key)
        for ident in idents:
            self._keys[ident] = key
        return key

    def _changes(self, old: dict[str, Turn], new: list[Turn], old_open: Turn | None) -> list[Effect]:
        effects: list[Effect] = []
        keys = {t.key for t in new}
        effects += [TurnForgotten(key) for key in old if key not in keys]
        renumbered = False
        for turn in new:
            before = old.get(turn.key)
            if before is None:
                if turn.promoted:
                    effects.append(Promoted(turn, turn.text))
                effects.append(TurnCommitted(turn))
            elif replace(before, number=turn.number) != turn:
                effects.append(TurnAmended(turn))
            renumbered = renumbered or (before is not None and before.number != turn.number)
        if renumbered:
            effects.append(TurnsRenumbered())
        grown = self.open_turn
        if grown is not None and (old_open is None or grown.segments != old_open.segments):
            effects.append(SegmentHeard(grown))
        return effects
