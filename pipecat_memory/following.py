"""What one event of a call sets off: masked, folded, journalled, foreseen, written. All of it at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from . import events as ev
from .fitting import fitted
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
from .ledger.segments import Entry
from .notes.secret import disarmed, mark, said_for
from .pausing import Pause
from .records.caller import Caller
from .records.faults import pointer
from .records.turn import Turn
from .stores.card_parts import LOOKED_BACK, CardParts
from .stores.digit_runs import has_digits
from .stores.masking import CARD
from .writing.journal import PROVISIONAL
from .writing.masked import masked

if TYPE_CHECKING:
    from .call import CallMemory

_WORDLESS = (ev.TurnEnded, ev.UserStarted, ev.UserStopped, ev.Interrupted)
"""What holds nothing but its moment."""
_CALLERS = (ev.UserFinal, ev.UserTyped, ev.Dtmf, ev.UserPartial, ev.TurnSpeculated)
"""What the agent's question and the turn so far explain."""


class Following:
    """Follows the events of one call. Sync, no I/O: it only queues what has to be written."""

    def __init__(self, call: CallMemory) -> None:
        self._call = call
        self._entries: list[Entry] = []
        """What the caller said so far in the open turn."""
        self._said: list[Entry] = []
        """What the caller said so far in the call."""
        self._card_parts = CardParts()
        self._pause = Pause()
        self._guesses = Guesses()

    def apply(self, event: ev.Event) -> tuple[Effect, ...]:
        """See `CallMemory.apply`."""
        call = self._call
        event, hits = (event, 0) if isinstance(event, _WORDLESS) else self._keepable(event)
        paused = call.course.ledger.paused
        turns = call.course.ledger.turns
        effects = call.course.apply(event)
        if isinstance(event, Entry):
            self._said.append(event)
        if call.course.secret or isinstance(event, Entry):
            found = self._without_secrets(event) + self._without_card(event)
            event = self._kept(event)
            effects = _as_they_are(effects, call.course.ledger) if found else effects
            hits += found
        if hits:
            call.count("masked", hits)
        self._journal(event, effects, paused=paused)
        self._foresee(event)
        for effect in effects:
            self._follow(effect)
            if isinstance(effect, TurnForgotten):
                self._forget(next(turn for turn in turns if turn.key == effect.key), event)
        match event:
            case ev.CallerIdentified():
                call.identity.take(Caller.phone(event.caller, how=event.how, person=event.person))
            case ev.Party():
                self._seat(event)
            case ev.Corrected() if not any(isinstance(effect, Rejected) for effect in effects):
                call.memory.keeper.corrected(call, event.by)
            case ev.Documents():
                call.reader.documents(event.docs)
            case _:
                pass
        return effects

    def _keepable(self, event: ev.Event) -> tuple[ev.Event, int]:
        """The event as the journal can hold it, without what must not be kept; how often that was in it."""
        call = self._call
        event, odd = fitted(event)
        if odd:
            call.count("values_made_to_fit", odd)
        before = self._before() if isinstance(event, _CALLERS) else ""
        event, hits = self._disarmed(event)
        raw = event
        if isinstance(event, Entry) and call.course.ledger.open_turn is None:
            self._entries = []
        event, joined = self._keyed(event) if isinstance(event, ev.Dtmf) else (event, 0)
        event, found = masked(event, call.secrets, before)
        if found:
            event, _ = fitted(event)  # a label is longer than what it stands for
        if isinstance(event, Entry):
            if found and self._entries and not joined:
                self._reach_back(_words(raw))
            self._entries.append(event)
        return event, hits + found + joined

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
        text, hits = self._call.secrets.mask(whole, asked.text if asked else "")
        if not hits:
            return event, 0
        for index in keys:
            keys_before = cast("ev.Dtmf", self._entries[index])
            self._swap(keys_before, replace(keys_before, digits=""))
        return replace(event, digits=text), hits

    def _reach_back(self, after: str) -> None:
        """A number that only these words complete began in earlier entries of the turn: out of them too."""
        call = self._call
        for index in range(len(self._entries) - 1, -1, -1):
            entry = self._entries[index]
            asked = call.course.ledger.last_heard
            before = [asked.text if asked else "", *map(_words, self._entries[:index])]
            new, hits = masked(entry, call.secrets, " ".join(before), f" {after}")
            after = f"{_words(entry)} {after}"
            if not hits:
                continue
            self._swap(entry, cast("Entry", new))

    def _disarmed(self, event: ev.Event) -> tuple[ev.Event, int]:
        """Nobody's own words hold a mark of ours, and no interim text what would fill a secret slot."""
        course, secrets = self._call.course, self._call.secrets
        if not course.secret or not isinstance(event, ev.UserFinal | ev.UserTyped | ev.UserPartial):
            return event, 0
        event = replace(event, text=disarmed(event.text, course.schema))
        if not isinstance(event, ev.UserPartial):
            return event, 0
        texts = [event.text]
        for slot, held in course.secrets(course.speculate(event.text)):
            texts = secrets.mask_told(texts, said_for(slot, held), mark(slot, sure=False))
        return replace(event, text=texts[0]), int(texts[0] != event.text)

    def _without_secrets(self, event: ev.Event) -> int:
        """What filled a secret slot goes out of all that the call holds; a mark tells that it was filled."""
        call, news, hits = self._call, False, 0
        for slot, held in call.course.secrets():
            told, there = said_for(slot, held), mark(slot, sure=held.confidence == "confirmed")
            news = call.secrets.learn(told, mark(slot)) or news
            if isinstance(event, Entry):
                entries = tuple(self._entries)
                kept = call.secrets.mask_told([_words(entry) for entry in entries], told, there)
                hits += sum(map(self._put, entries, kept))
        return hits + (self._remask() if news else 0)

    def _without_card(self, event: ev.Event) -> int:
        """A card number that only these words complete, turns after it was begun, goes too."""
        call = self._call
        if not isinstance(event, Entry) or not call.settings.mask_cards or not has_digits(_words(event)):
            return 0
        latest = self._said[-1 - LOOKED_BACK :]
        agent = [item.text for item in call.course.history()[-LOOKED_BACK:] if item.role == "assistant"]
        found = self._card_parts.completed([_words(entry) for entry in latest], " ".join(agent))
        for part in found:
            words = _words(latest[part.entry])
            self._put(latest[part.entry], words[: part.start] + CARD + words[part.end :])
        call.secrets.learn([part.digits for part in found], CARD)
        return len(found) + (self._remask() if found else 0)

    def _remask(self) -> int:
        """More must not be kept than was known: out of all that was said, too. In how many entries it was."""
        call = self._call
        hits = sum(self._put(entry, call.secrets.mask(_words(entry))[0]) for entry in tuple(self._said))
        call.course.remask()
        call.journal.remask()
        return hits

    def _kept(self, event: ev.Event) -> ev.Event:
        """The event as it is to be journalled."""
        if isinstance(event, Entry):
            return self._said[-1]
        name = event.path.split("/")[2:3] if isinstance(event, ev.Corrected) else []
        slot = next((slot for slot in self._call.course.schema.slots if [pointer(slot.name)] == name), None)
        if slot is None or not slot.secret or not isinstance(event, ev.Corrected):
            return event
        return replace(event, value=event.value and mark(slot))

    def _put(self, entry: Entry, text: str) -> int:
        """Give an entry of the caller other words; returns whether that changed it."""
        if text == _words(entry):
            return 0
        new = replace(entry, digits=text) if isinstance(entry, ev.Dtmf) else replace(entry, text=text)
        if isinstance(new, ev.UserFinal):
            new = replace(new, nbest=())  # they tell it too, or nearly
        self._swap(entry, new)
        return 1

    def _swap(self, entry: Entry, new: Entry) -> None:
        """Put an entry without what must not be kept in the place of what was taken already."""
        call = self._call
        self._entries = [new if one is entry else one for one in self._entries]
        self._said = [new if one is entry else one for one in self._said]
        call.journal.redact(entry, new)
        for effect in call.course.redact(entry, new):
            self._follow(effect)

    def _journal(self, event: ev.Event, effects: Sequence[Effect], *, paused: bool) -> None:
        if not self._pause.keeps(event, paused=paused) or isinstance(event, ev.CallerIdentified):
            return
        for effect in effects:
            if isinstance(effect, Promoted):
                self._call.journal.event(ev.UserPartial(t=effect.at, text=effect.partial_text))
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


def _words(event: ev.Event) -> str:
    return event.digits if isinstance(event, ev.Dtmf) else getattr(event, "text", "")
