"""What a call was about: by rules without a model, by a model held to what was said, and rolling.

A transcript is data here: a question in it is reported, never answered. Numbers and names that
nobody said cost a sentence its place. A call without the caller's words gets no invented one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from ..clients.base import LanguageModel, ModelRequest, Purpose, Usage
from ..clock import Clock
from ..config import Settings
from ..errors import ModelError
from ..records.summary import OpenItem, Summary
from ..records.turn import HistoryItem
from .answer import RawSummary, read_summary
from .aside import Aside
from .ask import Choosy, ask
from .canon import canonical
from .hold import grounded, said_of, stands
from .prompting import COMPRESS_SCHEMA, SUMMARY_SCHEMA, fixed, now_line
from .quote import tokens
from .transcript import (
    HEAD,
    NOT_THE_CALLERS,
    WhoIs,
    capped,
    everybody_is_the_caller,
    one_line,
    said_in,
    transcript,
)

if TYPE_CHECKING:
    from ..calls.course import Course

QUOTED = 160
"""Characters of the caller's opening words in a summary by rules."""

LOOKED = 5
"""Characters of a transcript that are looked at in the time of one that is grounded."""

ROOM = 400
UNRESOLVED = frozenset({"abandoned", "failed", "voicemail", "no_answer"})

ENDED = (("Done", "ok"), ("Not done", "error"), ("Cut off", "cancelled"))
"""How a summary tells what became of the agent's tool calls."""


def summarise_rules(course: Course, open_items: Sequence[OpenItem] = (), *, line: str = "") -> Summary:
    """The summary without a model: what was noted, done and left open, in the caller's words.

    Args:
        course: the call.
        open_items: what its notes left unfinished.
        line: line of business.
    """
    state = course.notes.state
    secret = {slot.name for slot in course.schema.slots if slot.secret}
    spoken = _own_words(_writable(course), course)
    noted = {
        name: slot.value
        for name, slot in state.slots.items()
        if slot.confidence != "pending" and name not in secret and slot.value not in (None, "", [])
    }
    parts: list[str] = []
    if spoken:
        opening = next((text for text in spoken if len(tokens(text)) > 3), spoken[0])
        parts.append(f"The caller said: “{capped(one_line(opening), QUOTED)}”.")
        last = next((text for text in reversed(spoken) if len(tokens(text)) > 3), opening)
        if last is not opening:
            parts.append(f"Last: “{capped(one_line(last), QUOTED)}”.")
    else:
        parts.append("No words of the caller were heard.")
    if about := state.task or state.goal or state.topic:
        parts.append(f"About: {one_line(about)}.")
    if noted:
        parts.append("Noted: " + ", ".join(f"{_label(n)} {_shown(v)}" for n, v in noted.items()) + ".")
    for what, status in ENDED:
        if tools := [tool for tool in course.ledger.tools if tool.status == status]:
            parts.append(f"{what}: " + ", ".join(dict.fromkeys(_label(tool.name) for tool in tools)) + ".")
    if open_items:
        parts.append("Left open: " + "; ".join(item.title for item in open_items) + ".")
    parts.append(f"Ended: {course.outcome.replace('_', ' ')}.")
    return Summary(
        call=course.started.call,
        text=" ".join(parts),
        outcome=course.outcome,
        resolved=bool(spoken) and course.outcome not in UNRESOLVED and not open_items,
        at=course.at.isoformat(),
        key_facts=tuple(f"{_label(name)}: {_shown(value)}" for name, value in noted.items()),
        open_items=tuple(replace(item, line=line) for item in open_items),
        line=line,
    )


async def summarise(
    model: LanguageModel | None,
    *,
    call: str,
    clock: Clock,
    settings: Settings,
    course: Course,
    usage: Usage,
    fallback: Summary,
    aside: Aside | None = None,
) -> Summary:
    """The summary by a model, held to the transcript; `fallback` where there is none to be had."""
    items = [item for item in course.history() if item.trust == "high"]
    if model is None or not _own_words(items, course) or usage.tokens >= settings.call_token_budget:
        return fallback
    started = course.started
    lines = [now_line(started.at, started.timezone), f"Ended: {fallback.outcome}", "Transcript:"]
    seen = transcript(items, course.ledger.tools, course.ledger.who)
    aside = aside or Aside()
    raw = await _ask(model, "summarise", "\n".join([*lines, seen]), call, clock, settings, usage, aside)
    if raw is None:
        return fallback
    told = "\n".join((seen, *fallback.key_facts, started.at.isoformat()))
    hold = partial(held_to, told, raw, fallback, model.name)
    return await aside.run(hold, chars=len(told) // LOOKED)


async def compress(
    model: LanguageModel | None,
    *,
    call: str,
    clock: Clock,
    settings: Settings,
    items: Sequence[HistoryItem],
    earlier: str = "",
    usage: Usage,
    who: WhoIs = everybody_is_the_caller,
    aside: Aside | None = None,
) -> str:
    """The rolling summary of a long call: `earlier` and the items that leave the window, as one text.

    Always gives a text: by rules where there is no model or its answer can't be used.
    """
    by_rules = compress_rules(items, earlier, who)
    if model is None or not items or usage.tokens >= settings.call_token_budget:
        return by_rules
    seen = transcript([item for item in items if item.trust == "high"], who=who)
    lines = [f"Earlier summary: {one_line(earlier)}"] if earlier else []
    aside = aside or Aside()
    text = "\n".join([*lines, "Transcript:", seen])
    raw = await _ask(model, "compress", text, call, clock, settings, usage, aside)
    if raw is None:
        return by_rules
    found = await aside.run(lambda: grounded(raw.text, said_of(text)), chars=len(text) // LOOKED)
    return found or by_rules


def held_to(told: str, raw: RawSummary, fallback: Summary, by: str) -> Summary:
    """What of a model's summary stands by what was told; `fallback` where nothing does.

    It words the call; to what the notes hold it only adds.
    """
    known = said_of(told)
    text = grounded(raw.text, known)
    if not text:
        return fallback
    titles = {canonical(item.title) for item in fallback.open_items}
    added = [
        OpenItem(title=title, call=fallback.call, line=fallback.line)
        for title in raw.open_items
        if canonical(title) not in titles and stands(title, known)
    ]
    # What only another voice said is no key fact of the caller's.
    own = said_of("\n".join(line for line in told.split("\n") if not line.startswith(NOT_THE_CALLERS)))
    noted = {canonical(fact) for fact in fallback.key_facts}
    more = [fact for fact in raw.key_facts if canonical(fact) not in noted and stands(fact, own)]
    resolved = fallback.resolved if raw.resolved is None else raw.resolved
    return replace(
        fallback,
        text=text,
        resolved=resolved and fallback.outcome not in UNRESOLVED,
        key_facts=(*fallback.key_facts, *more),
        open_items=(*fallback.open_items, *added),
        by=by,
    )


def compress_rules(
    items: Sequence[HistoryItem], earlier: str = "", who: WhoIs = everybody_is_the_caller
) -> str:
    """A rolling summary without a model: the sentences said that carry most, newest kept."""
    kept = [
        f"{said.subject} said: “{capped(one_line(said.text), QUOTED)}”"
        for item in items
        if item.role == "user" and item.trust == "high"
        for said in said_in(item, who)
        if len(tokens(said.text)) > 3
    ]
    lines = [part for part in earlier.split("\n") if part] + kept
    while len(lines) > 1 and sum(map(len, lines)) > HEAD:
        del lines[0]
    return "\n".join(lines)


def _own_words(items: Iterable[HistoryItem], course: Course) -> list[str]:
    """What the caller said, as far as anybody knows."""
    return [
        said.text
        for item in items
        if item.role == "user"
        for said in said_in(item, course.ledger.who)
        if said.who in ("caller", "unsure")
    ]


def _writable(course: Course) -> list[HistoryItem]:
    """The call's items that may be written down: surely heard, and in which no secret was said."""
    secret = {slot.name for slot in course.schema.slots if slot.secret}
    told = {slot.turn for name, slot in course.notes.state.slots.items() if name in secret}
    return [
        item
        for item in course.history()
        if item.trust == "high" and not (item.role == "user" and item.turn in told)
    ]


async def _ask(
    model: LanguageModel,
    purpose: Purpose,
    text: str,
    call: str,
    clock: Clock,
    settings: Settings,
    usage: Usage,
    aside: Aside,
) -> RawSummary | None:
    if isinstance(model, Choosy) and not model.wants(call, purpose):
        return None
    schema = SUMMARY_SCHEMA if purpose == "summarise" else COMPRESS_SCHEMA
    request = ModelRequest(
        purpose=purpose, fixed=fixed(purpose), text=text, schema=schema, max_tokens=ROOM, call=call
    )
    try:
        return await ask(
            model,
            request,
            read_summary,
            clock=clock,
            seconds=settings.model_timeout,
            usage=usage,
            aside=aside,
        )
    except ModelError:
        return None


def _shown(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _label(name: str) -> str:
    return name.replace("_", " ")
