"""A change told relative to what stands: "an hour later", "two more people", 晚一个小时.

It changes the one value of its kind that stands. Where nothing stands, or two values could be meant, or
the clause tells a story ("an hour later I was ill"), it changes nothing; and its words are in no case a
value by themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Literal

from pipecat_memory.notes.grammar import Grammar, shift_words
from pipecat_memory.notes.mention import Mention
from pipecat_memory.notes.spoken import calendar_days
from pipecat_memory.notes.spoken.language import language_of
from pipecat_memory.notes.spoken.lengths import Length, find_lengths
from pipecat_memory.notes.spoken.span import Span
from pipecat_memory.notes.tokens import Hit, keys
from pipecat_memory.notes.utterance import Utterance, stance
from pipecat_memory.records.call_state import SlotValue
from pipecat_memory.records.schema import Slot

Way = Literal["later", "earlier", "more", "fewer"]

CLOCKED = ("minute", "hour")
CUES = ("shift_after", "shift_before", "shift_days")

TYPES: dict[str, tuple[str, ...]] = {
    "clock": ("time", "datetime"),
    "day": ("date", "datetime"),
    "count": ("quantity",),
}
"""What can be shifted, and the types of slot that hold it."""

_CLOCK = re.compile(r"\d\d:\d\d")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


@dataclass(frozen=True, slots=True)
class Shift:
    """Words `start` to `end` that say by how much: a count of `unit`, negative for less."""

    start: int
    end: int
    by: float
    unit: str

    @property
    def kind(self) -> str:
        return "count" if not self.unit else "clock" if self.unit in CLOCKED else "day"


def find_shifts(said: Utterance, days: Iterable[Span]) -> list[Shift]:
    """Every relative change in the words, in order.

    Args:
        said: the utterance.
        days: the dates in it: "the day after tomorrow" is one.
    """
    if not any(said.hits(group) for group in CUES):
        return []
    dated = {i for day in days for i in range(said.index(day.start), said.index(day.end - 1) + 1)}
    found = [
        Shift(hit.start, hit.end, float(hit.meaning), "day")
        for hit in said.hits("shift_days")
        if dated.isdisjoint(range(hit.start, hit.end))
    ]
    nouns = [hit for group in ("people_nouns", "persons") for hit in said.hits(group)]
    for length in find_lengths(said.text, said.language):
        start, end = said.index(length.start), said.index(length.end - 1) + 1
        noun = max((hit.end for hit in nouns if hit.start == end and not length.unit), default=end)
        found += [
            Shift(hit.start, noun, _signed(hit.meaning, length), length.unit)
            for hit in said.hits("shift_before")
            if hit.end == start and _fits(hit.meaning, length)
        ]
        for hit in said.hits("shift_after"):
            if hit.start in (end, noun) and _fits(hit.meaning, length) and not _goes_on(said, hit):
                last = max((other.end for other in nouns if other.start == hit.end), default=hit.end)
                found.append(Shift(start, last, _signed(hit.meaning, length), length.unit))
    # "Another person" counts one without saying so.
    found += [
        Shift(hit.start, noun.end, 1.0 if hit.meaning == "more" else -1.0, "")
        for hit in said.hits("shift_before")
        for noun in nouns
        if noun.start == hit.end and hit.meaning in ("more", "fewer")
    ]
    return sorted(_longest(found), key=lambda shift: shift.start)


def shifted(
    said: Utterance,
    shifts: Sequence[Shift],
    told: Sequence[Mention],
    grammar: Grammar,
    held: Mapping[str, SlotValue],
) -> list[Mention]:
    """The values that stand, or were told before in the same breath, after the changes.

    Args:
        said: the utterance.
        shifts: the changes in it.
        told: the values of the same utterance.
        grammar: of the call.
        held: what stands.
    """
    found: list[Mention] = []
    for shift in _once(shifts):
        if not _meant(said, shift.start, shifts, told):
            continue
        slots = [slot for slot in grammar.schema.slots if slot.type in TYPES[shift.kind] and not slot.multi]
        before = {one.slot: one.value for one in (*told, *found) if said.index(one.start) < shift.start}
        now = {slot.name: before[slot.name] for slot in slots if slot.name in before}
        now = now or {slot.name: held[slot.name].value for slot in slots if slot.name in held}
        if len(now) != 1:
            continue
        name, value = next(iter(now.items()))
        slot = next(slot for slot in slots if slot.name == name)
        after = _moved(value, shift, slot)
        if after is None:
            continue
        place = (shift.start, shift.end)
        meant = stance(said, *place, [place])
        if meant in ("deny", "refuse"):
            continue
        sure = name in before or (held[name].confidence == "confirmed" and held[name].asked is None)
        words, at = said.span(*place), said.words[shift.start].start
        meant = "correct" if meant == "assert" else meant
        anew = any(shift.start >= hit.end for hit in said.hits("but"))
        found.append(Mention(name, after, words, at, meant, 1.0 if sure else 0.0, relative=not anew))
    return found


def vaguely_shifted(said: Utterance, grammar: Grammar, held: Mapping[str, SlotValue]) -> str | None:
    """The one time that stands and that the caller wants changed without saying by how much."""
    hits = [hit for hit in said.hits("shift_vague") if _meant(said, hit.start, [], [])]
    names = [s.name for s in grammar.schema.slots if s.type in TYPES["clock"] and s.name in held]
    return names[0] if hits and len(names) == 1 else None


def _once(shifts: Iterable[Shift]) -> Iterable[Shift]:
    """The changes without what is said twice over."""
    return {(shift.by, shift.unit): shift for shift in reversed(list(shifts))}.values()


def _fits(way: str, length: Length) -> bool:
    """Whether a length can be told in that way: an hour later, two more."""
    return bool(length.unit) == (way in ("later", "earlier"))


def _signed(way: str, length: Length) -> float:
    return length.count if way in ("later", "more") else -length.count


def _goes_on(said: Utterance, cue: Hit) -> bool:
    """Whether a cue belongs to more than a change: "two more or less", "las seis menos cuarto"."""
    if any(hit.start == cue.end for hit in said.hits("or")) and not said.words[cue.end - 1].stop:
        return True
    for phrase in map(keys, language_of(said.language)["after_hour"].entries):
        if tuple(word.key for word in said.words[cue.start : cue.start + len(phrase)]) == phrase:
            return True
    return False


def _longest(found: Iterable[Shift]) -> list[Shift]:
    """Of changes that share words the longest."""
    kept: list[Shift] = []
    for shift in sorted(found, key=lambda shift: shift.start - shift.end):
        if not any(shift.start < other.end and other.start < shift.end for other in kept):
            kept.append(shift)
    return kept


def _meant(said: Utterance, at: int, shifts: Sequence[Shift], told: Sequence[Mention]) -> bool:
    """Whether the clause at word `at` asks for the change and tells nothing else, such as a story."""
    first, last = said.part(at)
    spoken = {i for one in shifts for i in range(one.start, one.end)}
    for one in told:
        spoken |= set(range(said.index(one.start), said.index(one.start + len(one.spoken) - 1) + 1))
    for vague in said.hits("shift_vague"):
        spoken |= set(range(vague.start, vague.end))
    known = shift_words(said.language)
    return all(i in spoken or said.words[i].key in known for i in range(first, last))


def _moved(value: Any, shift: Shift, slot: Slot) -> Any:
    """A value after a change; None where it then is none."""
    if shift.kind == "count":
        after = value + shift.by if isinstance(value, (int, float)) else 0
        return int(after) if after >= 1 else None
    if not isinstance(value, str):
        return None
    if slot.type == "datetime" and not (_DAY.match(value) and _CLOCK.search(value)):
        return None
    if shift.kind == "clock":
        return _clocked(value, timedelta(minutes=shift.by * (60 if shift.unit == "hour" else 1)))
    on = calendar_days.step(date.fromisoformat(value[:10]), int(shift.by), shift.unit)
    return on.isoformat() + value[10:] if on is not None else None


def _clocked(value: str, by: timedelta) -> str:
    """A time of day, or a moment, moved."""
    if _CLOCK.fullmatch(value):
        return (datetime.fromisoformat(f"2000-01-01T{value}") + by).strftime("%H:%M")
    return (datetime.fromisoformat(value) + by).isoformat(timespec="minutes")
