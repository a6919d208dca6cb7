"""The notes of one call as one immutable value, and the few things that move them.

    open_notes -> hear, hear, ... (patch, correct, rollback whenever they come) -> settle

Every function is pure: notes in, notes out. A turn is heard again from the notes before it whenever
it grows, so what is dropped or amended leaves no trace.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from pipecat_memory.notes.answer import agree, given_up
from pipecat_memory.notes.changes import LOGGED, differences
from pipecat_memory.notes.denial import Denial, denials
from pipecat_memory.notes.evidence import Attempts, Candidates, weigh
from pipecat_memory.notes.grammar import Grammar, grammar_of
from pipecat_memory.notes.half_of_day import Setting, placed, told
from pipecat_memory.notes.heard import Heard
from pipecat_memory.notes.keyed import Pressed, keyed
from pipecat_memory.notes.known import Known
from pipecat_memory.notes.listen import listen
from pipecat_memory.notes.mention import Moment, same
from pipecat_memory.notes.open_questions import questions
from pipecat_memory.notes.partial_moment import completed
from pipecat_memory.notes.patch import DeepPatch, enter
from pipecat_memory.notes.pointers import mended
from pipecat_memory.notes.proposal import Offers, along, proposed
from pipecat_memory.notes.question import asked_by
from pipecat_memory.notes.rules import Occasion, Voice, unsettled, updated
from pipecat_memory.notes.secret import filled, unmarked
from pipecat_memory.notes.stance import resolved
from pipecat_memory.notes.tongue import spoken_in
from pipecat_memory.notes.whole_name import Half, whole
from pipecat_memory.records.call_state import By, CallState, Change, SlotValue
from pipecat_memory.records.schema import MemorySchema

HEARD_SURELY = 0.6
"""Recogniser confidence from which words count as surely heard."""

SURE_SHARE = 0.4
"""Share of the recogniser's alternatives from which a value counts as surely heard."""


@dataclass(frozen=True, slots=True, repr=False)
class Notes:
    """What is known now, how it came to be, and the schema it is held by.

    Args:
        state: the notes as they stand.
        changes: the log, oldest first.
        schema, timezone: of the call.
        grammar: the schema's phrasebooks, built once.
        candidates: the app's table: slot name to values it may have.
        profile: what is known of the caller, by fact key; only evidence, never a value.
        known: what earlier calls told, by slot; to be confirmed where it is needed.
        attempts: hearings of values that are fused (names, codes), by slot.
        language: the one spoken last.
        denied: what the caller surely denied and did not state since.
        halves: slots for whole names of which only one half was said, and which.
        pressed: the keys of the last turn, where it was one of keys.
    """

    state: CallState
    changes: tuple[Change, ...]
    schema: MemorySchema
    timezone: str
    grammar: Grammar
    candidates: Candidates | None = None
    profile: Mapping[str, Any] = field(default_factory=dict[str, Any])
    known: Known = field(default_factory=Known)
    attempts: Attempts = field(default_factory=dict[str, Any])
    language: str | None = None
    denied: tuple[Denial, ...] = ()
    halves: Mapping[str, Half] = field(default_factory=dict[str, Half])
    pressed: Pressed | None = None

    def __repr__(self) -> str:
        return f"<Notes slots={len(self.state.slots)} changes={len(self.changes)}>"


def open_notes(
    schema: MemorySchema,
    *,
    timezone: str,
    at: datetime,
    candidates: Candidates | None = None,
    profile: Mapping[str, Any] | None = None,
    known: Known | None = None,
) -> Notes:
    """Empty notes of a call that starts.

    Args:
        schema: what to listen for.
        timezone: the caller's, an IANA name.
        at: when the call starts, aware.
        candidates: the app's table of possible values for a slot.
        profile: values known of the caller by fact key; they help to hear, and set nothing.
        known: values by slot that need only be confirmed.
    """
    state = CallState(updated_at=at.isoformat())
    grammar = grammar_of(schema)
    grammar.book("en")  # built while the line is being set up, not in the first turn
    return Notes(state, (), schema, timezone, grammar, candidates, dict(profile or {}), known or Known())


def hear(notes: Notes, heard: Heard) -> Notes:
    """The notes after a caller's turn, as far as it has been said."""
    plain = unmarked(heard.text, notes.schema)
    if plain == heard.text:
        return _heard(notes, heard)
    rest = replace(heard, text=plain, nbest=())
    after = _heard(notes, rest)
    if _voice(heard) != "caller":
        return after  # as doubtful words, it was never set
    slots, before = dict(after.state.slots), notes.state.slots
    for name, value in filled(heard.text, notes.schema, heard.turn, heard.at.isoformat()).items():
        if slots.get(name) == before.get(name):  # else this turn says more for it, not masked yet
            slots[name] = value
    return _moved(after, slots, rest, "dtmf" if heard.source == "dtmf" else "caller")


def _heard(notes: Notes, heard: Heard) -> Notes:
    if not heard.text.strip() and not any(heard.nbest):
        return notes
    moment = Moment(heard.at, notes.timezone)
    slots = dict(notes.state.slots)
    language = spoken_in(heard, notes.language, notes.grammar)
    question = asked_by(
        heard.agent_said, heard.asked, slots, notes.grammar, notes.known.values, language, moment
    )
    if heard.source == "dtmf":
        now = Occasion(heard.turn, heard.at.isoformat())
        found, pressed = keyed(
            heard.text, notes.schema, question, slots, now, timezone=notes.timezone, before=notes.pressed
        )
        return _moved(replace(notes, pressed=pressed), {**slots, **found}, heard, "dtmf")
    listening = listen(heard, notes.grammar, question, moment, language, slots, notes.changes)
    voice = _voice(heard)
    trusted = heard.source == "typed" or heard.confidence is None or heard.confidence >= HEARD_SURELY
    if listening.picked:
        attempts, mentions = notes.attempts, [*listening.mentions, *listening.picked]
    else:
        attempts, mentions = weigh(notes.attempts, listening.mentions, heard, question, language, notes)
    if voice != "caller":
        attempts = notes.attempts
    now = Occasion(heard.turn, heard.at.isoformat(), voice, trusted)
    if voice == "caller" and listening.restart:
        # Begun anew: what was searched for goes, who is calling stays.
        slots = {n: v for n, v in slots.items() if (s := notes.schema.slot(n)) and s.on_conflict == "ask"}
    answered = listening.answer is not None or bool(mentions)
    offers = proposed(question, slots, notes.grammar, notes.known.values, moment) if answered else Offers()
    if voice == "caller" and listening.answer is not None:
        slots = agree(slots, offers.meant, listening, mentions, notes.schema, now)
    if voice == "caller" and not mentions:
        slots = given_up(slots, question, listening, notes.grammar)
    halves = dict(notes.halves)
    setting = Setting(listening.said, question, slots, notes.grammar, moment, notes.changes)
    named = {mention.slot for mention in mentions}
    mentions += [m for m in told(setting, listening.answer) if m.slot not in named]
    mentions += along(mentions, offers)
    for mention in mentions:
        slot = notes.schema.slot(mention.slot)
        if slot is None:
            continue
        held = slots.get(slot.name)
        entire = completed(placed(mention, slot, setting), slot, held, moment)
        if notes.grammar.naming(slot) == "full":
            known_name = notes.profile.get(slot.name)
            entire = whole(entire, held, halves.get(slot.name), known_name)
        meant = resolved(entire, slot, held, question, listening.answer, offers)
        sure = replace(now, sure=trusted and mention.heard >= SURE_SHARE)
        after = updated(held, meant, slot, sure)
        if after is None:
            slots.pop(slot.name, None)
        else:
            slots[slot.name] = after
        if after is not None and entire.part is not None and same(after.value, entire.value):
            halves[slot.name] = entire.part
        elif after is None or held is None or not same(after.value, held.value):
            halves.pop(slot.name, None)
    known, denied = notes.known, notes.denied
    if voice == "caller":
        surely = [mention for mention in mentions if trusted and mention.heard >= SURE_SHARE]
        denied = denials(denied, surely, heard)
        known = known.after(slots, question.confirming if listening.answer is False else "")
    return _moved(
        replace(
            notes,
            attempts=attempts,
            language=language,
            known=known,
            denied=denied,
            halves=halves,
            pressed=None,
        ),
        slots,
        heard,
        "caller",
        {m.slot for m in mentions if m.stance != "asked"},
    )


def _voice(heard: Heard) -> Voice:
    if not heard.is_caller:
        return "other"
    return "uncertain" if heard.trust == "low" else "caller"


def _moved(
    notes: Notes, slots: dict[str, SlotValue], heard: Heard, by: By, named: Collection[str] = ()
) -> Notes:
    reopened_too = unsettled(notes.state.slots, slots, named, notes.schema)
    ordered = {s.name: reopened_too[s.name] for s in notes.schema.slots if s.name in reopened_too}
    return logged(
        notes, replace(notes.state, slots=ordered), heard.turn, heard.at, by, heard.text.strip() or None
    )


def logged(notes: Notes, state: CallState, turn: int, at: datetime, by: By, quote: str | None) -> Notes:
    """Notes with a new state, its questions and the log brought up to it."""
    changes = differences(notes.state, state, notes.schema, turn=turn, by=by, quote=quote)
    if not changes and state == notes.state:
        return notes
    latest = max(notes.state.updated_at or "", at.isoformat())  # the model's findings come late
    state = replace(state, questions=questions(state, notes.schema), updated_at=latest)
    return replace(notes, state=state, changes=(*notes.changes, *changes)[-LOGGED:])


def patch(notes: Notes, found: DeepPatch, turn: int, at: datetime) -> Notes:
    """The model's findings for a turn, by the same rules. A late one never undoes later words."""
    moment = Moment(at, notes.timezone)
    state = enter(notes.state, found, notes.grammar, moment, Occasion(turn, at.isoformat()))
    quote = next((slot.quote for slot in found.slots if slot.quote), None)
    return logged(notes, state, turn, at, "model", quote)


def correct(notes: Notes, path: str, value: Any, by: str, at: datetime, turn: int) -> Notes:
    """A person mends the notes.

    Args:
        notes: as they stand.
        path: JSON Pointer into the state, such as `/slots/date` or `/task`.
        value: the right value; None takes it away.
        by: who, kept in the log as operator unless it is the caller.
        at: when.
        turn: the caller turn it came in.

    Raises:
        UsedWrongly: where the path leads nowhere or the value does not fit.
    """
    state = mended(
        notes.state, path, value, notes.grammar, Moment(at, notes.timezone), Occasion(turn, at.isoformat())
    )
    cause: By = "caller" if by == "caller" else "operator"
    return logged(notes, state, turn, at, cause, None)


def rollback(notes: Notes, earlier: Notes, turn: int, at: datetime) -> Notes:
    """The notes as they were earlier. The log goes on: it says what was put back."""
    after = logged(notes, earlier.state, turn, at, "operator", None)
    return replace(
        after,
        attempts=earlier.attempts,
        denied=earlier.denied,
        halves=earlier.halves,
        pressed=earlier.pressed,
    )


def settle(notes: Notes, at: datetime) -> Notes:
    """The end of the call: what waits for a yes and was never denied is kept as unconfirmed.

    Values that only a doubtful transcript or another voice gave stay pending: they were never set.
    """
    slots = dict(notes.state.slots)
    for name, held in slots.items():
        if held.confidence == "pending" and _was_set(notes, name):
            slots[name] = replace(held, confidence="inferred")
    last = notes.changes[-1].turn if notes.changes else 0
    return logged(notes, replace(notes.state, slots=slots), last, at, "caller", None)


def _was_set(notes: Notes, name: str) -> bool:
    """Whether a pending value stood before it was reopened."""
    return any(
        change.path.endswith("/confidence") and change.after == "pending" and f"/{name}/" in change.path
        for change in notes.changes
    )
