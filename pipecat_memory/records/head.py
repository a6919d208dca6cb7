"""The head of a profile: as much of it as the first reply of a call can need, however long it is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .fact import Fact
from .profile import Profile
from .summary import OpenItem, Summary

FACTS = 30
"""Facts of each sort that a head holds at most: more than `Settings.dump_below` tells at once by default."""
ASKED = 5
"""Unsure facts that a briefing asks about at most."""

PREFERENCE_KEYS = ("preference", "preferences", "preferred_", "likes", "dislikes", "language")
NAME_KEYS = ("preferred_name", "name", "first_name")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Head:
    """What stands in for a profile until all of it is there. A pure function of the profile.

    Args:
        facts: those that can stand in a briefing's stable part, in the profile's order.
        summaries: the last one.
        open_items, last_heard: as in the profile.
        current: how many current facts the profile has.
        open: how many of them a weak identity may see.
        elsewhere: keys of what holds about the caller of which the latest fact is not in `facts`, one a
            line: a thousand are read as one text in a tenth of the time that a set of them takes.
    """

    facts: tuple[Fact, ...] = ()
    summaries: tuple[Summary, ...] = ()
    open_items: tuple[OpenItem, ...] = ()
    last_heard: str | None = None
    current: int = 0
    open: int = 0
    elsewhere: str = ""

    @property
    def profile(self) -> Profile:
        """As far as it goes."""
        return Profile(
            facts=self.facts,
            summaries=self.summaries,
            open_items=self.open_items,
            last_heard=self.last_heard,
        )

    def serves(self, slots: Iterable[str], told: int) -> bool:
        """Whether it is enough for a call with these slots, whose briefings tell `told` facts at once."""
        return told <= FACTS and set(slots).isdisjoint(self.elsewhere.split("\n"))

    def __repr__(self) -> str:
        return f"<Head facts={len(self.facts)} of {self.current}>"


def head_of(profile: Profile, slots: Iterable[str] = ()) -> Head:
    """The head of a profile; with the facts that fill these slots."""
    current = profile.current
    shown = [fact for fact in current if is_open(fact)]
    pending = [fact for fact in profile.facts if is_asked(fact)][:ASKED]
    disputed = {fact.disputes for fact in pending}
    latest = {fact.key: fact for fact in current if fact.subject == "caller"}
    latest_shown = {fact.key: fact for fact in shown}
    names = {fact.key: fact for fact in current if fact.key in NAME_KEYS}
    said = {f.key: f for f in current if f.key in NAME_KEYS and f.subject == "caller" and _text(f)}
    wanted = {
        id(fact)
        for some in (
            sorted(current, key=rank)[:FACTS],
            sorted(shown, key=rank)[:FACTS],
            pending,
            (fact for fact in current if fact.id in disputed),
            names.values(),
            said.values(),
            (last[slot] for slot in slots for last in (latest, latest_shown) if slot in last),
        )
        for fact in some
    }
    keys = {k for last in (latest, latest_shown) for k, fact in last.items() if id(fact) not in wanted}
    return Head(
        facts=tuple(fact for fact in profile.facts if id(fact) in wanted),
        summaries=profile.summaries[-1:],
        open_items=profile.open_items,
        last_heard=profile.last_heard,
        current=len(current),
        open=len(shown),
        elsewhere="\n".join(sorted(keys)),
    )


def rank(fact: Fact) -> tuple[float, str, str]:
    """What a briefing tells first: what matters most, then what holds longest."""
    return (-fact.importance, fact.valid_from, fact.id)


def is_open(fact: Fact) -> bool:
    """Whether a weak identity may see it."""
    return not fact.sensitive and is_preference(fact)


def is_preference(fact: Fact) -> bool:
    return fact.subject == "caller" and (fact.kind == "preference" or fact.key.startswith(PREFERENCE_KEYS))


def is_asked(fact: Fact) -> bool:
    """A rival of what stands, or another voice's claim about the caller."""
    return fact.status == "pending" and fact.subject == "caller"


def first_name(facts: Sequence[Fact]) -> str | None:
    """How the caller wants to be greeted: the preferred name, else the first of the names."""
    for key in NAME_KEYS:
        for fact in reversed(facts):
            if fact.key == key and fact.subject == "caller" and isinstance(fact.value, str):
                words = fact.value.split()
                return words[0] if words else None
    return None


def _text(fact: Fact) -> bool:
    return isinstance(fact.value, str)
