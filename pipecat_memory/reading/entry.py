"""What the index holds, what it is asked and what it answers, as data."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

Kind = Literal["fact", "summary", "turn", "reflection"]
Standing = Literal["current", "superseded", "retracted", "pending", "expired", "partly"]


class Entry(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One thing that recall can find. There are thousands of them a call, so the collector passes them by.

    Args:
        id: unique in the index; adding the same id again replaces it.
        at: when it was said or became true, ISO 8601; may be "".
        call: the call it comes from. Turns of one call are neighbours, by `turn`, then role.
        turn: number of the committed caller turn it belongs to.
        role: `user` for people on the line, `assistant` for the agent.
        speaker: who said it, where named.
        line: line of business.
        importance: 0 to 1.
        status: only `current` ones compete in full; of a turn that says several things, `partly`.
        subject: `caller`, or `other: <who>`.
        relations: (relation, name) of persons named, for one hop.
        topic: what a fact is about (its key); corrections come first in their topic.
        correction: a person corrected the agent or the record here.
    """

    id: str
    kind: Kind
    text: str
    at: str = ""
    call: str = ""
    turn: int = 0
    role: Literal["user", "assistant"] = "user"
    speaker: str = ""
    line: str = ""
    language: str | None = None
    importance: float = 0.5
    status: Standing = "current"
    subject: str = "caller"
    relations: tuple[tuple[str, str], ...] = ()
    topic: str = ""
    correction: bool = False

    def __repr__(self) -> str:
        return f"<Entry {self.id} {self.kind} {self.status}>"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Query:
    """One question to the index.

    Args:
        text: the caller's words.
        vector: row(s) for `query.encodings(text)`; None = keywords alone.
        now: the moment, for days named relative to it ("yesterday").
        line: line of business of this bot; others only on a direct hit.
        k: most hits.
        kinds: kinds to look at; None = those the kind of question asks for.
        language: of the text, where known.
        floor: False keeps weak hits too (for measuring a ranking past the briefing's few lines).
    """

    text: str
    vector: NDArray[np.float32] | None = None
    now: datetime | None = None
    line: str = ""
    k: int = 5
    kinds: frozenset[Kind] | None = None
    language: str | None = None
    floor: bool = True

    def __repr__(self) -> str:
        return f"<Query k={self.k} vector={self.vector is not None}>"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Hit:
    """One answer.

    Args:
        entry: what was found.
        score: larger is better; comparable within one search only.
        why: named parts of the score, for `why`.
        text: what stands in the briefing: the entry's words, where useful with its neighbours'.
        turns: ids of the entries whose words `text` holds, `entry` first.
    """

    entry: Entry
    score: float
    why: dict[str, float]
    text: str
    turns: tuple[str, ...]

    def __repr__(self) -> str:
        return f"<Hit {self.entry.id} {self.score:.3f}>"
