"""The head of a profile: as much of it as the first reply of a call can need, however long it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from .fact import Fact
from .profile import Profile
from .summary import OpenItem, Summary, another_line
from .veil import Veil, hidden_in

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
        summaries: the last one of each line of business.
        open_items, last_heard: as in the profile.
        counts: by line of business, how many current facts the profile has, and how many of them a weak
            identity may see.
        elsewhere: keys of what holds about the caller of which a line's latest fact is not in `facts`, one a
            line: a thousand are read as one text in a tenth of the time that a set of them takes.
        hidden: values that a weak identity may not be told, wherever they are named.
    """

    facts: tuple[Fact, ...] = ()
    summaries: tuple[Summary, ...] = ()
    open_items: tuple[OpenItem, ...] = ()
    last_heard: str | None = None
    counts: Mapping[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])
    elsewhere: str = ""
    hidden: tuple[str, ...] = ()

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

    def count(self, line: str) -> int:
        """How many current facts a call of this line of business is told of."""
        return sum(n for of, (n, _) in self.counts.items() if not another_line(of, line))

    def open_count(self, line: str) -> int:
        """How many of them a weak identity may see."""
        return sum(n for of, (_, n) in self.counts.items() if not another_line(of, line))

    def __repr__(self) -> str:
        return f"<Head facts={len(self.facts)} of {self.count('')}>"


def head_of(profile: Profile, slots: Sequence[str] = ()) -> Head:
    """The head of a profile; with the facts that fill these slots. Each line of business has its own."""
    last = {summary.line: summary for summary in profile.summaries}
    pending = [fact for fact in profile.facts if is_asked(fact)]
    asked = pending[:ASKED]
    asked += [fact for of in {f.line for f in pending} for fact in _of_line(pending, of)[:ASKED]]
    disputed = {fact.disputes for fact in asked}
    by_line: dict[str, list[Fact]] = {}
    for fact in profile.current:
        by_line.setdefault(fact.line, []).append(fact)
    hidden = hidden_in(profile.current)
    veil = Veil(hidden)
    wanted = {id(fact) for fact in asked}
    wanted |= {id(fact) for fact in profile.current if fact.id in disputed}
    latest: list[Fact] = []
    for facts in by_line.values():
        some, newest = _picked(facts, slots, veil)
        wanted |= {id(fact) for fact in some}
        latest += newest
    return Head(
        facts=tuple(fact for fact in profile.facts if id(fact) in wanted),
        summaries=tuple(summary for summary in profile.summaries if last[summary.line] is summary),
        open_items=profile.open_items,
        last_heard=profile.last_heard,
        counts={
            of: (len(facts), sum(is_open(f) and veil.fact(f) is not None for f in facts))
            for of, facts in by_line.items()
        },
        elsewhere="\n".join(sorted({fact.key for fact in latest if id(fact) not in wanted})),
        hidden=tuple(sorted(hidden)),
    )


def _of_line(facts: Iterable[Fact], line: str) -> list[Fact]:
    return [fact for fact in facts if fact.line == line]


def _picked(current: Sequence[Fact], slots: Sequence[str], veil: Veil) -> tuple[list[Fact], list[Fact]]:
    """Of one line's facts those that a head holds, and the latest of each key."""
    shown = [fact for fact in current if is_open(fact) and veil.fact(fact) is not None]
    latest = {fact.key: fact for fact in current if fact.subject == "caller"}
    latest_shown = {fact.key: fact for fact in shown}
    names = {fact.key: fact for fact in current if fact.key in NAME_KEYS}
    said = {f.key: f for f in current if f.key in NAME_KEYS and f.subject == "caller" and _text(f)}
    picked = [
        *sorted(current, key=rank)[:FACTS],
        *sorted(shown, key=rank)[:FACTS],
        *names.values(),
        *said.values(),
        *(last[slot] for slot in slots for last in (latest, latest_shown) if slot in last),
    ]
    return picked, [*latest.values(), *latest_shown.values()]


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
