"""Values of choices, heard in one hypothesis or voted over many."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from pipecat_memory.notes.grammar import Grammar, single_words_of, words_of
from pipecat_memory.notes.mention import Mention, same
from pipecat_memory.notes.utterance import Utterance, stance
from pipecat_memory.records.call_state import SlotValue

SHORT_ANSWER = 6
"""Words up to which a bare "any" or "whatever" answers the question it follows."""

EXPECTED = 30.0
"""Odds that a caller names a value of the slot that was just asked for, or said to be unavailable."""

ASIDE = 0.6
"""The same for any other slot: out of the blue, words are rather something else misheard."""

NONE: Mapping[str, SlotValue] = {}
"""Nothing stands."""


def find_choices(
    said: Utterance, grammar: Grammar, asked: tuple[str, ...], topics: Collection[str] = ()
) -> list[Mention]:
    """Every value of every choice in one hypothesis, and "don't mind" where the slot has such a value.

    Args:
        said: the hypothesis.
        grammar: of the call.
        asked: slots that the agent asked for, nearest first.
        topics: slots that the agent just spoke of; there a part of a value is enough.
    """
    every = [(slot.name, hit) for slot in grammar.schema.slots for hit in said.hits(f"choice:{slot.name}")]
    every += [
        (slot.name, hit)
        for slot in grammar.schema.slots
        for hit in said.hits(f"part:{slot.name}")
        if slot.name in topics
        or asked[:1] == (slot.name,)
        or any(h.start == hit.end and h.meaning == slot.name for h in said.hits("label"))
    ]
    # A value inside a longer one was not said by itself.
    found = [(name, hit) for name, hit in every if not any(hit.within(other) for _, other in every)]
    places = [(hit.start, hit.end) for _, hit in found]
    loose = [m for m in _indifferent(said, grammar, asked) if not any(name == m.slot for name, _ in found)]
    return loose + [
        Mention(
            name,
            hit.meaning,
            said.span(hit.start, hit.end),
            said.words[hit.start].start,
            stance(said, hit.start, hit.end, places),
        )
        for name, hit in found
    ]


def _indifferent(said: Utterance, grammar: Grammar, asked: tuple[str, ...]) -> list[Mention]:
    found: dict[str, Mention] = {}
    for hit in said.hits("any"):
        follows = said.words[hit.end].key if hit.end < len(said.words) else ""
        if follows in single_words_of(said.language, "any_not_before"):
            continue
        phrase = tuple(word.key for word in said.words[hit.start : hit.end])
        weak = phrase in words_of(said.language, "weak_any")
        first, last = said.part(hit.start)
        near = [h for h in said.hits("label") if first <= h.start < last]
        after = sorted((h for h in near if h.start >= hit.start), key=lambda h: h.start)
        named = [h.meaning for h in (after or (near if not weak else []))][:1]
        if not named and (not weak or len(said.words) <= SHORT_ANSWER):
            named = list(asked[:1])
        for name in named:
            slot = grammar.schema.slot(name)
            value = grammar.any_value(slot) if slot else None
            if value is not None:
                words = said.span(hit.start, hit.end)
                found[name] = Mention(name, value, words, said.words[hit.start].start, "assert")
    return list(found.values())


def settle(
    mentions: list[Mention], said: Utterance, grammar: Grammar, slots: Mapping[str, SlotValue] = NONE
) -> list[Mention]:
    """One meaning a slot: of two values the corrected one stands, of alternatives neither is sure.

    Denied values of a slot make another value of it a correction. From what stands (`slots`) to another
    value is a change.
    """
    by_slot: dict[str, list[Mention]] = {}
    for mention in mentions:
        by_slot.setdefault(mention.slot, []).append(mention)
    settled: list[Mention] = []
    for name, group in by_slot.items():
        slot = grammar.schema.slot(name)
        group.sort(key=lambda m: m.start)
        denied = [m for m in group if m.stance == "deny"]
        stated = [m for m in group if m.stance != "deny"]
        if slot is not None and not slot.multi:
            stated = _one(stated, said, slots.get(name))
            if denied and stated:
                stated = [m if m.stance in ("unsure", "asked") else m.meant("correct") for m in stated]
                denied = [m for m in denied if m.value not in [s.value for s in stated]]
        settled += denied + stated
    return settled


def _one(stated: list[Mention], said: Utterance, held: SlotValue | None) -> list[Mention]:
    asked = [m for m in stated if m.stance == "asked"]
    if asked:
        return asked + _one([m for m in stated if m.stance != "asked"], said, held)
    distinct = list({str(m.value): m for m in stated}.values())
    if len(distinct) < 2:
        return distinct
    last = max(distinct, key=lambda m: m.start)
    before = max((m for m in distinct if m is not last), key=lambda m: m.start)
    if last.stance == "unsure" and before.stance != "unsure":
        return [before, last]
    between = [
        group
        for group in ("or", "correction", "no")
        for hit in said.hits(group)
        if before.start < said.words[hit.start].start < last.start
    ]
    ranged = _ranged(said, before, last) and "correction" not in between
    if ranged and held is not None and same(held.value, before.value):
        return [last.meant("correct")]  # "from Friday to Saturday"
    if between == ["or"] or ranged:
        return [before.meant("unsure"), last.meant("unsure")]
    if "correction" in between or "no" in between:
        return [last.meant("correct")]
    return [last]


def _ranged(said: Utterance, first: Mention, last: Mention) -> bool:
    """Whether two values are the ends of a range ("from Friday to Sunday")."""
    low, high = said.index(first.start + max(len(first.spoken), 1) - 1) + 1, said.index(last.start)
    return any(hit.start == low and 0 <= high - hit.end <= 1 for hit in said.hits("range"))


def vote(heard: Sequence[list[Mention]], expected: Mapping[str, float]) -> list[Mention]:
    """One list of mentions out of those of each hypothesis, best hypothesis first.

    A hypothesis counts by its rank; a mention's `heard` is the share that holds it. A value is
    taken where its share and the odds of hearing one of its slot make it likelier than not.

    Args:
        heard: mentions of each hypothesis.
        expected: odds that a value of a slot is said in this turn at all; `ASIDE` where none are given.
    """
    weights = [1.0 / (rank + 1) for rank in range(len(heard))]
    total = sum(weights)
    shares: dict[tuple[str, str, bool], float] = {}
    first: dict[tuple[str, str, bool], Mention] = {}
    for weight, mentions in zip(weights, heard, strict=True):
        for mention in mentions:
            which = (mention.slot, str(mention.value), mention.stance == "deny")
            shares[which] = shares.get(which, 0.0) + weight / total
            known = first.setdefault(which, mention)
            if known.stance == "refuse":  # a "no" before it that only some hypotheses hold is none
                first[which] = mention
    best: dict[tuple[str, bool], float] = {}
    for (slot, _, denied), share in shares.items():
        best[slot, denied] = max(best.get((slot, denied), 0.0), share)
    kept: list[Mention] = []
    for which, mention in first.items():
        slot, value, denied = which
        share = shares[which]
        odds = ASIDE if denied else expected.get(slot, ASIDE)
        outweighed = share < shares.get((slot, value, not denied), 0.0) or share < best[slot, denied] * 0.999
        if share * odds >= 1.0 - share and not outweighed:
            kept.append(replace(mention, heard=min(1.0, share)))
    return kept
