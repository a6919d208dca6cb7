"""Dates, numbers, contact and the like: spoken values tied to the slots they are for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

from pipecat_memory.notes import spoken
from pipecat_memory.notes.amendment import STRINGS, amendment, restrung
from pipecat_memory.notes.counted import counts_people
from pipecat_memory.notes.digit_tail import corrected_tail
from pipecat_memory.notes.domain_tail import corrected_domain
from pipecat_memory.notes.grammar import Grammar, single_words_of
from pipecat_memory.notes.mention import Mention, Moment
from pipecat_memory.notes.owner import NEEDS_TIE, SURE, Candidate, labelled, owner_of
from pipecat_memory.notes.people import find_people, is_part
from pipecat_memory.notes.shift import Shift, find_shifts, shifted
from pipecat_memory.notes.spoken import Span
from pipecat_memory.notes.spoken.times import nearest
from pipecat_memory.notes.utterance import Stance, Utterance, stance
from pipecat_memory.records.call_state import SlotValue
from pipecat_memory.records.schema import Slot

KINDS: dict[str, tuple[spoken.Kind, ...]] = {
    "datetime": ("datetime",),
    "date": ("date",),
    "time": ("time",),
    "money": ("money",),
    "email": ("email",),
    "postcode": ("postcode",),
    "phone": ("phone",),
    "digits": ("digits",),
    "quantity": ("quantity",),
    "number": ("number",),
}
"""Kinds of spoken value that fit a type of slot, surest first: an earlier kind takes its words."""

FIXED = datetime(2024, 1, 1, tzinfo=UTC)
"""Any moment does where only the kind of a span is asked."""


def find_values(
    said: Utterance,
    grammar: Grammar,
    moment: Moment,
    asked: tuple[str, ...],
    slots: Mapping[str, SlotValue],
) -> list[Mention]:
    """Typed values of an utterance, each for the slot it is most likely meant for.

    Args:
        said: the utterance.
        grammar: of the call.
        moment: when and where.
        asked: slots that the agent asked for, nearest first.
        slots: what stands: an empty slot is preferred among equals, a full one is amended.
    """
    found: list[Candidate] = []
    for kind, finders in KINDS.items():
        fit = [slot for slot in grammar.schema.slots if slot.type == kind]
        if fit:
            spans = _spans(said, kind, finders, moment, fit)
            if kind in STRINGS and any(_is_ending(said, span) for span in spans):
                continue
            for span in spans:
                amends, alike = restrung(said, span, grammar, slots) or (None, False)
                owner = labelled(said, span, fit, generic=alike) or (amends if alike else None)
                rank = _rank(span, fit, asked, owned=owner is not None or amends is not None)
                found.append(Candidate(span, fit, rank, owner, amends, _again(said, span), _led(said, span)))
    shifts = _shifts(said, moment)
    relative = [*shifts, *said.hits("shift_vague")]
    taken = [(said.words[one.start].start, said.words[one.end - 1].end) for one in relative]
    agreed, refused = (any(hit.start == 0 for hit in said.hits(group)) for group in ("yes", "no"))
    today = moment.today.isoformat()
    chosen: list[tuple[Slot, Span, bool]] = []
    for one in sorted(found, key=lambda candidate: candidate.rank):
        span = one.span
        if any(a < span.end and span.start < b for a, b in taken):
            continue
        used = [slot.name for slot, _, _ in chosen]
        slot, tied = owner_of(one, asked, slots, used, today, agreed=agreed, refused=refused)
        if slot is not None:
            chosen.append((slot, _trimmed(said, span), tied))
            taken.append((span.start, span.end))
    latest = max(chosen, key=lambda one: one[1].end, default=None)
    before = latest[:2] if latest else None
    tail = corrected_tail(said, grammar, moment, slots, before)
    amended = tail or amendment(said, grammar, moment, slots, before)
    if amended is None and all(slot.type != "email" for slot, _, _ in chosen):
        amended = corrected_domain(said, grammar, moment, slots)
    if amended is not None:
        chosen = [one for one in chosen if tail is None or one[1].start != tail[1].start]
        chosen.append((*amended, True))
    chosen = _from_to(said, chosen)
    places = [(said.index(span.start), said.index(span.end - 1) + 1) for _, span, _ in chosen]
    mentions = [
        Mention(
            slot.name,
            _in_half(span, slot, chosen),
            span.text,
            span.start,
            "correct" if tail is not None and span is tail[1] else _meant(said, place, places, span),
            1.0,
            tied,
            span.either_half,
            span.part,
        )
        for (slot, span, tied), place in zip(chosen, places, strict=True)
    ]
    return mentions + shifted(said, shifts, mentions, grammar, slots)


def _from_to(said: Utterance, chosen: list[tuple[Slot, Span, bool]]) -> list[tuple[Slot, Span, bool]]:
    """The values, of which a first and a last day ("from Friday to Sunday") are surely for their slots."""
    days = sorted(
        (one for one in chosen if one[0].type in ("date", "datetime")), key=lambda one: one[1].start
    )
    ends = [(said.index(a.end - 1) + 1, said.index(b.start)) for (_, a, _), (_, b, _) in pairwise(days)]
    ranged = any(low <= hit.start and hit.end <= high for low, high in ends for hit in said.hits("range"))
    if len(days) != 2 or not ranged or days[0][0] is days[1][0]:
        return chosen
    return [(slot, span, tied or (slot, span, tied) in days) for slot, span, tied in chosen]


def _meant(said: Utterance, place: tuple[int, int], places: list[tuple[int, int]], span: Span) -> Stance:
    """How a value is meant; a number that no country gives out was not heard well."""
    meant = stance(said, *place, places)
    impossible = span.kind == "phone" and span.certainty < SURE
    return "unsure" if impossible and meant in ("assert", "correct") else meant


def _led(said: Utterance, span: Span) -> bool:
    """Whether a "for" stands before a value, or is the first of its words."""
    first = said.index(_trimmed(said, span).start)
    return first > 0 and said.words[first - 1].key in single_words_of(said.language, "for")


def _again(said: Utterance, span: Span) -> bool:
    """Whether a value comes right after an "or", a "no" or a correction, a "for" between them or not."""
    first = said.index(_trimmed(said, span).start)
    while first > 0 and said.words[first - 1].key in single_words_of(said.language, "before_value"):
        first -= 1
    return any(hit.end == first for group in ("or", "no", "correction") for hit in said.hits(group))


def _shifts(said: Utterance, moment: Moment) -> list[Shift]:
    """Relative changes; "my wife and I and two more friends" is a party and changes none."""
    found = find_shifts(said, _found(said, "date", moment, None))
    parties = find_people(said, moment) if any(one.kind == "count" for one in found) else []
    listed = [(said.index(span.start), said.index(span.end - 1)) for span in parties]
    return [one for one in found if one.unit or not any(a < one.start <= b for a, b in listed)]


def _rank(span: Span, slots: list[Slot], asked: tuple[str, ...], *, owned: bool) -> int:
    """Which span takes its words first: an owned one, people by their noun, a sure one, a guess.

    A row of digits that was asked for is that before it is a number to call.
    """
    wanted = any(slot.name in asked for slot in slots)
    if owned and span.certainty >= SURE:
        return 0
    if span.kind == "people" or (span.kind == "digits" and wanted and span.certainty >= SURE):
        return 1
    if span.certainty >= SURE:
        return 2 if span.kind not in NEEDS_TIE or wanted else 3
    return 4


def _in_half(span: Span, slot: Slot, chosen: list[tuple[Slot, Span, bool]]) -> Any:
    """The value; a time without its half of the day takes that of the one before it in the same breath."""
    before = [
        one for other, one, _ in chosen if other is slot and one.end <= span.start and one.kind == "time"
    ]
    return nearest(span.value, before[-1].value) if span.either_half and before else span.value


def _trimmed(said: Utterance, span: Span) -> Span:
    """A span without the preposition or article it was found with."""
    leads = single_words_of(said.language, "before_value")
    start = span.start
    while (i := said.index(start)) + 1 < len(said.words) and said.words[i].key in leads:
        if said.words[i + 1].start >= span.end:
            break
        start = said.words[i + 1].start
    return replace(span, start=start, text=said.text[start : span.end])


def _spans(
    said: Utterance, kind: str, finders: tuple[spoken.Kind, ...], moment: Moment, slots: list[Slot]
) -> list[Span]:
    if kind == "quantity":
        if sum(map(counts_people, slots)) > 1:
            return _found(said, "quantity", moment, None)  # adults and children are counted apart
        people = find_people(said, moment)
        rest = [span for span in _found(said, "quantity", moment, None) if not is_part(said, span)]
        return people + [s for s in rest if not any(p.start < s.end and s.start < p.end for p in people)]
    if kind == "time":
        # "In half an hour" is a time too, and only a moment says which.
        clocks = _found(said, "time", moment, None)
        waits = [span for span in _found(said, "datetime", moment, None) if _is_wait(said, span)]
        return clocks + [replace(span, value=str(span.value)[11:16], kind="time") for span in waits]
    patterns = {slot.pattern for slot in slots}
    pattern = patterns.pop() if len(patterns) == 1 and kind in ("digits", "postcode") else None
    return [span for finder in finders for span in _found(said, finder, moment, pattern)]


def _is_ending(said: Utterance, span: Span) -> bool:
    """Whether a row of digits is only the end of one ("the account ending in 4421")."""
    first, after = said.index(span.start), said.index(span.end - 1) + 1
    told = [*said.hits("ends_in"), *said.hits("ending")]
    return any(hit.end == first for hit in told) or any(hit.start == after for hit in said.hits("ends_in"))


def _is_wait(said: Utterance, span: Span) -> bool:
    """Whether a moment is counted from now in hours or minutes, not named by day or clock."""
    return span.kind == "datetime" and not any(
        spoken.find(span.text, kind, language=said.language, at=FIXED) for kind in ("date", "time")
    )


def _found(said: Utterance, kind: spoken.Kind, moment: Moment, pattern: str | None) -> list[Span]:
    return spoken.find(
        said.text, kind, language=said.language, at=moment.at, timezone=moment.timezone, pattern=pattern
    )
