"""The index of one caller's memories. In process; built at preload, grown during the call."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from datetime import date

import numpy as np
from numpy.typing import NDArray

from ..clients.base import Vectors
from ..clients.probe import same_model
from ..tasks import breathing
from .columns import KINDS, Columns
from .drift import direct, relevant
from .entry import Entry, Hit, Query
from .order import arranged
from .postings import Postings
from .query import Part, dates, encodings, parts
from .router import FAVOURED, asks_former, favoured, low_signal
from .score import Scored, score
from .speakers import Speakers
from .update import newest_first
from .vocabulary import FIRST_PERSON
from .words import fold, guess_language, pairs, terms

__all__ = ["Entry", "Hit", "Index", "Query"]

AGENT = 0.75
"""The agent's own turns weigh less: what the caller said is what is asked about."""
SHORT_QUESTION = 0.6
"""A question of one word; grows to 1 at 24 words. Questions ask for facts, they seldom hold them."""
OWN = 1.15
"""A turn in which people speak of themselves."""
STANDING = {
    "current": 1.0,
    "partly": 0.8,
    "pending": 0.8,
    "superseded": 0.5,
    "expired": 0.5,
    "retracted": 0.0,
}
"""Superseded ones lose to current ones of the same words; retracted ones are never found."""
ALIKE = 0.6
"""Share of common terms from which two entries say the same thing; the newer one stands for both."""
HOP = 0.8
"""Weight of a name reached over a named relation ("my daughter" to "Mia"), one hop, both ways."""
TERSE = 3
"""Terms, pairs among them, up to which an answer is told with its question: "peanuts" alone says little."""
LOOKED_AT = 24
"""Best entries looked at one by one."""


class Index:
    """Finds what a caller's words are about among what is remembered."""

    def __init__(self) -> None:
        self._entries: list[Entry | None] = []
        self._slots: dict[str, int] = {}
        self._columns = Columns()
        self._postings = Postings()
        self._vectors: NDArray[np.float32] | None = None
        self.probe: Vectors | None = None
        """What the model behind the vectors makes of `clients.probe.PROBE`, where that is known."""
        self._calls: dict[str, int] = {}
        self._speakers = Speakers()
        self._languages: dict[str, int] = {}
        self._hops: dict[str, set[str]] = {}

    def __len__(self) -> int:
        return len(self._slots)

    def __contains__(self, id: object) -> bool:
        return id in self._slots

    def get(self, id: str) -> Entry | None:
        """The entry of that id, or None."""
        slot = self._slots.get(id)
        return None if slot is None else self._entries[slot]

    def add(self, entries: Sequence[Entry], vectors: Vectors | None = None) -> None:
        """Add or replace entries; `vectors` has a row an entry (a row of zeros = none yet)."""
        self.discard([entry.id for entry in entries if entry.id in self._slots])
        slots = [self._take(entry) for entry in breathing(entries)]
        self._postings.sort()
        if vectors is not None and len(entries):
            self._put_vectors(slots, vectors)
        self._measure([*self._columns.place(slots, entries), *slots])

    def discard(self, ids: Iterable[str]) -> None:
        """Forget entries; unknown ids are ignored."""
        for gone in ids:
            slot = self._slots.pop(gone, None)
            if slot is None:
                continue
            self._columns.live[slot] = 0.0
            self._postings.drop(slot)
            self._entries[slot] = None
            self._measure(self._columns.unplace(slot))

    def prove(self, probe: Vectors) -> bool:
        """Forget the vectors if another model made them than made this vector of the probe; False then."""
        if self._vectors is None or same_model(self.probe, probe):
            return True
        self._vectors = None
        return False

    def encodings(self, text: str) -> tuple[str, ...]:
        """What of a query to embed, a row each: its sentences, speakers' names stripped."""
        return encodings(text, self._speakers.names)

    def search(self, query: Query) -> list[Hit]:
        """The best hits, best first; ties by time, then id."""
        if not self._slots or query.k < 1 or (query.floor and low_signal(query.text, query.language)):
            return []
        languages = sorted(self._languages, key=lambda name: (-self._languages[name], name))[:2]
        asked = [self._hopped(part, query.text) for part in parts(query, languages)]
        speaker = self._speakers.named(query.text)
        rows = None if query.vector is None else np.atleast_2d(query.vector).astype(np.float32, copy=False)
        if rows is not None and self._vectors is not None and rows.shape[1] != self._vectors.shape[1]:
            rows = None  # another embedder's vector says nothing here
        scored = score(asked, self._vectors, rows, self._columns, self._postings, dates(query), speaker)
        factor = np.ones(len(KINDS), dtype=np.float32)
        for kind in favoured(query.text):
            factor[KINDS[kind]] = FAVOURED
        if query.kinds is not None:
            factor *= [float(kind in query.kinds) for kind in KINDS]
        total = scored.total * factor[self._columns.kind[: self._columns.size]]
        if not asks_former(query.text):
            total *= self._columns.standing[: self._columns.size]
        return self._hits(query, asked, scored, total)

    def _hits(self, query: Query, asked: list[Part], scored: Scored, total: NDArray[np.float32]) -> list[Hit]:
        most = min(max(LOOKED_AT, 2 * query.k), len(total))
        top = np.argpartition(-total, most - 1)[:most]
        ranked = self._ranked([int(slot) for slot in top if total[slot] > 0], total)
        if not ranked:
            return []
        best = float(total[ranked[0]])
        marks = {slot: float(total[slot]) for slot in ranked}
        held: dict[int, frozenset[str]] = {}
        kept: list[int] = []
        repeated: list[int] = []
        for slot in ranked:
            if query.floor and not self._worth(slot, query, asked, scored, marks[slot] / best):
                continue
            held[slot] = self._postings.terms(slot)
            same = next((place for place, other in enumerate(kept) if _alike(held[slot], held[other])), None)
            if same is None:
                kept.append(slot)
            else:
                newer = self._newer(slot, kept[same])
                repeated.append(kept[same] if newer else slot)
                if newer:
                    marks[slot] = marks[kept[same]]
                    kept[same] = slot
            if len(kept) >= query.k:
                break
        hits = arranged([self._hit(slot, scored, marks[slot]) for slot in kept])
        found = [(hit.entry, held[self._slots[hit.entry.id]]) for hit in hits]
        order = newest_first(query.text, found, self._postings.rarity)
        hits = [hits[place] for place in order]
        if not query.floor:
            hits += [self._hit(slot, scored, min(marks[slot], hits[-1].score)) for slot in repeated]
        return hits[: query.k]

    def _worth(self, slot: int, query: Query, asked: list[Part], scored: Scored, share: float) -> bool:
        line = self._at(slot).line
        if line and query.line and line != query.line:
            return direct(asked, self._postings.terms(slot), self._postings.rarity)
        return relevant(float(scored.about[slot]), float(scored.near[slot]), scored.closest, share)

    def _hit(self, slot: int, scored: Scored, total: float) -> Hit:
        why = {
            "words": float(scored.words[slot]),
            "context": float(scored.context[slot]),
            "meaning": float(scored.meaning[slot]),
            "standing": float(self._columns.boost[slot] * self._columns.standing[slot]),
        }
        entry = self._at(slot)
        question = self._question(slot)
        if question is None:
            return Hit(entry=entry, score=total, why=why, text=entry.text, turns=(entry.id,))
        text = f"{question.text} – {entry.text}"
        return Hit(entry=entry, score=total, why=why, text=text, turns=(entry.id, question.id))

    def _question(self, slot: int) -> Entry | None:
        """The question right before a turn that is too terse to be understood without it."""
        before = int(self._columns.near[1, slot])
        if before < 0 or not self._columns.asks[before] or self._columns.asks[slot]:
            return None
        return self._at(before) if len(self._postings.terms(slot)) <= TERSE else None

    def _ranked(self, slots: list[int], total: NDArray[np.float32]) -> list[int]:
        """By score, ties by time (newest first), then id."""
        slots.sort(key=lambda slot: self._at(slot).id)
        slots.sort(key=lambda slot: self._at(slot).at, reverse=True)
        slots.sort(key=lambda slot: -round(float(total[slot]), 5))
        return slots

    def _at(self, slot: int) -> Entry:
        entry = self._entries[slot]
        assert entry is not None
        return entry

    def _newer(self, one: int, other: int) -> bool:
        a, b = self._at(one), self._at(other)
        if a.role != b.role:
            return a.role == "user"
        return (a.status == "current", a.at, a.turn) > (b.status == "current", b.at, b.turn)

    def _hopped(self, part: Part, text: str) -> Part:
        if not self._hops:
            return part
        held = {term for term, _ in part.terms}
        reached = {name for term in held for name in self._hops.get(term, ())} - held
        return Part((*part.terms, *((name, HOP) for name in sorted(reached))), part.row)

    def _take(self, entry: Entry) -> int:
        language = entry.language or guess_language(entry.text)
        words = terms(entry.text, language)
        speaker = terms(entry.speaker, language) if entry.speaker else []
        slot = self._columns.grow()
        self._postings.add([*words, *speaker], pairs(words))
        self._entries.append(entry)
        self._slots[entry.id] = slot
        self._languages[language] = self._languages.get(language, 0) + 1
        columns = self._columns
        said = fold(entry.text).replace("’", "'").replace("'", "").split()
        asks = entry.text.rstrip().endswith(("?", "？"))
        shape = AGENT if entry.role == "assistant" else 1.0
        if asks:
            shape *= SHORT_QUESTION + (1 - SHORT_QUESTION) * min(1.0, len(said) / 24)
        if FIRST_PERSON.get(language, frozenset()) & set(said):
            shape *= OWN
        shape *= 1 + 0.1 * math.log1p(len(said))
        weight = (1 + 0.4 * (entry.importance - 0.5)) * (1.3 if entry.correction else 1.0)
        columns.live[slot] = 1.0
        columns.boost[slot] = shape * weight
        columns.standing[slot] = STANDING[entry.status]
        columns.asks[slot] = asks
        columns.lean[slot] = math.exp(-len(said) / 35)
        columns.window[slot] = 1.0
        columns.call[slot] = (
            self._calls.setdefault(entry.call, len(self._calls) + 1) if entry.kind == "turn" else 0
        )
        columns.speaker[slot] = self._speakers.heard(entry.speaker, entry.call, entry.text)
        columns.kind[slot] = KINDS[entry.kind]
        day = _day(entry.at)
        columns.day[slot] = day.toordinal() if day else 0
        columns.month_day[slot] = day.month * 100 + day.day if day else 0
        for relation, name in entry.relations:
            for left in terms(relation, language):
                for right in terms(name, language):
                    self._hops.setdefault(left, set()).add(right)
                    self._hops.setdefault(right, set()).add(left)
        return slot

    def _put_vectors(self, slots: list[int], vectors: Vectors) -> None:
        width = vectors.shape[1]
        if self._vectors is None or self._vectors.shape[1] != width:
            self._vectors = np.zeros((self._columns.size, width), dtype=np.float32)
        self._widen()
        self._vectors[slots] = vectors

    def _widen(self) -> None:
        """Room for the vectors of all entries; once more are needed, as much as there is of other columns."""
        if self._vectors is not None and len(self._vectors) < self._columns.size:
            room = (len(self._columns.live) - len(self._vectors), self._vectors.shape[1])
            self._vectors = np.concatenate([self._vectors, np.zeros(room, dtype=np.float32)])

    def _measure(self, slots: Iterable[int]) -> None:
        """The length of each moved turn's summed window of vectors."""
        moved = np.unique(np.fromiter(slots, dtype=np.intp))
        self._widen()
        if self._vectors is None or not len(moved):
            return
        summed = self._vectors[moved].copy()
        for side in (1, 2):
            there = self._columns.near[side, moved]
            summed += self._vectors[there] * (there >= 0)[:, None]
        self._columns.window[moved] = 1 / np.maximum(np.linalg.norm(summed, axis=1), 1e-6)


def _alike(a: frozenset[str], b: frozenset[str]) -> bool:
    """Whether two entries of these terms say the same thing."""
    if len(a) < ALIKE * len(b) or len(b) < ALIKE * len(a):
        return False
    shared = len(a & b)
    return shared > 1 and shared >= ALIKE * (len(a) + len(b) - shared)


def _day(at: str) -> date | None:
    try:
        return date.fromisoformat(at[:10])
    except ValueError:
        return None
