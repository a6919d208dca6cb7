"""What is known when the call begins, and how much of it an identity may see (design rule 10)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from ..records.call_state import SlotValue
from ..records.caller import Caller, Strength
from ..records.fact import Fact
from ..records.head import Head, first_name, is_asked, is_open
from ..records.profile import Profile
from ..records.summary import OpenItem, Summary, another_line
from ..records.turn import HistoryItem
from ..records.veil import Veil, hidden_in


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Unsettled:
    """A call of this caller whose write-back is not finished: its raw turns and notes.

    Args:
        broke_off: whether it did; None where another process may still hold it. A call that goes on, or
            was ended in peace, did not.
        strength: how surely its caller was known.
        line: its line of business.
        sensitive: names of slots that are told to a verified caller only.
        personal: names of slots about the person, not about the call's business.
    """

    call: str
    started: datetime
    last_event: datetime
    history: tuple[HistoryItem, ...]
    slots: dict[str, SlotValue]
    tools: tuple[str, ...] = ()
    broke_off: bool | None
    strength: Strength
    line: str = ""
    sensitive: frozenset[str] = frozenset()
    personal: frozenset[str] = frozenset()

    def resumed(self, strength: Strength) -> Unsettled:
        """The call as one who is known this surely goes on with it.

        Who is known less surely than its caller was takes over its business only, and nothing as confirmed.
        """
        if strength >= self.strength:
            return self
        business = {
            name: replace(held, confidence="inferred") if held.confidence == "confirmed" else held
            for name, held in self.slots.items()
            if name not in self.sensitive | self.personal
        }
        return replace(self, slots=business)


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
    known: Known,
    caller: Caller,
    *,
    now: datetime,
    resume_within: float,
    stale_number: bool = False,
    line: str = "",
) -> Visible:
    """Filter by identity strength and by line of business. What of another line is recalled may be told.

    Args:
        known: everything.
        caller: who calls, and how surely we know.
        now: the moment, aware.
        resume_within: seconds after which a dropped call is over.
        stale_number: the number was unheard for so long that it may have a new owner.
        line: the line of business of the call; "" is told of all lines.
    """
    if caller.strength is Strength.NONE:
        return Visible()
    strength = Strength.WEAK if stale_number else caller.strength
    shared = len(known.people) > 1 and caller.person is None
    profile, head = known.profile, known.head
    facts = tuple(f for f in profile.current if not another_line(f.line, line))
    items = tuple(i for i in profile.open_items if not another_line(i.line, line))
    unsettled = tuple(u for u in known.unsettled if not another_line(u.line, line))
    dropped = _dropped(unsettled, strength, now, resume_within)
    if strength is Strength.VERIFIED:
        summaries = [s for s in profile.summaries if not another_line(s.line, line)]
        return Visible(
            name=None if shared else first_name(facts),
            facts=facts,
            count=head.count(line) if head else len(facts),
            unsure=tuple(f for f in profile.facts if is_asked(f) and not another_line(f.line, line)),
            summary=summaries[-1] if summaries else None,
            open_items=items,
            raw=unsettled,
            dropped=dropped,
            recall=True,
        )
    veil = Veil(head.hidden if head else hidden_in(profile.current))
    told = [veil.fact(f) for f in facts if is_open(f)]
    shown = () if shared else tuple(f for f in told if f is not None)
    return Visible(
        name=None if shared else first_name(facts),
        facts=shown,
        count=head.open_count(line) if head and not shared else len(shown),
        open_items=tuple({i.title: i for i in map(veil.item, items)}.values()),
        dropped=dropped and replace(dropped, slots=_unquoted(dropped.slots)),
        untold=dropped.sensitive if dropped else frozenset(),
    )


def _unquoted(slots: Mapping[str, SlotValue]) -> dict[str, SlotValue]:
    """Without the words they were said in."""
    return {name: replace(held, spoken="", asked_spoken="") for name, held in slots.items()}


def is_stale(profile: Profile, now: datetime, recycled_after_days: int) -> bool:
    """Whether the number was unheard for so long that it may belong to somebody else by now."""
    if profile.last_heard is None:
        return False
    return now - datetime.fromisoformat(profile.last_heard) > timedelta(days=recycled_after_days)


def _dropped(
    unsettled: Sequence[Unsettled], strength: Strength, now: datetime, within: float
) -> Unsettled | None:
    for call in reversed(unsettled):
        # A process that died just now still holds its call; who may see all of it need not wait.
        broke_off = strength is Strength.VERIFIED if call.broke_off is None else call.broke_off
        # Another machine's clock may be ahead of ours.
        if broke_off and abs(now - call.last_event) <= timedelta(seconds=within):
            return call.resumed(strength)
    return None
