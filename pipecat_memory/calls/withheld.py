"""What must not be kept of a caller's words: found as they come, and taken out of what came before them.

A number shows only when it is whole: by its last digits, keyed or spoken, in this turn or some turns later.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from .. import events as ev
from ..ledger.effects import Effect
from ..ledger.segments import Entry
from ..notes.secret import disarmed, mark, said_for, still_told
from ..records.faults import pointer
from ..stores.card_parts import LOOKED_BACK, CardParts, has_part
from ..stores.masking import CARD
from ..writing.journal import Journal
from ..writing.masked import masked
from .fitting import fitted

if TYPE_CHECKING:
    from ..call import CallMemory
    from .course import Course

_WORDLESS = (ev.TurnEnded, ev.UserStarted, ev.UserStopped, ev.Interrupted)
"""What holds nothing but its moment."""
_CALLERS = (ev.UserFinal, ev.UserTyped, ev.Dtmf, ev.UserPartial, ev.TurnSpeculated)
"""What the agent's question and the turn so far explain."""


class Withheld:
    """Keeps cards, the app's patterns and what fills secret slots out of one call.

    Args:
        call: whose words they are.
        course: what they amount to.
        journal: where they are written.
        follow: takes the effects of words that were taken back.
    """

    def __init__(
        self, call: CallMemory, course: Course, journal: Journal, follow: Callable[[Effect], None]
    ) -> None:
        self._call = call
        self._course = course
        self._journal = journal
        self._follow = follow
        self._entries: list[Entry] = []
        """What the caller said so far in the open turn."""
        self._said: list[Entry] = []
        """What the caller said so far in the call."""
        self._card_parts = CardParts()

    def told_by(self, event: ev.Event) -> int:
        """Take out what an event, taken already, tells together with those before it; returns how often."""
        if isinstance(event, Entry):
            self._said.append(event)
        elif not self._course.secret:
            return 0
        return self._without_secrets(event) + self._without_card(event)

    def keepable(self, event: ev.Event) -> tuple[ev.Event, int]:
        """The event as the journal can hold it, without what must not be kept; how often that was in it."""
        if isinstance(event, _WORDLESS):
            return event, 0
        call = self._call
        event, odd = fitted(event)
        if odd:
            call.count("values_made_to_fit", odd)
        before = self._before() if isinstance(event, _CALLERS) else ""
        event, hits = self._disarmed(event)
        raw = event
        if isinstance(event, Entry) and self._course.ledger.open_turn is None:
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
        ledger = self._course.ledger
        asked = ledger.last_heard.text if ledger.last_heard is not None else ""
        return f"{asked}\n{ledger.open_turn.text}" if ledger.open_turn is not None else asked

    def _keyed(self, event: ev.Dtmf) -> tuple[ev.Dtmf, int]:
        """The last keys of an entry with the keys before them: they show together what they are."""
        asked = self._course.ledger.last_heard
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
            asked = self._course.ledger.last_heard
            before = [asked.text if asked else "", *map(_words, self._entries[:index])]
            new, hits = masked(entry, call.secrets, " ".join(before), f" {after}")
            after = f"{_words(entry)} {after}"
            if not hits:
                continue
            self._swap(entry, cast("Entry", new))

    def _disarmed(self, event: ev.Event) -> tuple[ev.Event, int]:
        """Nobody's own words hold a mark of ours, and no interim text what would fill a secret slot."""
        course, secrets = self._course, self._call.secrets
        if not course.secret or not isinstance(event, ev.UserFinal | ev.UserTyped | ev.UserPartial):
            return event, 0
        event = replace(event, text=disarmed(event.text, course.schema))
        if not isinstance(event, ev.UserPartial):
            return event, 0
        texts = [event.text]
        for slot, held in still_told(course.speculate(event.text).state, course.schema):
            texts = secrets.mask_told(texts, said_for(slot, held), mark(slot, sure=False))
        return replace(event, text=texts[0]), int(texts[0] != event.text)

    def _without_secrets(self, event: ev.Event) -> int:
        """What filled a secret slot goes out of all that the call holds; a mark tells that it was filled."""
        call, news, hits = self._call, False, 0
        for slot, held in still_told(self._course.notes.state, self._course.schema):
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
        if not isinstance(event, Entry) or not call.settings.mask_cards or not has_part(_words(event)):
            return 0
        latest = self._said[-1 - LOOKED_BACK :]
        agent = [item.text for item in self._course.history()[-LOOKED_BACK:] if item.role == "assistant"]
        found = self._card_parts.completed([_words(entry) for entry in latest], " ".join(agent))
        for part in found:
            words = _words(latest[part.entry])
            self._put(latest[part.entry], words[: part.start] + CARD + words[part.end :])
        call.secrets.learn([part.digits for part in found], CARD)
        return len(found) + (self._remask() if found else 0)

    def _remask(self) -> int:
        """More must not be kept than was known: out of all that was said, too. In how many entries it was."""
        call = self._call
        hits = sum(
            self._put(entry, call.secrets.mask_learnt(_words(entry))[0]) for entry in tuple(self._said)
        )
        self._course.remask()
        self._journal.remask()
        return hits

    def kept(self, event: ev.Event) -> ev.Event:
        """The event as it is to be journalled."""
        if isinstance(event, Entry):
            return self._said[-1]
        if not self._course.secret or not isinstance(event, ev.Corrected):
            return event
        name = event.path.split("/")[2:3]
        slot = next((slot for slot in self._course.schema.slots if [pointer(slot.name)] == name), None)
        return replace(event, value=event.value and mark(slot)) if slot and slot.secret else event

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
        self._entries = [new if one is entry else one for one in self._entries]
        self._said = [new if one is entry else one for one in self._said]
        self._journal.redact(entry, new)
        for effect in self._course.redact(entry, new):
            self._follow(effect)


def _words(event: ev.Event) -> str:
    return event.digits if isinstance(event, ev.Dtmf) else getattr(event, "text", "")
