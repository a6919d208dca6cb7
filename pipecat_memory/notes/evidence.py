"""Hearings of names, codes and dates over turns, weighed together.

A later attempt at the same value is evidence; an explicit correction replaces what came before.
Only answers to our own question (or values the app holds a table for) are weighed: what a caller
volunteers in a sentence is taken as it was said.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from pipecat_memory.notes.amendment import STRINGS
from pipecat_memory.notes.fusion import SURE, Attempt, Candidate, fuse
from pipecat_memory.notes.grammar import Grammar
from pipecat_memory.notes.heard import Heard
from pipecat_memory.notes.mention import Mention
from pipecat_memory.notes.names import find_names
from pipecat_memory.notes.question import Question
from pipecat_memory.notes.spelled_name import spelled_names
from pipecat_memory.notes.utterance import Utterance, read
from pipecat_memory.notes.whole_name import Half
from pipecat_memory.records.call_state import CallState
from pipecat_memory.records.schema import Slot

Candidates = Callable[[str], Sequence[Any]]
"""The app's table: slot name to the values it may have, plain or as weighted `Candidate`s."""

Attempts = Mapping[str, tuple[Attempt, ...]]

WEIGHED = frozenset({"name", "postcode", "date", "digits", "phone", "email"})
"""Types that get lost on the telephone and are said again."""

KEPT = 6
"""Attempts kept of one value."""

LONGEST = 12
"""Words of an answer that can be nothing but the value; spelled ones are long."""


class Holder(Protocol):
    """The part of the notes that is needed here."""

    @property
    def grammar(self) -> Grammar: ...
    @property
    def state(self) -> CallState: ...
    @property
    def timezone(self) -> str: ...
    @property
    def candidates(self) -> Candidates | None: ...
    @property
    def profile(self) -> Mapping[str, Any]: ...
    @property
    def language(self) -> str | None: ...


def weigh(
    attempts: Attempts,
    mentions: list[Mention],
    heard: Heard,
    question: Question,
    language: str,
    notes: Holder,
) -> tuple[Attempts, list[Mention]]:
    """The mentions with the values that all attempts together speak for, and the attempts with this one.

    Args:
        attempts: earlier hearings by slot.
        mentions: what this turn names.
        heard: the turn.
        question: what the agent asked.
        language: of the turn.
        notes: schema, table and profile.
    """
    mentions = spelled_names(
        mentions, heard.text, language, question, notes.state.slots, notes.grammar, before=notes.language
    )
    kept = dict(attempts)
    for slot in notes.grammar.schema.slots:
        if slot.type not in WEIGHED or slot.multi or language == "zh":
            continue
        named = [m for m in mentions if m.slot == slot.name]
        said = next((m for m in named if m.stance in ("assert", "correct")), None)
        if named and said is None:
            continue  # denied or hedged: nothing to add up
        if said is not None and said.day_part == "day" and slot.name in notes.state.slots:
            continue  # a day of the month that stands amends that date
        asked = question.slot == slot.name
        known = _known(slot, notes)
        if said is None and (not asked or any(m.slot != slot.name for m in mentions)):
            continue  # who names something else has made no attempt at this
        texts = _texts(slot, said, heard, question, language, notes)
        if not texts:
            continue
        # Where a value is settled or two are in question, what is said now is a choice, not a hearing.
        held = notes.state.slots.get(slot.name)
        chosen = held is not None and (held.confidence == "confirmed" or held.asked is not None)
        corrected = said is not None and said.stance == "correct"
        attempt = Attempt(texts, chosen or corrected, heard.confidence)
        part = (said.part if said is not None else question.half) if slot.type == "name" else None
        place = f"{slot.name} {part}" if part else slot.name
        earlier = kept.get(place, ())
        kept[place] = (*earlier, attempt)[-KEPT:]
        if corrected and slot.type in STRINGS and len(texts) == 1:
            continue  # "no, one nine at the end" was read with the row that it ends
        if _in_doubt(slot, kept[place], asked=asked) or (known and said is not None):
            mentions = _weighed(mentions, said, slot, kept[place], known, heard, part, language, notes)
    return kept, mentions


def _in_doubt(slot: Slot, attempts: tuple[Attempt, ...], *, asked: bool) -> bool:
    """Whether the attempts have to be weighed: a name that was heard in one way is what was said."""
    several = any(len(attempt.texts) > 1 for attempt in attempts)
    return asked and (several or (len(attempts) > 1 and slot.type != "name"))


def _weighed(
    mentions: list[Mention],
    said: Mention | None,
    slot: Slot,
    attempts: tuple[Attempt, ...],
    known: list[Candidate],
    heard: Heard,
    part: Half | None,
    language: str,
    notes: Holder,
) -> list[Mention]:
    fused = fuse(
        slot.type,
        attempts,
        at=heard.at,
        language=language,
        timezone=notes.timezone,
        pattern=slot.pattern,
        profile=notes.profile.get(slot.name) if part is None else None,
        candidates=known,
    )
    if fused is None:
        return mentions
    sure = 1.0 if fused.sure >= SURE else 0.0
    if said is None:
        return [
            *mentions,
            Mention(slot.name, fused.value, attempts[-1].texts[0], 0, "assert", sure, part=part),
        ]
    return [replace(m, value=fused.value, heard=sure) if m is said else m for m in mentions]


def _known(slot: Slot, notes: Holder) -> list[Candidate]:
    values = notes.candidates(slot.name) if notes.candidates is not None else ()
    return [value if isinstance(value, Candidate) else Candidate(value) for value in values]


def _texts(
    slot: Slot, said: Mention | None, heard: Heard, question: Question, language: str, notes: Holder
) -> tuple[str, ...]:
    """What each hypothesis holds of the value, best first; nothing where the turn is no attempt at it."""
    found: dict[str, None] = {}
    for text in heard.hypotheses():
        if slot.type == "name":
            names = find_names(
                read(text, language, notes.grammar), notes.grammar, question.slots, question.half
            )
            part = next((m.spoken for m in names if m.slot == slot.name), None)
            if part is None and said is None and len(text.split()) <= LONGEST and _letters(text):
                part = text
        else:
            part = _answer(read(text, language, notes.grammar))
            part = part if len(part.split()) <= LONGEST else (said.spoken if said else None)
        if part and part.strip():
            found.setdefault(part, None)
    return tuple(found)


def _answer(said: Utterance) -> str:
    """An answer without the "no", "yes" or "sorry" before it, which would be heard as letters."""
    start = 0
    while heads := [h.end for g in ("no", "yes", "correction") for h in said.hits(g) if h.start == start]:
        start = max(heads)
    return said.text[said.words[start].start :] if start < len(said.words) else ""


def _letters(text: str) -> bool:
    """Whether an answer is mostly single letters: a spelled name."""
    words = text.split()
    return sum(len(word.strip(".,-")) == 1 for word in words) * 2 > len(words)
