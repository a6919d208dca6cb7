"""The index of one caller's memories. In process; built at preload, grown during the call."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from ..clients.base import Vectors
from . import score
from .columns import Columns
from .drift import relevant
from .entry import Entry, Hit, Query
from .order import arranged
from .postings import Postings
from .router import kinds_for, low_signal
from .words import clauses, date_terms, guess_language, ideographic, terms, without

__all__ = ["Entry", "Hit", "Index", "Query"]

PREVIOUS_QUESTION, PREVIOUS, BEFORE_PREVIOUS, NEXT, AFTER_NEXT = 0.8, 0.3, 0.4, 0.3, 0.2
"""What the turns around lend: most of all a question to the turn that answers it."""
FADE = 30.0
"""Words after which an entry leans on its neighbours e times less."""
PEOPLE, SUPERSEDED, SHORT_QUESTION = 1.4, 0.35, 0.7
KINDS = ("fact", "summary", "turn", "reflection")
HOP = 0.6
"""Weight of a person's name where the question says only who that is to the caller."""
WIDER = 4
"""Times `k` candidates are looked at before superseded and stale ones are sorted out."""
_BODY = 160


class Index:
    """Finds what a caller's words are about among what is remembered."""

    def __init__(self) -> None:
        self._entries: list[Entry | None] = []
        self._slot: dict[str, int] = {}
        self._postings = Postings()
        self._columns = Columns()
        self._vectors: NDArray[np.float32] | None = None
        self._calls: dict[str, int] = {}
        self._lines: dict[str, int] = {}
        self._speakers: dict[str, int] = {}
        self._relations: dict[str, set[str]] = {}

    def __len__(self) -> int:
        return len(self._slot)

    def add(self, entries: Sequence[Entry], vectors: Vectors | None = None) -> None:
        """Add or replace entries; `vectors` has a row an entry (a row of zeros = none yet)."""
        self.discard([entry.id for entry in entries if entry.id in self._slot])
        touched: set[int] = set()
        for n, entry in enumerate(entries):
            slot = self._columns.grow()
            self._entries.append(entry)
            self._slot[entry.id] = slot
            self._fill(slot, entry)
            if vectors is not None:
                self._keep(slot, vectors[n])
            touched.update(self._columns.place(slot, entry))
        for slot in touched:
            self._pull(slot)

    def discard(self, ids: Iterable[str]) -> None:
        """Forget entries; unknown ids are ignored."""
        for gone in ids:
            slot = self._slot.pop(gone, None)
            entry = None if slot is None else self._entries[slot]
            if slot is None or entry is None:
                continue
            self._entries[slot] = None
            self._columns.live[slot] = False
            self._postings.drop(slot)
            if self._vectors is not None:
                self._vectors[slot] = 0.0
            for other in self._columns.unplace(slot, entry):
                self._pull(other)

    def encodings(self, text: str) -> tuple[str, ...]:
        """What of a query to embed, one row each: names stripped, one a clause in Chinese."""
        if ideographic(text):
            return tuple(clauses(text)) or (text,)
        return (without(text, list(self._speakers)),)

    def search(self, query: Query) -> list[Hit]:
        """The best hits, best first; ties by time, then id."""
        if not self._slot or (query.floor and low_signal(query.text, query.language)):
            return []
        n = self._columns.size
        language = query.language or guess_language(query.text)
        dense = self._dense(query, n)
        if ideographic(query.text):
            total, words = self._by_clauses(query, dense)
        else:
            total, words = self._by_sum(query, language, dense)
        total = total * self._columns.boost[:n] * self._columns.live[:n]
        total *= self._who(query.text)
        self._keep_kinds(total, query)
        total += np.float32(score.DAY) * self._recency(query.now, n) * (total > 0)
        sense = dense[0] if len(dense) else np.zeros(n, np.float32)
        return self._hits(query, total, words, sense)

    # Scores.

    def _by_sum(
        self, query: Query, language: str, dense: list[score.Scores]
    ) -> tuple[score.Scores, score.Scores]:
        """A weighted sum: keywords and senses are not equally strong in languages with spaces."""
        columns = self._columns
        weighted = [(term, 1.0) for term in dict.fromkeys(terms(query.text, language))]
        weighted += [(term, HOP) for term in self._hop(weighted)]
        words = self._postings.scores(weighted, columns.size)
        near = score.with_neighbours(words, columns)
        total = score.scaled(near)
        if dense:
            sense = dense[0]
            if words.max(initial=0.0) <= 0:
                # No word is shared: the sense of the turn itself has the whole say.
                return score.scaled(sense), near
            total = total + np.float32(score.SENSE) * score.scaled(sense)
            total += np.float32(score.SENSE_NEAR) * score.scaled(score.around(sense, columns))
        return total.astype(np.float32), near

    def _by_clauses(self, query: Query, dense: list[score.Scores]) -> tuple[score.Scores, score.Scores]:
        """Rank fusion per clause, best clause wins: one turn without spaces asks for several things."""
        columns = self._columns
        n = columns.size
        total = np.zeros(n, np.float32)
        every = np.zeros(n, np.float32)
        for i, clause in enumerate(clauses(query.text) or [query.text]):
            words = self._postings.scores([(t, 1.0) for t in dict.fromkeys(terms(clause, "zh"))], n)
            every = np.maximum(every, words)
            parts = [score.with_neighbours(words, columns)]
            if dense:
                near = score.around(dense[min(i, len(dense) - 1)], columns)
                parts += [near, score.best_of_call(near, columns)]
            else:
                parts.append(score.best_of_call(parts[0], columns))
            total = np.maximum(total, score.fused_ranks(parts))
        return score.scaled(total), every

    def _dense(self, query: Query, n: int) -> list[score.Scores]:
        if query.vector is None or self._vectors is None:
            return []
        rows = np.atleast_2d(query.vector)
        if rows.shape[1] != self._vectors.shape[1]:
            return []
        return [score.cosines(self._vectors[:n], row) for row in rows]

    def _who(self, text: str) -> NDArray[np.float32]:
        """Exactly one speaker is named: that one's words count more."""
        folded = set(
            text.casefold().replace("'s", " ").replace("’s", " ").replace("?", " ").replace(",", " ").split()
        )
        named = [number for name, number in self._speakers.items() if number and name.casefold() in folded]
        factor = np.ones(self._columns.size, np.float32)
        if len(named) == 1:
            factor[self._columns.speaker[: self._columns.size] == named[0]] = score.WHO
        return factor

    def _hop(self, weighted: Sequence[tuple[str, float]]) -> list[str]:
        """Names of the persons that the question only describes ("my daughter")."""
        asked = {term for term, _ in weighted}
        return sorted({name for term in asked for name in self._relations.get(term, ())} - asked)

    def _keep_kinds(self, total: score.Scores, query: Query) -> None:
        n = self._columns.size
        wanted = query.kinds or kinds_for(query.text)
        for kind in range(len(KINDS)):
            if KINDS[kind] not in wanted:
                total[self._columns.kind[:n] == kind] = 0.0

    def _recency(self, now: datetime | None, n: int) -> score.Scores:
        """1 for today, fading over months; 0 where the moment is unknown."""
        if now is None:
            return np.zeros(n, np.float32)
        days = (now.timestamp() - self._columns.when[:n]) / 86_400
        known = self._columns.when[:n] > 0
        return (known / (1.0 + np.maximum(days, 0.0) / 90.0)).astype(np.float32)

    def _hits(self, query: Query, total: score.Scores, words: score.Scores, sense: score.Scores) -> list[Hit]:
        many = min(len(total), query.k * WIDER + 8)
        slots = np.argpartition(-total, many - 1)[:many]
        found: list[Hit] = []
        for slot in slots:
            entry = self._entries[slot]
            if entry is None or total[slot] <= 0:
                continue
            why = {"total": float(total[slot]), "words": float(words[slot]), "sense": float(sense[slot])}
            if query.floor and not relevant(entry, why, query, len(self._slot)):
                continue
            found.append(
                Hit(entry=entry, score=float(total[slot]), why=why, text=entry.text, turns=(entry.id,))
            )
        return arranged(found)[: query.k]

    # Columns.

    def _fill(self, slot: int, entry: Entry) -> None:
        columns = self._columns
        language = entry.language or guess_language(entry.text)
        own = terms(entry.text, language)
        extra = terms(entry.speaker, language) if entry.speaker else []
        if language != "zh":
            extra += date_terms(entry.at)
        self._postings.add(own + extra)
        asks = entry.text.rstrip().endswith(("?", "？"))
        columns.live[slot] = True
        columns.question[slot] = asks
        columns.fade[slot] = math.exp(-len(own) / FADE)
        columns.boost[slot] = self._boost(entry, len(own), asks)
        columns.call[slot] = self._calls.setdefault(entry.call, len(self._calls))
        columns.line[slot] = self._lines.setdefault(entry.line, len(self._lines))
        columns.speaker[slot] = (
            self._speakers.setdefault(entry.speaker, len(self._speakers) + 1) if entry.speaker else 0
        )
        columns.kind[slot] = KINDS.index(entry.kind)
        columns.when[slot] = _timestamp(entry.at)
        for relation, name in entry.relations:
            for term in terms(relation, language):
                self._relations.setdefault(term, set()).update(terms(name, language))

    @staticmethod
    def _boost(entry: Entry, length: int, asks: bool) -> float:
        value = PEOPLE if entry.role == "user" else 1.0
        if asks:
            # Full weight at thirty words: a long turn that ends in a question still tells.
            value *= 1.0 - (1.0 - SHORT_QUESTION) * math.exp(-length / FADE)
        value *= 1.0 + 0.1 * math.log1p(length)
        value *= 0.8 + 0.4 * entry.importance
        return value if entry.status == "current" else value * SUPERSEDED

    def _pull(self, slot: int) -> None:
        columns = self._columns
        before = columns.near[1, slot]
        asked = before >= 0 and bool(columns.question[before])
        columns.pull[:, slot] = (BEFORE_PREVIOUS, PREVIOUS_QUESTION if asked else PREVIOUS, NEXT, AFTER_NEXT)

    def _keep(self, slot: int, row: Vectors) -> None:
        width = row.shape[0]
        if self._vectors is None:
            self._vectors = np.zeros((max(64, slot + 1), width), np.float32)
        if self._vectors.shape[1] != width:
            return
        while slot >= len(self._vectors):
            self._vectors = np.concatenate([self._vectors, np.zeros_like(self._vectors)])
        self._vectors[slot] = row


def _timestamp(at: str) -> float:
    try:
        return datetime.fromisoformat(at).timestamp() if at else 0.0
    except (ValueError, OverflowError):
        return 0.0
