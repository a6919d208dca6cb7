"""What one event of a call sets off: masked, folded, journalled, foreseen, written. All of it at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from . import events as ev
from .fitting import fitted
from .ledger.effects import (
    Effect,
    Promoted,
    Rejected,
    ReplyOpened,
    TurnAmended,
    TurnCommitted,
    TurnForgotten,
)
from .ledger.segments import Entry
from .notes.secret import HIDDEN
from .records.caller import Caller
from .records.turn import Turn
from .stores.masking import CARD
from .writing.journal import PROVISIONAL, masked

if TYPE_CHECKING:
    from .call import CallMemory

_CALLERS = (ev.UserFinal, ev.UserTyped, ev.Dtmf, ev.UserPartial, ev.TurnSpeculated)
"""What the agent's question and the turn so far explain."""


class Following:
    """Follows the events of one call. Sync, no I/O: it only queues what has to be written."""

    def __init__(self, call: CallMemory) -> None:
        self._call = call
        self._entries: list[Entry] = []
        """What the caller said so far in the open turn."""

    def apply(self, event: ev.Event) -> tuple[Effect, ...]:
        """See `CallMemory.apply`."""
        call = self._call
        event, odd = fitted(event)
        if odd:
            call.count("values_made_to_fit", odd)
        before = self._before() if isinstance(event, _CALLERS) else ""
        raw = event
        if isinstance(event, Entry) and call.course.ledger.open_turn is None:
            self._entries = []
        event, joined = self._keyed(event) if isinstance(event, ev.Dtmf) else (event, 0)
        event, hits = masked(event, lambda text: call.memory.masker.mask(text, before))
        hits += joined
        if hits:
            event, _ = fitted(event)  # a label is longer than what it stands for
            call.count("masked", hits)
        if isinstance(event, Entry):
            if hits and self._entries and not joined:
                self._reach_back(_words(raw))
            self._entries.append(event)
        paused = call.course.ledger.paused
        turns = call.course.ledger.turns
        effects = call.course.apply(event)
        self._journal(event, effects, paused=paused)
        self._foresee(event)
        for effect in effects:
            self._follow(effect)
            if isinstance(effect, TurnForgotten):
                self._forget(next(turn for turn in turns if turn.key == effect.key), event)
        match event:
            case ev.CallerIdentified():
                call.take_identity(Caller.phone(event.caller, how=event.how, person=event.person))
            case ev.Party():
                self._seat(event)
            case ev.Corrected() if not any(isinstance(effect, Rejected) for effect in effects):
                call.memory.keeper.corrected(call, event.by)
            case ev.Documents():
                call.reader.documents(event.docs)
            case _:
                pass
        return effects

    def _before(self) -> str:
        """What stands before new words: what the agent asked, and the turn so far."""
        ledger = self._call.course.ledger
        asked = ledger.last_heard.text if ledger.last_heard is not None else ""
        return f"{asked}\n{ledger.open_turn.text}" if ledger.open_turn is not None else asked

    def _keyed(self, event: ev.Dtmf) -> tuple[ev.Dtmf, int]:
        """The last keys of an entry with the keys before them: they show together what they are."""
        asked = self._call.course.ledger.last_heard
        keys: list[int] = []
        for index in range(len(self._entries) - 1, -1, -1):
            entry = self._entries[index]
            if not isinstance(entry, ev.Dtmf) or entry.done:
                break
            keys.insert(0, index)
        if not keys:
            return event, 0
        before = "".join(_words(self._entries[index]) for index in keys)
        if CARD in before:
            return replace(event, digits=""), 1  # the first digits of a card may be one by themselves
        whole = before + event.digits
        text, hits = self._call.memory.masker.mask(whole, asked.text if asked else "")
        if not hits:
            return event, 0
        for index in keys:
            self._replace(index, replace(cast("ev.Dtmf", self._entries[index]), digits=""))
        return replace(event, digits=text), hits

    def _reach_back(self, after: str) -> None:
        """A number that only these words complete began in earlier entries of the turn: out of them too."""
        call = self._call
        for index in range(len(self._entries) - 1, -1, -1):
            entry = self._entries[index]
            asked = call.course.ledger.last_heard
            before = [asked.text if asked else "", *map(_words, self._entries[:index])]
            told = " ".join(before)
            rest = f" {after}"
            new, hits = masked(entry, lambda text, t=told, r=rest: call.memory.masker.mask(text, t, r))
            after = f"{_words(entry)} {after}"
            if not hits:
                continue
            self._replace(index, cast("Entry", new))

    def _replace(self, index: int, new: Entry) -> None:
        """Put an entry without what must not be kept in the place of what was taken already."""
        call = self._call
        entry, self._entries[index] = self._entries[index], new
        call.journal.redact(entry, new)
        for effect in call.course.redact(entry, new):
            self._follow(effect)

    def _journal(self, event: ev.Event, effects: Sequence[Effect], *, paused: bool) -> None:
        control = isinstance(event, ev.MemoryPaused | ev.MemoryResumed | ev.CallEnded)
        if (paused and not control) or isinstance(event, ev.CallerIdentified):
            return
        for effect in effects:
            if isinstance(effect, Promoted):
                self._call.journal.event(ev.UserPartial(t=effect.at, text=effect.partial_text))
        if not isinstance(event, PROVISIONAL):
            secret = self._call.course.secrets()
            kept, _ = masked(event, lambda text: _without(secret, text)) if secret else (event, 0)
            self._call.journal.event(event if kept is event else fitted(kept)[0])

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
                    self._call.writer.turn(turn, self._call.course.history())
            case ReplyOpened(reply, True):
                given = self._call.take_given()
                self._call.briefings.append(given.text)
                self._call.sources[reply] = given.sources
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


def _words(event: ev.Event) -> str:
    return event.digits if isinstance(event, ev.Dtmf) else getattr(event, "text", "")


def _without(secret: Sequence[str], text: str) -> tuple[str, int]:
    """The text without the words of secret slots: those are used in the call and never stored."""
    count = 0
    for words in secret:
        if words in text:
            text, count = text.replace(words, HIDDEN), count + 1
    return text, count
