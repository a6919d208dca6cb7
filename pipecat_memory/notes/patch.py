"""What a model found in a turn, as the notes take it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from pipecat_memory.notes.choice_words import match_choice
from pipecat_memory.notes.grammar import Grammar
from pipecat_memory.notes.mention import Mention, Moment
from pipecat_memory.notes.rules import Occasion, updated
from pipecat_memory.notes.steps import merge_completed, merge_pending, short
from pipecat_memory.notes.written_value import written
from pipecat_memory.records.call_state import CallState, SlotValue
from pipecat_memory.records.schema import Slot


@dataclass(frozen=True, slots=True, repr=False)
class SlotFinding:
    """A slot value the model found, with the caller's words it found it in (already grounded)."""

    name: str
    value: Any
    quote: str
    explicit: bool = True

    def __repr__(self) -> str:
        return f"<SlotFinding {self.name}>"


@dataclass(frozen=True, slots=True, repr=False)
class DeepPatch:
    """The deep path's result for one turn."""

    slots: tuple[SlotFinding, ...] = ()
    task: str | None = None
    goal: str | None = None
    topic: str | None = None
    pending_steps: tuple[str, ...] = ()
    completed_steps: tuple[str, ...] = ()
    mood: str | None = None

    def __repr__(self) -> str:
        return f"<DeepPatch slots={len(self.slots)}>"


def enter(state: CallState, found: DeepPatch, grammar: Grammar, moment: Moment, now: Occasion) -> CallState:
    """The state with a patch merged into it. What does not fit the schema is left out."""
    slots = dict(state.slots)
    for finding in found.slots:
        slot = grammar.schema.slot(finding.name)
        if slot is None:
            continue
        for value in finding.value if isinstance(finding.value, (list, tuple)) else [finding.value]:
            mention = _mention(slot, value, finding, moment)
            held = slots.get(slot.name)
            if mention is None or _later(held, slot, now.turn):
                continue
            after = updated(held, mention, slot, replace(now, sure=mention.heard == 1.0))
            if after is not None:
                slots[slot.name] = after
    pending = merge_pending(
        state.pending_steps, found.pending_steps, (*state.completed_steps, *found.completed_steps)
    )
    return replace(
        state,
        slots=slots,
        task=short(found.task) or state.task,
        goal=short(found.goal) or state.goal,
        topic=short(found.topic) or state.topic,
        mood=short(found.mood) or state.mood,
        pending_steps=pending,
        completed_steps=merge_completed(state.completed_steps, found.completed_steps),
        step=pending[0] if pending else None,
    )


def _mention(slot: Slot, value: Any, finding: SlotFinding, moment: Moment) -> Mention | None:
    """A finding as a mention; surely heard only where the value stands in the quote as it is."""
    kept = match_choice(slot, str(value)) if slot.values else written(value, slot, moment)
    if kept is None:
        return None
    literal = isinstance(value, str) and value.casefold() in finding.quote.casefold()
    stance = "assert" if finding.explicit and finding.quote else "unsure"
    spoken = value if literal else finding.quote
    return Mention(slot.name, kept, spoken or str(value), 0, stance, 1.0 if literal else 0.0)


def _later(held: SlotValue | None, slot: Slot, turn: int) -> bool:
    """Whether the slot has moved on: later words, or the same words surely heard already."""
    if held is None or slot.multi:
        return False
    return held.turn > turn or (held.turn == turn and held.confidence == "confirmed")
