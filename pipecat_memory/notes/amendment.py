"""A bare number that amends what stands: "make that five", "no, eight", "sorry, it's 4417"."""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import SequenceMatcher

from pipecat_memory.notes import spoken
from pipecat_memory.notes.grammar import Grammar, single_words_of
from pipecat_memory.notes.mention import Moment
from pipecat_memory.notes.spoken import Span
from pipecat_memory.notes.spoken.times import nearest
from pipecat_memory.notes.utterance import Utterance, stance
from pipecat_memory.records.call_state import SlotValue
from pipecat_memory.records.schema import Slot

COUNTED: dict[str, spoken.Kind] = {
    "quantity": "quantity",
    "number": "number",
    "money": "number",
    "time": "time",
}
"""Types that a bare number can amend, and what to read it as."""

STRINGS = frozenset({"digits", "phone"})
"""Types whose values are digits in a row, which a corrected row can replace."""

_CLOCK = re.compile(r"\d\d:\d\d")

ALIKE = 0.5
"""Likeness of two rows of digits from which one is the other said right."""

COUNTS = 0.5
"""Certainty of a number under which it is mostly a pronoun."""

SHORTEST = 3
"""Digits of a row at least; fewer are a count or an hour."""


def amendment(
    said: Utterance,
    grammar: Grammar,
    moment: Moment,
    held: Mapping[str, SlotValue],
    before: tuple[Slot, Span] | None = None,
) -> tuple[Slot, Span] | None:
    """The one slot that a number with a correction cue can be for, with the number.

    Nothing where several slots could be meant: the agent then has to ask. After a value in the
    same breath ("seven pm, no, eight") it is for that value's slot, if a cue stands between; after
    another one ("no, Saturday, and make it three") it is not.
    """
    after = before[1].end if before else 0
    numbers = spoken.find(said.text, "number", language=said.language, at=moment.at, timezone=moment.timezone)
    numbers = [number for number in numbers if number.start >= after]
    if len(numbers) > 1 or before is not None:  # the "one" of "my wife needs one" counts nothing
        numbers = [number for number in numbers if number.certainty >= COUNTS]
    if len(numbers) == 2 and (clock := _one_clock(said, numbers, moment)) is not None:
        numbers = [clock]  # "make it five fifteen"
    if len(numbers) > 1 and _starts(said, numbers[-2].end, numbers[-1].start, "correction", "no"):
        numbers = numbers[-1:]  # "six, sorry, five"
    if len(numbers) != 1:
        return None
    place = said.index(numbers[0].start), said.index(numbers[0].end - 1) + 1
    corrected = stance(said, *place, [place]) in ("correct", "refuse")
    if not corrected and not any(hit.start == 0 for hit in said.hits("no")):  # "no can we do nine"
        return None
    standing = _amendable(said, numbers[0], grammar, held, before)
    if numbers[0].kind == "time":
        standing = [slot for slot in standing if slot.type == "time"]
    again = [slot for slot in standing if _said_again(said, numbers[0], held.get(slot.name), moment)]
    counts = [slot for slot in standing if slot.type in ("quantity", "number")]
    party = place[0] > 0 and said.words[place[0] - 1].key in single_words_of(said.language, "for")
    standing = again or (counts if party or (corrected and said.hits("correction")) else None) or standing
    if len(standing) != 1:
        return None
    slot = standing[0]
    kind = COUNTED[slot.type]
    spans = spoken.find(said.text, kind, language=said.language, at=moment.at, timezone=moment.timezone)
    spans = [span for span in spans if span.end > numbers[0].start]
    fitting = [s for s in spans if slot.pattern is None or re.fullmatch(slot.pattern, str(s.value))]
    return (slot, fitting[0]) if len(fitting) == 1 else None


def _said_again(said: Utterance, number: Span, held: SlotValue | None, moment: Moment) -> bool:
    """Whether a number is what stands in a slot: who says it again means that slot."""
    if held is None:
        return False
    times = spoken.find(said.text, "time", language=said.language, at=moment.at, timezone=moment.timezone)
    clocks = [str(t.value) for t in times if t.start < number.end and number.start < t.end]
    standing = str(held.value)
    return held.value == number.value or any(
        nearest(clock, standing) == standing for clock in clocks if _CLOCK.fullmatch(standing)
    )


def _one_clock(said: Utterance, numbers: list[Span], moment: Moment) -> Span | None:
    """The time of day that two numbers are together."""
    times = spoken.find(said.text, "time", language=said.language, at=moment.at, timezone=moment.timezone)
    return next((t for t in times if all(t.start <= n.start and n.end <= t.end for n in numbers)), None)


def _amendable(
    said: Utterance,
    number: Span,
    grammar: Grammar,
    held: Mapping[str, SlotValue],
    before: tuple[Slot, Span] | None,
) -> list[Slot]:
    """Slots that the number can be for: the one just named, else counts and times that stand."""
    counted = [slot for slot in grammar.schema.slots if slot.type in COUNTED]
    if before is None:
        return [slot for slot in counted if slot.name in held]
    slot, value = before
    if slot.type in STRINGS:
        return []  # more digits of a row, no count
    if slot in counted and not _starts(said, value.end, number.start, "and"):
        return [slot] if _starts(said, value.end, number.start, "correction", "no") else []
    if not _starts(said, value.end, len(said.text), "correction"):
        return []
    # Beside another value also the count that we failed to hear before.
    standing = [one for one in counted if one.name in held and one is not slot]
    return standing or [one for one in counted if one.type == "quantity"]


def _starts(said: Utterance, low: int, high: int, *groups: str) -> bool:
    """Whether a cue of the groups starts between two characters."""
    return any(low <= said.words[hit.start].start < high for group in groups for hit in said.hits(group))


def restrung(
    said: Utterance, span: Span, grammar: Grammar, held: Mapping[str, SlotValue]
) -> tuple[Slot, bool] | None:
    """The slot whose row of digits this one, said as a correction, replaces.

    The one that is most like it, then the last filled. A number of an account that is said right is not a
    number to call, however long it is.

    Returns:
        The slot, and whether the likeness alone says so; None where the span corrects no row of digits.
    """
    digits = _digits(span.value)
    if span.kind not in STRINGS or len(digits) < SHORTEST:
        return None
    place = said.index(span.start), said.index(span.end - 1) + 1
    if stance(said, *place, [place]) not in ("correct", "refuse") and not said.hits("negation"):
        return None
    options = [
        (_likeness(digits, _digits(held[slot.name].value)), held[slot.name].turn, slot)
        for slot in grammar.schema.slots
        if slot.type in STRINGS and slot.name in held
        if slot.pattern is None or re.fullmatch(slot.pattern, str(span.value))
    ]
    if not options:
        return None
    like, _, slot = max(options, key=lambda option: option[:2])
    if like >= ALIKE:
        return slot, True
    counted = [s for s in grammar.schema.slots if s.type in COUNTED and s.name in held]
    same_length = len(digits) == len(_digits(held[slot.name].value))
    return (slot, False) if same_length and not counted else None


def _digits(value: object) -> str:
    return "".join(mark for mark in str(value) if mark.isdigit())


def _likeness(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other, autojunk=False).ratio()
