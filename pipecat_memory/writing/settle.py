"""Finishing a call: what it leaves behind, from its course. Live, late and replayed calls alike."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from ..calls.course import Course
from ..clients.base import Embedder, Usage
from ..notes.lasting import LastingSlot, lasting, unfinished
from ..notes.mention import same
from ..records.fact import Claim
from ..records.profile import Episode, Profile
from ..records.summary import OpenItem, Summary, another_line
from ..stores.box import FACT_VECTORS, OURS
from ..stores.caller_file import CallerFile
from ..stores.contents import CallMeta
from .canon import canonical
from .items import RawFact
from .quote import Place
from .reconcile import reconcile
from .statement import Refused, stated
from .vectors import call_vectors, fact_vectors

SUMMARIES_KEPT = 20
OPEN_ITEMS_KEPT = 20
OPEN_ITEM_DAYS = 90
"""An open item nobody came back to in a quarter is dropped from the greeting, not from the calls."""


def _voice(course: Course, number: int) -> str | None:
    """The caller's label in that turn, where the recogniser gave one."""
    turn = next((turn for turn in course.ledger.turns if turn.number == number), None)
    labels = [segment.speaker for segment in turn.segments] if turn else []
    return next((label for label in labels if course.ledger.is_caller(label)), None)


def rule_claims(course: Course, strength: int, line: str) -> list[Claim]:
    """What the notes alone say about the person, with the words that prove it; no model needed."""
    started = course.started
    return [
        Claim(
            call=started.call,
            turn=slot.turn,
            seq=9000 + index,
            at=slot.at,
            kind=slot.kind,
            key=slot.key,
            value=slot.value,
            text=slot.text,
            quote=slot.quote,
            op=slot.op,
            explicit=slot.explicit,
            importance=slot.importance,
            speaker=_voice(course, slot.turn),
            language=slot.language,
            strength=strength,
            sensitive=slot.sensitive,
            line=line,
        )
        for index, slot in enumerate(lasting(course.notes))
        if (slot.explicit and slot.op != "retract") or _plain(slot)
    ]


def _plain(slot: LastingSlot) -> bool:
    """Whether the words of an unsure value state it: what is asked, supposed or reported is no fact.

    What is taken back with a doubt ("I think I'm not ...") stays.
    """
    fact = RawFact(
        key=slot.key,
        value=slot.value,
        text=slot.text,
        quote=slot.quote,
        op=slot.op,
        subject="caller",
        explicit=False,
        importance=slot.importance,
        turn=slot.turn,
    )
    start = max(slot.quote.casefold().find(slot.spoken.casefold()), 0)
    try:
        plain = stated(fact, slot.spoken, Place(slot.quote, start, len(slot.quote), None))
    except Refused:
        return False
    return plain or slot.op != "retract"


def episodes_of(course: Course, line: str) -> list[Episode]:
    """The call's committed items, for recall in later calls. Low-trust ones stay out."""
    started = course.started
    languages = {t.number: t.language for t in course.ledger.turns}
    return [
        Episode(
            id=f"turn.{started.call}.{index}",
            call=started.call,
            turn=item.turn,
            role=item.role,
            text=item.text,
            at=(started.at + timedelta(seconds=max(item.started, 0.0))).isoformat(),
            line=line,
            language=languages.get(item.turn) if item.role == "user" else None,
            speaker=None if course.ledger.is_caller(item.speaker) else item.speaker,
        )
        for index, item in enumerate(course.history())
        if item.trust == "high"
    ]


def open_items_of(course: Course) -> tuple[OpenItem, ...]:
    """What was left unfinished, by the notes."""
    return tuple(replace(item, call=course.started.call) for item in unfinished(course.notes, course.outcome))


def with_left_open(profile: Profile, ended: Iterable[tuple[Course, str]]) -> Profile:
    """The profile with what calls left open that nobody has settled yet: who rings back is told of it.

    Args:
        profile: as those who settle calls wrote it.
        ended: calls that are over, oldest first, each with its line of business.
    """
    held = profile.open_items
    later = {s.call: s.at for s in profile.summaries if s.at}
    for course, line in ended:
        since = {call for call, at in later.items() if datetime.fromisoformat(at) > course.at}
        own = [replace(item, line=line) for item in open_items_of(course)]
        held = _left_after(held, course, own, line, since)
    return replace(profile, open_items=held)


def _left_after(
    held: Iterable[OpenItem], course: Course, own: Sequence[OpenItem], line: str, later: Container[str]
) -> tuple[OpenItem, ...]:
    """What is left open once a call is over: what it took up is its own now.

    Args:
        held: what was left open by other calls.
        course: the call.
        own: what it left open.
        line: its line of business.
        later: calls that came after it, from which it takes nothing.
    """
    others = [item for item in held if item.call != course.started.call]
    since = [item for item in others if item.call in later]
    over = course.outcome == "completed" or bool(own)
    before = [
        item
        for item in others
        if item.call not in later
        and (another_line(item.line, line) or not (over and _taken_up(item, course)))
    ]
    own = _without(own, since)
    return (*_without(before, own), *own, *since)[-OPEN_ITEMS_KEPT:]


def _taken_up(item: OpenItem, course: Course) -> bool:
    """Whether a call answered the question that was left open, or holds all that was noted of the matter."""
    told = {name: slot for name, slot in course.notes.state.slots.items() if slot.turn > 0}
    if item.slot is not None:
        return course.outcome == "completed" and item.slot in told
    return bool(item.slots) and all(
        name in told and same(told[name].value, value) for name, value in item.slots.items()
    )


def _without(items: Iterable[OpenItem], others: Sequence[OpenItem]) -> list[OpenItem]:
    """The items of which the others say nothing: a matter left open twice is one matter."""
    told = {(canonical(item.title), item.slot) for item in others}
    return [item for item in items if (canonical(item.title), item.slot) not in told]


def merged_claims(kept: Iterable[Claim], fresh: Iterable[Claim]) -> tuple[Claim, ...]:
    """All claims in order, each said thing once; the fresh ones hold."""
    by_place = {_order(claim): claim for claim in (*kept, *fresh)}
    return tuple(sorted(by_place.values(), key=_order))


def profile_after(
    profile: Profile,
    course: Course,
    claims: Iterable[Claim],
    summary: Summary,
    now: datetime,
) -> Profile:
    """The profile once this call is written into it. Doing it again changes nothing."""
    call = course.started.call
    # A later settling of the same call replaces its claims; another call that carried the same id
    # before (a carrier may reuse one) stays.
    kept = (
        claim
        for claim in profile.claims
        if claim.call != call or datetime.fromisoformat(claim.at) < course.started.at
    )
    merged = merged_claims(kept, claims)
    summaries = [s for s in profile.summaries if s.call != call] + [summary]
    oldest = (now - timedelta(days=OPEN_ITEM_DAYS)).isoformat()
    held = [item for item in profile.open_items if item.due is None or item.due >= oldest]
    # A call that is settled late takes nothing from those that came after it.
    later = {s.call for s in summaries if s.at and datetime.fromisoformat(s.at) > course.at}
    ended = course.at.isoformat()
    return Profile(
        claims=merged,
        facts=reconcile(merged, rules=course.schema.facts, now=now),
        summaries=tuple(sorted(summaries, key=lambda s: (s.at, s.call))[-SUMMARIES_KEPT:]),
        open_items=_left_after(held, course, summary.open_items, summary.line, later),
        calls=(*(c for c in profile.calls if c != call), call),
        last_heard=max(ended, profile.last_heard or ended),
    )


async def write_call(
    file: CallerFile,
    meta: CallMeta,
    course: Course,
    claims: Sequence[Claim],
    summary: Summary,
    *,
    embedder: Embedder | None,
    usage: Usage,
    line: str,
    clock_now: Callable[[], datetime],
    parked: int = 0,
) -> Profile:
    """Write a finished call into its caller's profile, with vectors where there is an embedder.

    `parked` turns had no answer of the model: the call's job stays, and asks for them again.
    """
    if course.ledger.machine:
        claims = ()  # asked for before it was found out
    episodes = episodes_of(course, line)
    now = clock_now()
    versions = [s for s in meta.summaries if s.version != summary.version or s.by != summary.by]
    done = replace(
        meta,
        settled=True,
        parked=parked,
        outcome=course.outcome,
        ended=course.at.isoformat(),
        summaries=(*versions, summary),
        usage=usage.by_purpose,
        line=line,
    )
    made = await call_vectors(embedder, episodes, summary)
    profile = await file.settle(
        done, lambda held: profile_after(held, course, claims, summary, now), episodes, made
    )
    if (facts := await fact_vectors(embedder, profile)) is not None:
        await file.change(FACT_VECTORS, OURS, lambda _old: facts.pack())
    return profile


def _order(claim: Claim) -> tuple[str, str, int, int]:
    return (claim.at, claim.call, claim.turn, claim.seq)
