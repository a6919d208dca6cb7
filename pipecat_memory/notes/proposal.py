"""What a question of the agent proposes: the values that a bare yes would agree to.

That is what it reads back, and what it offers instead: "8 pm is free, is that ok?".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from pipecat_memory.notes.grammar import Grammar
from pipecat_memory.notes.mention import Mention, Moment, same
from pipecat_memory.notes.partial_moment import completed
from pipecat_memory.notes.question import Question
from pipecat_memory.notes.spoken.times import nearest
from pipecat_memory.notes.utterance import Utterance, read
from pipecat_memory.notes.values import find_values
from pipecat_memory.records.call_state import SlotValue
from pipecat_memory.records.schema import Slot

OFFERED = frozenset({"date", "time", "datetime", "quantity", "number", "money"})
"""Types of which the agent offers another value than the caller's; a name or number of the caller's it
can only have misread."""


@dataclass(frozen=True, slots=True, repr=False)
class Proposal:
    """A value for a slot, in the agent's words."""

    value: Any
    spoken: str

    def __repr__(self) -> str:
        return "<Proposal>"


def proposed(
    question: Question,
    slots: Mapping[str, SlotValue],
    grammar: Grammar,
    known: Mapping[str, Any],
    moment: Moment,
) -> dict[str, Proposal]:
    """What the question asked a yes for, by slot; nothing where it takes no yes.

    Args:
        question: the agent's.
        slots: what stands.
        grammar: of the call.
        known: values by slot that earlier calls told.
        moment: when and where.
    """
    if not question.closed:
        return {}
    options = {
        name: [Proposal(value, spoken) for value, spoken in offered]
        for name, offered in question.offered.items()
    }
    said = None
    if question.words and question.said is not None:
        # Typed values are read back in other words than they were said in: parse the question too.
        said = read(question.words, question.said.language, grammar)
        for name, one in _typed(said, question, slots, grammar, moment):
            if all(not same(one.value, other.value) for other in options.setdefault(name, [])):
                options[name].append(one)
    if not options:
        return _confirmed(question, slots, known)
    meant = {name: _meant(every, slots.get(name), said) for name, every in options.items()}
    return {name: one for name, one in meant.items() if one is not None}


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
    for mention in find_values(said, grammar, moment, question.slots, slots):
        slot, held = grammar.schema.slot(mention.slot), slots.get(mention.slot)
        if slot is None or mention.stance in ("deny", "refuse"):
            continue
        value = mention.value if held is None else _as_held(mention, slot, held, moment)
        ours = held is not None and (same(held.value, value) or same(held.asked, value))
        first, last = said.part(said.index(mention.start))
        bounded = any(first <= hit.start < last for hit in said.hits("bound"))
        if ours or (not bounded and (held is None or slot.type in OFFERED)):
            yield mention.slot, Proposal(value, mention.spoken)


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
