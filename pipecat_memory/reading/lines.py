"""The lines of a briefing, part by part. Each has an id, so that `why` can walk back from it."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Sequence
from datetime import datetime
from typing import Any

from ..notes.open_questions import questions
from ..records.call_state import CallState, NextStep, SlotValue
from ..records.fact import Fact
from ..records.head import ASKED, rank
from ..records.schema import MemorySchema
from ..records.summary import OpenItem, Summary
from ..records.turn import HistoryItem, ToolRecord
from .briefing import Line, plain
from .entry import Entry, Hit
from .preload import Unsettled, Visible

RAW_TURNS = 6
"""Raw last turns told of a call whose write-back is unfinished."""
OPEN_ITEMS = 5
"""The newest of them."""
RECENT_TURNS = 12
"""More do not fit the changing block's budget beside what matters more."""


def stable_lines(seen: Visible, *, now: datetime, dump_below: int) -> list[Line]:
    """What is known of the caller; frozen for the call, so `now` is the call's start."""
    lines: list[Line] = []
    if seen.name:
        lines.append(Line("name", "profile", f"Goes by: {plain(seen.name, 60)}"))
    lines += [
        Line(f"open{i + 1}", "open_items", f"Left open: {plain(item.title)}{_over(item, now)}")
        for i, item in enumerate(seen.open_items[-OPEN_ITEMS:])
    ]
    if seen.summary is not None:
        lines.append(_last_call(seen.summary))
    dropped = seen.dropped
    for call in seen.raw:
        broke_off = dropped is not None and call.call == dropped.call
        lines += [*_raw(call), *_notes_of(call, "before the line dropped" if broke_off else "in that call")]
    if dropped is not None and not seen.raw:
        lines += _notes_of(dropped, "before the line dropped", seen.untold)
    few = len(seen.facts) < dump_below
    facts = [f for f in seen.facts if few or f.importance >= 0.8]
    facts.sort(key=rank)
    lines += [fact_line(fact, now) for fact in facts[:dump_below]]
    lines += [_pending_line(fact, seen.facts, now) for fact in seen.unsure[:ASKED]]
    return lines


def _last_call(summary: Summary) -> Line:
    """The summary, and what the notes held that a model did not put into it."""
    said = summary.text.casefold()
    left = [f for f in summary.key_facts if f.partition(": ")[2].casefold() not in said]
    text = (
        f"{plain(summary.text)} {plain('Noted: ' + ', '.join(left) + '.')}" if left else plain(summary.text)
    )
    return Line(f"summary.{summary.call}", "summary", f"Last call ({summary.at[:10]}): {text}")


def _over(item: OpenItem, now: datetime) -> str:
    """The mark of an open item whose day has gone by: it is no longer to be done then."""
    days = [item.due] if item.due else [value for value in item.slots.values() if _is_day(value)]
    return " (in the past)" if days and all(_is_past(day, now) for day in days) else ""


def _pending_line(fact: Fact, known: Sequence[Fact], now: datetime) -> Line:
    """What waits: for its day, for a yes, or for the caller's word between it and what stands."""
    text = plain(fact.text, 160)
    if (begins := datetime.fromisoformat(fact.valid_from)) > now:
        return Line(f"fact.{fact.id}", "profile", f"From {begins:%Y-%m-%d} on: {text}")
    stands = next((other for other in known if other.id == fact.disputes), None)
    if stands is None:
        return Line(f"ask.{fact.id}", "profile", f"Unsure, to be asked when it matters: {text}")
    old = plain(stands.text, 160)
    return Line(f"ask.{fact.id}", "profile", f"Ask which holds; until then it is the first: {old} / {text}")


def fact_line(fact: Fact, now: datetime) -> Line:
    """One fact with its day; a moment that has gone by is spoken of as past."""
    about = "" if fact.subject == "caller" else f" (about {plain(fact.subject.removeprefix('other: '), 40)})"
    past = " (in the past)" if _is_past(fact.value, now) else ""
    text = f"{plain(fact.text, 220)}{about}{past}; said {fact.valid_from[:10]}"
    if plain(fact.quote, 120) and fact.quote not in fact.text:
        text += f': "{plain(fact.quote, 120)}"'
    return Line(f"fact.{fact.id}", "profile", text)


def state_lines(state: CallState, schema: MemorySchema, hidden: Container[str] = ()) -> list[Line]:
    """The notes: one line a slot, then task and steps.

    Args:
        state: the notes.
        schema: of the call. Secret slots have no line.
        hidden: names of slots whose values may not be told.
    """
    lines: list[Line] = []
    for name, value in state.slots.items():
        slot = schema.slot(name)
        if slot is not None and slot.secret:
            continue
        if name in hidden:
            lines.append(
                Line(f"note.{name}", "state", f"{name} is noted, not shown before the caller is verified")
            )
            continue
        lines.append(Line(f"note.{name}", "state", f"{name} = {_slot(value)}"))
    for label, text in (
        ("goal", state.goal),
        ("task", state.task),
        ("topic", state.topic),
        ("step", state.step),
    ):
        if text:
            lines.append(Line(f"note.{label}", "state", f"{label}: {plain(text, 160)}"))
    if state.pending_steps:
        lines.append(
            Line("note.to_do", "state", "to do: " + "; ".join(plain(s, 80) for s in state.pending_steps))
        )
    if state.completed_steps:
        done = "; ".join(plain(s, 80) for s in state.completed_steps)
        lines.append(Line("note.done", "state", f"done: {done}"))
    asked = questions(state, schema, hidden) if hidden else state.questions
    lines += [Line(f"question{i + 1}", "warnings", f"Ask: {plain(q)}") for i, q in enumerate(asked)]
    return lines


def next_line(step: NextStep) -> list[Line]:
    if step.action == "answer" and not step.hint:
        return []
    what = " ".join(x for x in (step.action, step.slot or step.tool or "") if x)
    hint = f" ({plain(step.hint, 120)})" if step.hint else ""
    return [Line("next", "next", f"Suggested next step: {what}{hint}: {plain(step.reason, 120)}")]


def cut_line(cut: tuple[str | None, str] | None) -> list[Line]:
    if cut is None:
        return []
    reply, heard = cut
    words = (
        f'the caller heard only: "{plain(heard, 240)}"' if heard else "the caller may have heard none of it"
    )
    return [Line(f"cut.{reply or 'last'}", "cut", f"The last reply was cut off; {words}")]


_ENDED = {"ok": "is done, not told yet; do not repeat it", "error": "was not done, not told yet"}


def tool_lines(tools: Iterable[ToolRecord]) -> list[Line]:
    """Results that no heard reply has followed yet: told, so that nothing that worked is done twice."""
    return [
        Line(
            f"tool.{plain(tool.id, 40)}",
            "tools",
            f"{plain(tool.name, 40)} {_ENDED[tool.status]}: {plain(_json(tool.result), 200)}",
        )
        for tool in tools
        if tool.status in _ENDED and not tool.told
    ]


def recall_lines(hits: Sequence[Hit]) -> list[Line]:
    return [
        Line(f"recall.{hit.entry.id}", "recall", f"{_origin(hit.entry)}: {plain(hit.text)}") for hit in hits
    ]


_OVER = {"superseded": ", no longer so", "partly": ", in part no longer so"}


def _origin(entry: Entry) -> str:
    """When it was said, and whether it holds; of a past turn also by whom, where it was not the caller."""
    when = f"From {entry.at[:10] or 'before'}{_OVER.get(entry.status, '')}"
    if entry.kind != "turn" or (entry.role == "user" and entry.subject == "caller"):
        return when
    return f"{when}, {'agent' if entry.role == 'assistant' else 'another voice'}"


def recent_items(history: Sequence[HistoryItem], current: int | None) -> tuple[HistoryItem, ...]:
    """The caller's last words of this call but for the current turn's, newest first."""
    recent: list[HistoryItem] = []
    for item in reversed(history):
        if item.role == "user" and item.turn != current:
            recent.append(item)
            if len(recent) == RECENT_TURNS:
                break
    return tuple(recent)


def recent_lines(recent: Sequence[HistoryItem]) -> list[Line]:
    """The caller's last words, newest first; the oldest are dropped first."""
    return [
        Line(f"turn{item.turn}", "recent", f'Turn {item.turn}, caller: "{plain(item.text, 200)}"')
        for item in recent
    ]


def _raw(call: Unsettled) -> list[Line]:
    said = [item for item in call.history if item.text][-RAW_TURNS:]
    return [
        Line(
            f"raw.{call.call}.{i + 1}",
            "summary",
            f"Call of {call.started.date().isoformat()}, {'caller' if item.role == 'user' else 'agent'}: "
            f'"{plain(item.text, 200)}"',
        )
        for i, item in enumerate(said)
    ]


def _notes_of(call: Unsettled, when: str, untold: frozenset[str] = frozenset()) -> list[Line]:
    notes = [
        Line(f"dropped.{name}", "summary", f"Noted {when}: {name} = {_slot(value)}")
        for name, value in call.slots.items()
        if name not in untold
    ]
    return notes + [Line(f"dropped.tool{i + 1}", "summary", plain(t)) for i, t in enumerate(call.tools)]


def _slot(value: SlotValue) -> str:
    shown = (
        ", ".join(plain(v, 80) for v in value.value)
        if isinstance(value.value, list)
        else plain(value.value, 120)
    )
    said = f', said "{plain(value.spoken, 80)}"' if value.spoken and value.spoken != shown else ""
    asked = "" if value.asked is None else f"; unsure: or {plain(value.asked, 80)}?"
    return f"{shown} ({value.confidence}{said}{asked})"


def _is_day(value: Any) -> bool:
    return isinstance(value, str) and len(value) >= 10 and value[4:5] == "-"


def _is_past(value: Any, now: datetime) -> bool:
    if not _is_day(value):
        return False
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return False
    if moment.tzinfo is None:
        return moment.date() < now.date()
    return moment < now


def _json(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
