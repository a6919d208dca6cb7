"""What is known when the call begins, and how much of it an identity may see (design rule 10)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from ..records.call_state import SlotValue
from ..records.caller import Caller, Strength
from ..records.fact import Fact
from ..records.head import Head, first_name, is_asked, is_open
from ..records.profile import Profile
from ..records.summary import OpenItem, Summary
from ..records.turn import HistoryItem


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Unsettled:
    """A call of this caller whose write-back is not finished: its raw turns and notes."""

    call: str
    started: datetime
    last_event: datetime
    history: tuple[HistoryItem, ...]
    slots: dict[str, SlotValue]
    tools: tuple[str, ...] = ()
    sensitive: frozenset[str] = frozenset()
    """Names of slots that are told to a verified caller only."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Known:
    """What the engine knows of the caller in this call, before any filter.

    Args:
        profile: settled memory, with the claims of unsettled calls folded in.
        unsettled: calls whose write-back is unfinished, newest last.
        people: other persons known at this number.
        head: what `profile` was made from while the whole of it is still being read; else None.
    """

    profile: Profile = field(default_factory=Profile)
    unsettled: tuple[Unsettled, ...] = ()
    people: tuple[str, ...] = ()
    head: Head | None = None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Visible:
    """What of it this identity may see; only this reaches the model."""

    name: str | None = None
    facts: tuple[Fact, ...] = ()
    count: int = 0
    """Of the facts, also of those that are still being read."""
    unsure: tuple[Fact, ...] = ()
    """Rivals of what stands, and other voices' claims: to be asked about, never taken as true."""
    summary: Summary | None = None
    open_items: tuple[OpenItem, ...] = ()
    raw: tuple[Unsettled, ...] = ()
    """Unsettled calls whose raw last turns may be told."""
    dropped: Unsettled | None = None
    """A call of this line that broke off minutes ago: its notes go on."""
    untold: frozenset[str] = frozenset()
    """Slots of that call which go on in the notes without being told."""
    recall: bool = False


def visible(
    known: Known, caller: Caller, *, now: datetime, resume_within: float, stale_number: bool = False
) -> Visible:
    """Filter by identity strength.

    Args:
        known: everything.
        caller: who calls, and how surely we know.
        now: the moment, aware.
        resume_within: seconds after which a dropped call is over.
        stale_number: the number was unheard for so long that it may have a new owner.
    """
    if caller.strength is Strength.NONE:
        return Visible()
    strength = Strength.WEAK if stale_number else caller.strength
    shared = len(known.people) > 1 and caller.person is None
    facts, head = known.profile.current, known.head
    dropped = _dropped(known.unsettled, now, resume_within)
    if strength is Strength.VERIFIED:
        return Visible(
            name=None if shared else first_name(facts),
            facts=facts,
            count=head.current if head else len(facts),
            unsure=tuple(f for f in known.profile.facts if is_asked(f)),
            summary=known.profile.last_interaction,
            open_items=known.profile.open_items,
            raw=known.unsettled,
            dropped=dropped,
            recall=True,
        )
    shown = () if shared else tuple(f for f in facts if is_open(f))
    return Visible(
        name=None if shared else first_name(facts),
        facts=shown,
        count=head.open if head and not shared else len(shown),
        open_items=tuple(_titled(item) for item in known.profile.open_items),
        dropped=dropped,
        untold=dropped.sensitive if dropped else frozenset(),
    )


def _titled(item: OpenItem) -> OpenItem:
    """An open item as far as its title tells it: of its values those that stand there."""
    told = {
        n: v for n, v in item.slots.items() if re.search(rf"(?<!\w){re.escape(str(v))}(?!\w)", item.title)
    }
    return replace(item, value=None, slot=None, slots=told)


def is_stale(profile: Profile, now: datetime, recycled_after_days: int) -> bool:
    """Whether the number was unheard for so long that it may belong to somebody else by now."""
    if profile.last_heard is None:
        return False
    return now - datetime.fromisoformat(profile.last_heard) > timedelta(days=recycled_after_days)


def _dropped(unsettled: Sequence[Unsettled], now: datetime, within: float) -> Unsettled | None:
    for call in reversed(unsettled):
        # Another machine's clock may be ahead of ours.
        if abs(now - call.last_event) <= timedelta(seconds=within):
            return call
    return None
