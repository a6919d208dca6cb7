"""A yes or no to what the agent asked."""

from __future__ import annotations

from typing import Any, Protocol

from pipecat_memory.notes.grammar import Grammar
from pipecat_memory.notes.known import Known
from pipecat_memory.notes.listen import Listening
from pipecat_memory.notes.mention import Mention, Moment, same
from pipecat_memory.notes.question import Question
from pipecat_memory.notes.rules import Occasion, confirmed, reopened, updated
from pipecat_memory.notes.utterance import read
from pipecat_memory.notes.values import find_values
from pipecat_memory.records.call_state import SlotValue


class HasGrammar(Protocol):
    """The part of the notes that is needed here."""

    @property
    def grammar(self) -> Grammar: ...
    @property
    def known(self) -> Known: ...


def agree(
    slots: dict[str, SlotValue],
    question: Question,
    listening: Listening,
    mentions: list[Mention],
    notes: HasGrammar,
    moment: Moment,
    now: Occasion,
) -> dict[str, SlotValue]:
    """The slots after the caller's yes or no.

    Yes confirms what was read back; no takes it away. A slot that the caller names anew in the
    same breath is left to that.
    """
    if not question.closed:
        return slots
    named = {mention.slot for mention in mentions}
    after = dict(slots)
    for name, value, spoken in _read_back(question, slots, notes, moment, listening):
        slot = notes.grammar.schema.slot(name)
        if slot is None or name in named:
            continue
        held = after.get(name)
        if listening.answer:
            if slot.multi and held is not None:
                values = [value] if not isinstance(value, list) else value
                if all(v in held.value for v in values):
                    after[name] = confirmed(held, held.value, held.spoken, now)
                continue
            fresh = SlotValue([value] if slot.multi else value, spoken, "confirmed", now.turn, now.at)
            after[name] = confirmed(held, value, spoken, now) if held else fresh
        elif held is not None:
            left = updated(held, Mention(name, value, spoken, 0, "deny"), slot, now)
            if left is None:
                after.pop(name)
            else:
                after[name] = left
    return after


def given_up(slots: dict[str, SlotValue], question: Question, listening: Listening) -> dict[str, SlotValue]:
    """The slots where the caller puts forward something that we didn't catch.

    After "there is no X", a "what about ..." of which no value was understood leaves X in doubt, and so
    does "something else" beside the slot's own name at any time.
    """
    said = listening.said
    labels = {hit.meaning for hit in said.hits("label")}
    refused = labels if said.hits("another") else set[str]()
    if said.hits("suggest") and labels <= question.unmet:
        named = {n for n in question.unmet if n in slots and slots[n].value in question.named.get(n, ())}
        refused = refused | named | labels
    return {n: reopened(held) if n in refused else held for n, held in slots.items()}


def _read_back(
    question: Question,
    slots: dict[str, SlotValue],
    notes: HasGrammar,
    moment: Moment,
    listening: Listening,
) -> list[tuple[str, Any, str]]:
    """Slot, value and words of what the question asked a yes for."""
    found = [(name, *options[0]) for name, options in question.offered.items() if len(options) == 1]
    several = {name for name, options in question.offered.items() if len(options) > 1}
    known = {name for name, _, _ in found} | several
    if question.words:
        # Typed values are read back in other words than they were said in: parse the question too.
        said = read(question.words, listening.said.language, notes.grammar)
        read_back = find_values(said, notes.grammar, moment, question.slots, slots.__contains__)
        counts = [mention.slot for mention in read_back]
        for mention in read_back:
            held = slots.get(mention.slot)
            ours = held is None or same(held.value, mention.value) or same(held.asked, mention.value)
            if mention.slot not in known and counts.count(mention.slot) == 1 and ours:
                found.append((mention.slot, mention.value, mention.spoken))
                known.add(mention.slot)
    if not found and not several and question.confirming in slots:
        held = slots[question.confirming]
        if held.asked is None:
            found.append((question.confirming, held.value, held.spoken))
    elif not found and not several and question.confirming in notes.known.values:
        value = notes.known.values[question.confirming]
        found.append((question.confirming, value, str(value)))
    return found
