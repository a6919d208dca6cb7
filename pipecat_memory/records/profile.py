"""All that is known of one person, as one value: what preload reads and reconcile writes."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from .fact import Claim, Fact
from .summary import OpenItem, Summary


class Episode(msgspec.Struct, frozen=True, kw_only=True, array_like=True, gc=False):
    """One committed item of a past call, as recall finds it. Stored as a row, as `Fact` is.

    `line` is its line of business; `speaker` the recogniser's label of a voice that is not the caller's.
    """

    id: str
    call: str
    turn: int
    role: str
    text: str
    at: str
    line: str = ""
    language: str | None = None
    speaker: str | None = None

    def __repr__(self) -> str:
        return f"<Episode {self.id}>"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Profile:
    """One person's memory.

    Args:
        claims: everything ever said, by (at, call, turn, seq); the source of `facts`.
        facts: the fold of the claims; current and past.
        summaries: newest last, capped.
        open_items: what is still to be done.
        calls: ids of the calls that are settled into this profile.
        last_heard: ISO time of the last call.
    """

    claims: tuple[Claim, ...] = ()
    facts: tuple[Fact, ...] = ()
    summaries: tuple[Summary, ...] = ()
    open_items: tuple[OpenItem, ...] = ()
    calls: tuple[str, ...] = ()
    last_heard: str | None = None

    @property
    def current(self) -> tuple[Fact, ...]:
        return tuple(f for f in self.facts if f.status == "current")

    @property
    def last_interaction(self) -> Summary | None:
        return self.summaries[-1] if self.summaries else None

    def __repr__(self) -> str:
        return f"<Profile facts={len(self.facts)} summaries={len(self.summaries)}>"
