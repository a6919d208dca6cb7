"""What of the notes outlives the call: slots about the person, and what was left unfinished."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from pipecat_memory.notes.book import Notes
from pipecat_memory.notes.name_quote import name_quote
from pipecat_memory.notes.personal import filed
from pipecat_memory.records.call_state import Change, SlotValue
from pipecat_memory.records.faults import pointer
from pipecat_memory.records.schema import Slot
from pipecat_memory.records.summary import OpenItem

FACT_KEYS = {"allergies": "allergy", "preferences": "preference"}
"""Plural slots and the key of one fact out of them."""

LAST_NAME = "last_name"
"""Key of a last name that was said without a first one."""

UNSETTLED = ("abandoned", "failed", "transferred")
"""Outcomes after which what was asked for is taken as not done."""

IMPORTANCE = 0.5


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class LastingSlot:
    """One value about the person, ready to become a claim, with the words that support it."""

    slot: str
    key: str
    kind: str
    value: Any
    text: str
    spoken: str
    quote: str
    op: Literal["set", "add", "retract"]
    turn: int
    at: str
    explicit: bool
    importance: float = IMPORTANCE
    language: str | None = None
    sensitive: bool = False

    def __repr__(self) -> str:
        return f"<LastingSlot {self.slot}>"


def lasting(notes: Notes) -> list[LastingSlot]:
    """The slots about the person that the caller set in this call. Secret and pending ones stay out."""
    found: list[LastingSlot] = []
    for slot in notes.schema.slots:
        held = notes.state.slots.get(slot.name)
        if held is None or slot.secret or held.confidence == "pending" or filed(slot) is None:
            continue
        # The last name alone says nothing of the whole one.
        label = "last name" if notes.halves.get(slot.name) == "family" else slot.label
        for value in held.value if slot.multi else [held.value]:
            change = _cause(notes, slot, value)
            quote = change.quote if change is not None else None
            if change is not None and quote and slot.type == "name" and change.by == "caller":
                quote = name_quote(notes, slot.name, str(value), quote)
            if change is None or not quote:
                continue
            spoken = str(value) if slot.multi else held.spoken
            one = _lasting(slot, value, spoken, quote, change.turn, held.at)
            if label != slot.label:
                one = replace(one, key=LAST_NAME, text=f"{label}: {value}")
            op = "add" if slot.multi else "set"
            found.append(replace(one, op=op, explicit=held.confidence == "confirmed"))
    return found + _taken_back(notes)


def _taken_back(notes: Notes) -> list[LastingSlot]:
    """Items of lists about the person that the caller denied: an earlier call may have told them."""
    found: list[LastingSlot] = []
    for denial in notes.denied:
        slot = notes.schema.slot(denial.slot)
        if slot is None or slot.secret or not slot.multi or filed(slot) is None:
            continue
        held = notes.state.slots.get(slot.name)
        if held is not None and denial.value in held.value:
            continue
        said = str(denial.value)
        one = _lasting(slot, denial.value, said, denial.quote, denial.turn, denial.at)
        found.append(replace(one, op="retract", text=f"{slot.label}: not {denial.value}"))
    return found


def _lasting(slot: Slot, value: Any, spoken: str, quote: str, turn: int, at: str) -> LastingSlot:
    """A value of a slot about the person, stated plainly."""
    kind, importance = filed(slot) or ("fact", IMPORTANCE)
    return LastingSlot(
        slot=slot.name,
        key=FACT_KEYS.get(slot.name, slot.name),
        kind=kind,
        value=value,
        text=f"{slot.label}: {value}",
        spoken=spoken,
        quote=quote,
        op="set",
        turn=turn,
        at=at,
        explicit=True,
        importance=importance,
        sensitive=slot.sensitive,
    )


def unfinished(notes: Notes, outcome: str = "completed") -> list[OpenItem]:
    """What is still to be done, each with what and when.

    Pending steps and open questions always are (those too that the end of the call settled). What stands
    is where a required slot stayed empty or the call broke off (`UNSETTLED`): a model's steps and open
    questions come beside it, never in its place.
    """
    state = notes.state
    what = state.task or state.goal or state.topic
    begun = [
        s
        for s in notes.schema.slots
        if s.name in state.slots and filed(s) is None and not (s.secret or s.sensitive)
    ]
    when, due = _when(notes, begun), _due(notes, begun)
    noted = {s.name: h.value for s in begun if _stands(h := state.slots[s.name])}
    plain = ", ".join(f"{s.label} {_shown(state.slots[s.name].value)}" for s in begun)
    missing = [s for s in notes.schema.slots if s.required and s.name not in state.slots]
    items = [
        OpenItem(title=_title(step, when), plain=plain, slots=noted, due=due, turn=_last(notes))
        for step in state.pending_steps
    ]
    sure = {name: value for name, value in noted.items() if not _settled(notes, name)}
    if sure and (missing or outcome in UNSETTLED):
        stands = ", ".join(f"{s.label} {_shown(sure[s.name])}" for s in begun if s.name in sure)
        title = f"{what}: {stands}" if what else stands
        items.append(OpenItem(title=title, plain=stands, slots=sure, due=due, turn=_last(notes)))
    for name, held in state.slots.items():
        slot = notes.schema.slot(name)
        if slot is None or slot.secret or slot.sensitive:
            continue
        if held.asked is not None or held.confidence == "pending" or _settled(notes, name):
            rival = f" or {_shown(held.asked)}" if held.asked is not None else ""
            values = f": {_shown(held.value)}{rival}"
            items.append(
                OpenItem(
                    title=_title(f"confirm {slot.label}{values}", what),
                    plain=f"confirm {slot.label}{'' if filed(slot) else values}",
                    slot=name,
                    value=held.value,
                    slots=noted | {name: held.value},
                    due=due,
                    turn=held.turn,
                )
            )
    return items


def _settled(notes: Notes, name: str) -> bool:
    """Whether a value waited for a yes until the call was over: kept as a guess, and asked next time."""
    changes = [c for c in notes.changes if c.path.startswith(f"/slots/{pointer(name)}/")]
    return bool(changes) and (changes[-1].before, changes[-1].after) == ("pending", "inferred")


def _stands(held: SlotValue) -> bool:
    return held.confidence != "pending" and held.asked is None


def _cause(notes: Notes, slot: Slot, value: Any) -> Change | None:
    """The last change that brought this value in."""
    path = f"/slots/{pointer(slot.name)}/value"
    for change in reversed(notes.changes):
        if change.path != path or change.by not in ("caller", "model", "dtmf"):
            continue
        after = change.after if slot.multi and isinstance(change.after, list) else [change.after]
        before = change.before if slot.multi and isinstance(change.before, list) else [change.before]
        if value in after and value not in before:
            return change
    return None


def _when(notes: Notes, slots: list[Slot]) -> str | None:
    """Day and time of the call's business, as they stand."""
    parts = [
        str(notes.state.slots[slot.name].value)
        for kind in ("datetime", "date", "time")
        for slot in slots
        if slot.type == kind
    ]
    return " ".join(dict.fromkeys(parts)) or None


def _due(notes: Notes, slots: list[Slot]) -> str | None:
    for slot in slots:
        value = notes.state.slots[slot.name].value
        if slot.type in ("date", "datetime") and isinstance(value, str):
            return value
    return None


def _title(what: str, more: str | None) -> str:
    return f"{what} ({more})" if more and more not in what else what


def _shown(value: Any) -> str:
    return ", ".join(str(v) for v in value) if isinstance(value, list) else str(value)


def _last(notes: Notes) -> int:
    return notes.changes[-1].turn if notes.changes else 0
