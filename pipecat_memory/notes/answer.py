"""A yes or no to what the agent asked."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from pipecat_memory.notes.grammar import Grammar
from pipecat_memory.notes.listen import Listening
from pipecat_memory.notes.mention import Mention, same
from pipecat_memory.notes.proposal import Proposal
from pipecat_memory.notes.question import Question
from pipecat_memory.notes.rules import Occasion, confirmed, reopened, updated
from pipecat_memory.notes.shift import vaguely_shifted
from pipecat_memory.records.call_state import SlotValue
from pipecat_memory.records.schema import MemorySchema


def agree(
    slots: dict[str, SlotValue],
    proposed: Mapping[str, Proposal],
    listening: Listening,
    mentions: list[Mention],
    schema: MemorySchema,
    now: Occasion,
) -> dict[str, SlotValue]:
    """The slots after the caller's yes or no to what the agent proposed.

    Yes takes it, no refuses it. A slot that the caller names anew in the same breath is left to that.

    Args:
        slots: what stands.
        proposed: what the question asked a yes for.
        listening: the turn.
        mentions: the values it names.
        schema: of the call.
        now: the turn's occasion.
    """
    named = {mention.slot for mention in mentions}
    left = {name: one for name, one in proposed.items() if name not in named}
    if not listening.answer:
        kept = _put_right(slots, proposed, mentions, schema)
        return _refused(kept, left, len(proposed), listening, named, schema, now)
    after = dict(slots)
    for name, one in left.items():
        slot, held = schema.slot(name), slots.get(name)
        if slot is None:
            continue
        if slot.multi and held is not None:
            values = one.value if isinstance(one.value, list) else [one.value]
            if all(value in held.value for value in values):
                after[name] = confirmed(held, held.value, held.spoken, now)
            continue
        fresh = SlotValue([one.value] if slot.multi else one.value, one.spoken, "confirmed", now.turn, now.at)
        if one.rival is not None:  # "half past seven?" "yes", and of which half of the day?
            fresh = replace(fresh, confidence="inferred", asked=one.rival, asked_spoken=one.spoken)
        after[name] = confirmed(held, one.value, one.spoken, now) if held else fresh
    return after


def _put_right(
    slots: dict[str, SlotValue],
    proposed: Mapping[str, Proposal],
    mentions: list[Mention],
    schema: MemorySchema,
) -> dict[str, SlotValue]:
    """The slots without a list of one thing that was read back and refused for another ("no, seeds")."""
    after = dict(slots)
    for mention in mentions:
        slot, held, one = schema.slot(mention.slot), after.get(mention.slot), proposed.get(mention.slot)
        if slot is None or not slot.multi or held is None or one is None or mention.stance == "deny":
            continue
        read_back = one.value if isinstance(one.value, list) else [one.value]
        if len(held.value) == 1 and held.value == read_back and not same(held.value[0], mention.value):
            if mention.stance == "refuse":  # "no seeds": none, or no and then seeds
                after[mention.slot] = reopened(held)
            else:
                after.pop(mention.slot)
    return after


def _refused(
    slots: dict[str, SlotValue],
    left: dict[str, Proposal],
    asked: int,
    listening: Listening,
    named: Collection[str],
    schema: MemorySchema,
    now: Occasion,
) -> dict[str, SlotValue]:
    """A no to one value takes it away. Of several it says only that one is wrong.

    What the caller names, as a value or by its slot, is what is wrong; else each of several waits for a
    yes of its own.
    """
    labelled = {hit.meaning for hit in listening.said.hits("label")} & set(left)
    denied = list(left) if asked == 1 and not named else sorted(labelled)
    after = dict(slots)
    for name in denied:
        slot, held = schema.slot(name), slots.get(name)
        if slot is None or held is None:
            continue
        said = Mention(name, left[name].value, left[name].spoken, 0, "deny")
        kept = updated(held, said, slot, now)
        if kept is None:
            after.pop(name)
        else:
            after[name] = kept
    if asked > 1 and not (named or labelled):
        for name, one in left.items():
            held = slots.get(name)
            if held is not None and same(held.value, one.value):
                after[name] = reopened(held)
    return after


def given_up(
    slots: dict[str, SlotValue], question: Question, listening: Listening, grammar: Grammar
) -> dict[str, SlotValue]:
    """The slots where the caller puts forward something that we didn't catch.

    After "there is no X", a "what about ..." of which no value was understood leaves X in doubt, and so
    does "something else" beside the slot's own name at any time, and "a bit later" the time.
    """
    said = listening.said
    labels = {hit.meaning for hit in said.hits("label")}
    refused = labels if said.hits("another") else set[str]()
    if later := vaguely_shifted(said, grammar, slots):
        refused = refused | {later}
    if said.hits("suggest") and labels <= question.unmet:
        named = {n for n in question.unmet if n in slots and slots[n].value in question.named.get(n, ())}
        refused = refused | named | labels
    return {n: reopened(held) if n in refused else held for n, held in slots.items()}
