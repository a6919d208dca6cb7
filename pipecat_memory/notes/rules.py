"""The update rules: what one mention does to one slot. A table, read top to bottom.

Confirmed beats inferred. Explicit replaces (or asks, where the slot says so); a correction always
replaces; what is hedged, asked about or badly heard never overwrites a confirmed value. What the
caller asks us about the caller ("did I say Friday?") sets nothing at all; a rival of what stands is asked.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from pipecat_memory.notes.mention import Mention, same
from pipecat_memory.records.call_state import Confidence, SlotValue
from pipecat_memory.records.schema import MemorySchema, Slot

Voice = Literal["caller", "uncertain", "other"]
"""Who speaks: the caller; the caller perhaps (a promoted or low-trust transcript); somebody else."""


@dataclass(frozen=True, slots=True)
class Occasion:
    """What holds for all mentions of one turn. `sure` = the words themselves were heard surely."""

    turn: int
    at: str
    voice: Voice = "caller"
    sure: bool = True


def updated(held: SlotValue | None, said: Mention, slot: Slot, now: Occasion) -> SlotValue | None:
    """What stands in the slot after the mention; None = nothing.

    Words that may mean two values ("at eight") leave the likelier one standing and ask for both.
    """
    after = _updated(held, said, slot, now)
    if said.rival is None or after is None or after.turn != now.turn or not same(after.value, said.value):
        return after
    unsure: Confidence = "inferred" if after.confidence == "confirmed" else after.confidence
    return replace(after, confidence=unsure, asked=said.rival, asked_spoken=said.spoken)


def _updated(held: SlotValue | None, said: Mention, slot: Slot, now: Occasion) -> SlotValue | None:
    if said.stance == "asked":
        return _asked(held, said, slot, now)
    if slot.multi:
        return _listed(held, said, now)
    if said.stance == "deny":
        return _denied(held, said, now)
    if now.voice != "caller":
        return _unproven(held, said, now)
    if said.stance == "unsure":
        return _ambiguous(held, said, now)
    return _stated(held, said, slot, now)


def _stated(held: SlotValue | None, said: Mention, slot: Slot, now: Occasion) -> SlotValue:
    """An explicit value: asserted or corrected."""
    confidence: Confidence = "confirmed" if now.sure else "inferred"
    if held is None:
        return _new(said, now, confidence)
    if same(held.value, said.value):
        if held.confidence == "confirmed":
            return replace(held, asked=None, asked_spoken="")
        # Said again, or said now where it was only implied: two hearings of one value are sure.
        again = held.confidence == "inferred" and held.turn != now.turn
        surer: Confidence = "confirmed" if now.sure or again else "inferred"
        return replace(held, confidence=surer, asked=None, asked_spoken="")
    if held.confidence != "confirmed" or said.stance == "correct" or _completes(said.value, held.value):
        return _new(said, now, confidence)
    chosen = held.asked is not None and same(held.asked, said.value)
    if now.sure and (slot.on_conflict == "replace" or chosen):
        return _new(said, now, confidence)
    return _question(held, said)


def _completes(value: Any, held: Any) -> bool:
    """Whether a value is the one that stands with what it lacked: the day's time, the time's day."""
    if not (isinstance(value, str) and isinstance(held, str)) or "T" not in value or "T" in held:
        return False
    day, clock = value.split("T", 1)
    return held == day or clock.startswith(held)


def _ambiguous(held: SlotValue | None, said: Mention, now: Occasion) -> SlotValue:
    """Hedged or asked about: the best guess where nothing surer stands, else a question."""
    if held is None:
        return _new(said, now, "inferred")
    if same(held.value, said.value):
        return replace(held, confidence="inferred") if held.confidence == "pending" else held
    return _new(said, now, "inferred") if held.confidence == "pending" else _question(held, said)


def _asked(held: SlotValue | None, said: Mention, slot: Slot, now: Occasion) -> SlotValue | None:
    """The caller asks what we know: nothing is set, and what stands otherwise is named beside it."""
    if held is None or slot.multi or now.voice == "other" or same(held.value, said.value):
        return held
    return _question(held, said)


def _unproven(held: SlotValue | None, said: Mention, now: Occasion) -> SlotValue | None:
    """Another voice changes nothing; an uncertain transcript may raise a question."""
    if held is None:
        return _new(said, now, "pending")
    if now.voice == "other" or same(held.value, said.value):
        return held
    return _question(held, said)


def _denied(held: SlotValue | None, said: Mention, now: Occasion) -> SlotValue | None:
    if held is None or now.voice != "caller":
        return held
    if said.value is None or same(held.value, said.value):
        if held.asked is not None and said.value is not None:
            # Of the two values in question one is out: the other stands.
            return SlotValue(held.asked, held.asked_spoken, "confirmed", now.turn, now.at)
        return None
    if held.asked is not None and same(held.asked, said.value):
        return replace(held, confidence="confirmed", asked=None, asked_spoken="")
    return held


def _listed(held: SlotValue | None, said: Mention, now: Occasion) -> SlotValue | None:
    """A slot with several values: a new one joins, a denied one leaves."""
    items: list[Any] = list(held.value) if held is not None else []
    there = [item for item in items if same(item, said.value)]
    if said.stance == "deny":
        if held is None or now.voice != "caller":
            return held
        left = [] if said.value is None else [item for item in items if item not in there]
        return (
            replace(held, value=left, turn=now.turn, at=now.at)
            if left and left != items
            else (held if left else None)
        )
    if now.voice != "caller":
        if held is None:
            return SlotValue([said.value], said.spoken, "pending", now.turn, now.at)
        return held if there or now.voice == "other" else _question(held, said)
    sure: Confidence = "confirmed" if said.stance != "unsure" and now.sure else "inferred"
    if held is None or held.confidence == "pending":
        return SlotValue([said.value], said.spoken, sure, now.turn, now.at)
    if there:
        return replace(held, confidence=sure) if held.confidence != "confirmed" and len(items) == 1 else held
    if said.stance == "unsure" and held.confidence == "confirmed":
        return _question(held, said)
    both: Confidence = "confirmed" if sure == held.confidence == "confirmed" else "inferred"
    spoken = said.spoken if held.turn != now.turn else f"{held.spoken}, {said.spoken}"
    return SlotValue([*items, said.value], spoken, both, now.turn, now.at)


def confirmed(held: SlotValue, value: Any, spoken: str, now: Occasion) -> SlotValue:
    """The caller agreed to a value that was read back."""
    if same(held.value, value):
        return replace(held, confidence="confirmed", asked=None, asked_spoken="")
    return SlotValue(value, spoken, "confirmed", now.turn, now.at)


def reopened(held: SlotValue) -> SlotValue:
    """A slot this one depends on has changed: the value waits for a yes."""
    return replace(held, confidence="pending")


def unsettled(
    before: Mapping[str, SlotValue],
    after: Mapping[str, SlotValue],
    named: Collection[str],
    schema: MemorySchema,
) -> dict[str, SlotValue]:
    """Slots whose ground has changed wait for a yes, unless this turn names them too.

    Args:
        before: what stood.
        after: what stands after the turn.
        named: slots that the turn names.
        schema: of the call.
    """
    changed = {name for name, held in before.items() if name not in after or after[name].value != held.value}
    result = dict(after)
    todo = sorted(changed)
    while todo:
        ground = todo.pop()
        for slot in schema.slots:
            held = result.get(slot.name)
            if ground not in slot.depends_on or held is None or held != before.get(slot.name):
                continue
            if held.confidence != "pending" and slot.name not in named:
                result[slot.name] = reopened(held)
                todo.append(slot.name)
    return result


def _new(said: Mention, now: Occasion, confidence: Confidence) -> SlotValue:
    return SlotValue(said.value, said.spoken, confidence, now.turn, now.at)


def _question(held: SlotValue, said: Mention) -> SlotValue:
    return replace(held, asked=said.value, asked_spoken=said.spoken)
