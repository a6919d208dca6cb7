"""What a question of the agent proposes: the values that a bare yes would agree to.

That is what it reads back, and what it offers instead: "8 pm is free, is that ok?".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from pipecat_memory.notes.grammar import Grammar
from pipecat_memory.notes.half_of_day import undecided
from pipecat_memory.notes.mention import Mention, Moment, same
from pipecat_memory.notes.partial_moment import completed
from pipecat_memory.notes.question import Question
from pipecat_memory.notes.spoken.times import nearest
from pipecat_memory.notes.utterance import Utterance, read
from pipecat_memory.notes.values import find_values
from pipecat_memory.records.call_state import SlotValue
from pipecat_memory.records.schema import Slot

LONGEST = 8
"""Words of an answer that picks one of the agent's alternatives."""

OFFERED = frozenset({"date", "time", "datetime", "quantity", "number", "money"})
"""Types of which the agent offers another value than the caller's; a name or number of the caller's it
can only have misread."""


@dataclass(frozen=True, slots=True, repr=False)
class Proposal:
    """A value for a slot, in the agent's words; `rival` is the other that they may mean."""

    value: Any
    spoken: str
    rival: Any = None

    def __repr__(self) -> str:
        return "<Proposal>"


@dataclass(frozen=True, slots=True, repr=False)
class Offers:
    """What a question proposes.

    Args:
        meant: what a yes agrees to, by slot.
        among: every value that it names, by slot.
    """

    meant: dict[str, Proposal] = field(default_factory=dict[str, Proposal])
    among: dict[str, list[Proposal]] = field(default_factory=dict[str, list[Proposal]])

    def __repr__(self) -> str:
        return f"<Offers slots={len(self.among)}>"


def proposed(
    question: Question,
    slots: Mapping[str, SlotValue],
    grammar: Grammar,
    known: Mapping[str, Any],
    moment: Moment,
) -> Offers:
    """What the question asks a yes for, and between what it lets the caller choose.

    Args:
        question: the agent's.
        slots: what stands.
        grammar: of the call.
        known: values by slot that earlier calls told.
        moment: when and where.
    """
    if not (question.closed or (question.said is not None and question.said.hits("or"))):
        return Offers()
    said, options = _options(question, slots, grammar, moment)
    if not question.closed:
        return Offers(among=options)
    if not options:
        return Offers(_confirmed(question, slots, known))
    meant = {name: _meant(every, slots.get(name), said) for name, every in options.items()}
    return Offers({name: one for name, one in meant.items() if one is not None}, options)


def chosen(
    said: Utterance, question: Question, slots: Mapping[str, SlotValue], grammar: Grammar, moment: Moment
) -> list[Mention]:
    """The one of the agent's alternatives that an answer picks by its place: "the second one".

    Args:
        said: the answer.
        question: the agent's.
        slots: what stands.
        grammar: of the call.
        moment: when and where.
    """
    picks = said.hits("alternative")
    if len(picks) != 1 or len(said.words) > LONGEST:
        return []
    asks, options = _options(question, slots, grammar, moment)
    if asks is None or not asks.hits("or"):
        return []
    words, start = said.span(picks[0].start, picks[0].end), said.words[picks[0].start].start
    apart = {str(hit.meaning) for name in options for hit in said.hits(f"choice:{name}")}
    apart |= {str(held.value) for name, held in slots.items() if name in options and not apart}
    several = {name: every for name, every in options.items() if len(every) > 1}
    asked = {name: every for name, every in several.items() if name in question.slots}
    meant = {name: _picked(picks[0].meaning, every, apart) for name, every in (asked or several).items()}
    return [Mention(name, one.value, words, start, "correct") for name, one in meant.items() if one]


def along(mentions: Iterable[Mention], offers: Offers) -> list[Mention]:
    """What goes with the alternative that was picked by one of its values.

    Of "Thursday at ten or Friday at nine?" "Friday" is at nine.

    Args:
        mentions: the values that the answer names.
        offers: what the question proposed.
    """
    named = {mention.slot for mention in mentions}
    found: list[Mention] = []
    for mention in mentions:
        among = offers.among.get(mention.slot, [])
        at = [i for i, one in enumerate(among) if same(one.value, mention.value)]
        if len(among) < 2 or len(at) != 1 or mention.stance in ("deny", "refuse", "asked"):
            continue
        for name, every in offers.among.items():
            if name not in named and len(every) == len(among):
                found.append(Mention(name, every[at[0]].value, every[at[0]].spoken, mention.start, "correct"))
    return found


def _picked(which: str, options: list[Proposal], apart: set[str]) -> Proposal | None:
    """One of several by its place (`1`, `-1` for the last), the `early` or `late` or the `other` one.

    `apart`: values of which it is the other.
    """
    if which == "other":
        others = [one for one in options if str(one.value) not in apart]
        return others[0] if len(others) == 1 else None
    if which in ("early", "late"):
        ordered = sorted(options, key=lambda one: str(one.value))
        return ordered[0 if which == "early" else -1]
    at = int(which)
    at = at if at < 0 else at - 1
    return options[at] if at < len(options) else None


def _options(
    question: Question, slots: Mapping[str, SlotValue], grammar: Grammar, moment: Moment
) -> tuple[Utterance | None, dict[str, list[Proposal]]]:
    """The question, and every value that it names by slot, as they stand in it."""
    options = {
        name: [Proposal(value, spoken) for value, spoken in offered]
        for name, offered in question.offered.items()
    }
    if not question.words or question.said is None:
        return None, options
    # Typed values are read back in other words than they were said in: parse the question too.
    said = read(question.words, question.said.language, grammar)
    typed = dict[str, list[Proposal]]()
    for name, one in _typed(said, question, slots, grammar, moment):
        every = typed.setdefault(name, [])
        if all(not same(one.value, other.value) for other in every):
            every.append(one)
    for name, every in options.items():
        parsed = typed.get(name, [])
        typed[name] = [one for one in every if not _read_again(one, parsed)] + parsed
    return said, typed


def _read_again(one: Proposal, parsed: list[Proposal]) -> bool:
    """Whether a value found by its words was also read from them, in full ("Friday at nine am?")."""
    words = one.spoken.casefold()
    return any(same(one.value, new.value) or (words and words in new.spoken.casefold()) for new in parsed)


def _confirmed(
    question: Question, slots: Mapping[str, SlotValue], known: Mapping[str, Any]
) -> dict[str, Proposal]:
    """What our own next step wanted confirmed, where the agent's words name no value."""
    name = question.confirming
    if name in slots:
        held = slots[name]
        return {name: Proposal(held.value, held.spoken)} if held.asked is None else {}
    return {name: Proposal(known[name], str(known[name]))} if name in known else {}


def _meant(options: list[Proposal], held: SlotValue | None, said: Utterance | None) -> Proposal | None:
    """The one of several values that a yes agrees to: not what stands, but what it would be changed to."""
    if len(options) == 1:
        return options[0]
    if held is None or said is None or any(hit.end < len(said.words) for hit in said.hits("or")):
        return None
    others = [one for one in options if not same(one.value, held.value)]
    if len(others) != 1:
        return None
    if said.hits("keep"):
        return next(one for one in options if one is not others[0])
    return others[0]


def _typed(
    said: Utterance, question: Question, slots: Mapping[str, SlotValue], grammar: Grammar, moment: Moment
) -> Iterable[tuple[str, Proposal]]:
    values = find_values(said, grammar, moment, question.slots, slots)
    for mention in sorted(values, key=lambda one: one.start):
        slot, held = grammar.schema.slot(mention.slot), slots.get(mention.slot)
        if slot is None or mention.stance in ("deny", "refuse"):
            continue
        value = mention.value if held is None else _as_held(mention, slot, held, moment)
        ours = held is not None and (same(held.value, value) or same(held.asked, value))
        first, last = said.part(said.index(mention.start))
        bounded = any(first <= hit.start < last for hit in said.hits("bound"))
        if ours or (not bounded and (held is None or slot.type in OFFERED)):
            either = held is None and slot.type == "time" and mention.either_half
            yield mention.slot, Proposal(value, mention.spoken, undecided(value, said) if either else None)


def _as_held(mention: Mention, slot: Slot, held: SlotValue, moment: Moment) -> Any:
    """The agent's value, read by what stands: of next Friday one says "Friday", of 19:00 "seven"."""
    said = completed(mention, slot, held, moment)
    if not (isinstance(held.value, str) and isinstance(said.value, str)):
        return said.value
    if slot.type == "time" and said.either_half:
        return nearest(said.value, held.value)
    if said.day_part == "weekday" and slot.type in ("date", "datetime"):
        days = [date.fromisoformat(value[:10]).weekday() for value in (said.value, held.value)]
        return held.value if days[0] == days[1] else said.value
    return said.value
