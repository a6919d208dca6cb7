"""What a stance comes to, given what stands and what was asked."""

from __future__ import annotations

from dataclasses import replace

from pipecat_memory.notes.mention import Mention, same
from pipecat_memory.notes.proposal import Offers, Proposal
from pipecat_memory.notes.question import Question
from pipecat_memory.notes.taken_back import places
from pipecat_memory.notes.utterance import Stance
from pipecat_memory.records.call_state import SlotValue
from pipecat_memory.records.schema import Slot


def resolved(
    said: Mention,
    slot: Slot,
    held: SlotValue | None,
    question: Question,
    answer: bool | None,
    offers: Offers,
) -> Mention:
    """The mention with a stance the rules know: assert, correct, deny or unsure.

    Args:
        said: the mention.
        slot: the slot it is for.
        held: what stands in it.
        question: what the agent asked.
        answer: the yes or no at the head of the turn.
        offers: what the question proposed; who says it again takes it.
    """
    offer, among = offers.meant.get(slot.name), offers.among.get(slot.name, [])
    read_back = held is not None and offer is not None and same(offer.value, held.value)
    if said.relative and answer and held is not None and read_back:
        return replace(said, value=held.value, stance="assert")  # "yes, an hour later": so it stands by now
    if not said.tied and said.stance in ("assert", "suggest"):
        return said.meant("unsure")
    if (
        offer is not None
        and answer is not False
        and said.stance == "assert"
        and same(offer.value, said.value)
    ):
        return said.meant("correct")
    if offer is not None and said.stance == "assert" and not same(offer.value, said.value):
        return said.meant("correct")  # against what we read back, a yes before it or not
    if len(among) > 1 and said.stance == "assert" and any(same(one.value, said.value) for one in among):
        return said.meant("correct")  # one of those that we let choose from
    refused = answer is False and question.closed and slot.name in question.slots
    if (refused or slot.name in question.unmet) and said.stance in ("assert", "suggest"):
        return said.meant("correct")  # what was just refused, or cannot be had, is given up
    if said.stance == "suggest":
        return said.meant("unsure" if slot.on_conflict == "ask" else "assert")
    if said.stance == "refuse":
        return said.meant(_refusal(said, slot, held, question, offer))
    return said


def _refusal(
    said: Mention, slot: Slot, held: SlotValue | None, question: Question, offer: Proposal | None
) -> Stance:
    """A bare "no X": a denial of what stands or was offered, or "no" to us and then the right value."""
    offered = [value for value, _ in question.offered.get(slot.name, [])]
    if slot.multi or any(same(value, said.value) for value in offered):
        return "deny"
    if offer is not None and not same(offer.value, said.value):
        return "correct"  # "Fifty euros?" "no, five hundred"
    spoken_of = question.named.get(slot.name, set())
    if said.value in spoken_of:
        return "deny"
    if spoken_of or offered or held is None:
        return "correct"
    if slot.type == "name" and question.closed and question.said is not None:
        # A name is not parsed: "Is it Joan Carter?" "No, John Carter" is no denial of it.
        return "deny" if any(places(question.said, str(held.value))) else "correct"
    return "deny" if same(held.value, said.value) else "correct"
