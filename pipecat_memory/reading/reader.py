"""The reading side of one call: what was preloaded, the index, and the briefing of each reply."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

import numpy as np

from ..calls.course import Course
from ..clients.base import Embedder
from ..clients.probe import PROBE, same_model
from ..config import Settings
from ..notes.book import Notes
from ..notes.mention import Moment
from ..records.caller import Caller, Strength
from ..records.profile import Episode
from ..records.veil import untold
from ..stores.contents import VectorSet
from .briefing import Block, Briefing, changing_block, join, stable_block
from .confirmed import confirmed_values
from .documents import Told, document_lines, read_documents
from .entries import entries_of
from .entry import Hit, Query
from .index import Index
from .lines import (
    cut_line,
    next_line,
    recall_lines,
    recent_items,
    recent_lines,
    stable_lines,
    state_lines,
    tool_lines,
)
from .prefetch import Prefetch, normalised
from .preload import Known, Visible, is_stale, visible
from .router import low_signal

logger = logging.getLogger(__name__)


class Older(Protocol):
    """What recall has not searched yet, in the store."""

    def turn_page(self, take: Callable[[Index], None]) -> None:
        """Fetch more of it in the background; `take` gets an index that holds it, if there is any."""
        ...


class Reader:
    """Reads for one call. Everything here is in process and waits for nothing."""

    def __init__(self, settings: Settings, embedder: Embedder | None, started: datetime) -> None:
        self._settings = settings
        self._started = started
        self.index = Index()
        self.prefetch = Prefetch(embedder, self._encodings, PROBE)
        self._proven: Index | None = None
        self.known: Known | None = None
        self.seen = Visible()
        self._older: Older | None = None
        self._stable = Block()
        self._verified = False
        self._version = 0
        self._documents: tuple[Mapping[str, Any], ...] = ()
        self._read: tuple[Told, ...] | None = None
        self._recalled: tuple[object, list[Hit]] = (None, [])
        self._composed: tuple[object, object, Briefing] = (None, None, Briefing())
        """The call's state that it was composed in, all that stands in it, and the briefing."""
        self._guessed: tuple[object, Notes | None] = (None, None)
        self.hits: list[Hit] = []

    def arrive(self, known: Known | None, caller: Caller) -> None:
        """The preload is there (or, with None, gone again: another caller). Its index comes later."""
        self.known = known
        if len(self.index):
            self.index = Index()
        self._older = None
        self.identify(caller)

    def take_rest(self, known: Known, index: Index, older: Older, caller: Caller) -> None:
        """All that is known has been read, and the index is built. The stable part stays as it is."""
        if known is not self.known:
            self.known = known
            self.seen = self._seen_by(caller)
        self._older = older
        self._take(index)

    def _take(self, index: Index) -> None:
        self.index = index
        self._version += 1

    def identify(self, caller: Caller) -> None:
        """Filter what is known by how surely we know who calls."""
        self.seen = self._seen_by(caller)
        self._verified = caller.strength is Strength.VERIFIED
        lines = stable_lines(self.seen, now=self._started, dump_below=self._settings.dump_below)
        self._stable = stable_block(lines, self._settings.stable_budget, self._settings.count_tokens)
        self._version += 1

    def _seen_by(self, caller: Caller) -> Visible:
        known = self.known or Known()
        stale = is_stale(known.profile, self._started, self._settings.recycled_after_days)
        return visible(
            known,
            caller,
            now=self._started,
            resume_within=self._settings.resume_within,
            stale_number=stale and caller.how != "verified",
            line=self._settings.line_of_business,
        )

    def documents(self, docs: Sequence[Mapping[str, Any]]) -> None:
        """What the app's own retrieval found for this turn."""
        self._documents, self._read = tuple(docs), None
        self._version += 1

    def _told(self, course: Course) -> tuple[Told, ...]:
        """What the documents say of the call's slots."""
        if self._read is None:
            moment = Moment(course.started.at, course.started.timezone)
            self._read = read_documents(self._documents, course.schema, moment)
        return self._read

    def brief(self, course: Course, text: str | None, nbest: Sequence[str] = ()) -> Briefing:
        """The briefing for one reply; the same object while nothing that stands in it changed."""
        spoken, notes, current = self._occasion(course, text, tuple(nbest))
        self.hits = self._recall(spoken, course.at)
        return self._compose(course, notes, current, self.hits)

    def prepare(self, course: Course, text: str) -> None:
        """Make ready what a reply needs if the open turn ends with these words.

        `brief` uses of it what is made of the very same words, notes and history, and nothing else.
        """
        turn = course.ledger.open_turn
        if turn is not None and turn.text == text:
            self._compose(course, course.notes, turn.number, self._recall(text, course.at))

    def _recall(self, text: str, now: datetime) -> list[Hit]:
        if not self.seen.recall or not text or not len(self.index):
            return []
        rows = self.prefetch.take(text)
        self._prove()
        key = (self._version, text, rows is not None, now.date())
        if self._recalled[0] == key:
            return self._recalled[1]
        query = Query(
            text=text,
            vector=rows,
            now=now,
            line=self._settings.line_of_business,
            k=self._settings.recall_items,
        )
        told = {line.id for line in self._stable.lines}
        found = self.index.search(query)
        if not found and (older := self._older) is not None and not low_signal(text):
            older.turn_page(lambda index: self._take(index) if self._older is older else None)
        hits = [hit for hit in found if hit.entry.id not in told]
        self._recalled = (key, hits)
        return hits

    def _prove(self) -> None:
        """Vectors of another model than the one in use would be nonsense beside the question's."""
        if (probe := self.prefetch.probed) is None or self._proven is self.index:
            return
        self._proven = self.index
        if not self.index.prove(probe):
            logger.warning("the stored vectors are another model's; recall goes by keywords for this call")

    def _compose(self, course: Course, notes: Notes, current: int | None, hits: list[Hit]) -> Briefing:
        ledger = course.ledger
        tools = ledger.tools  # a turn's end moves the tools that were called in it
        guards = tuple(course.guards.items())
        state = (self._version, course.updates, current, notes, hits, tools, guards)
        if self._composed[0] == state:
            return self._composed[2]
        cut, said = ledger.cut, course.history()
        recent = recent_items(said, current)
        basis = (self._version, notes, ledger.missed, cut, tools, guards, hits, recent)
        if self._composed[1] == basis:
            self._composed = (state, *self._composed[1:])
            return self._composed[2]
        hidden = untold(course.schema, verified=self._verified)
        changing = [
            *state_lines(notes.state, course.schema, hidden),
            *next_line(course.next_step(notes)),
            *cut_line(cut),
            *tool_lines(tools),
            *document_lines(self._told(course), notes.state, hidden),
            *recall_lines(hits),
            *recent_lines(recent),
        ]
        settings = self._settings
        block = changing_block(changing, settings.turn_budget, settings.count_tokens)
        confirmed = confirmed_values(notes.state, course.schema, hidden)
        briefing = join(self._stable, block, confirmed)
        self._composed = (state, basis, briefing)
        return briefing

    def _occasion(
        self, course: Course, text: str | None, nbest: tuple[str, ...]
    ) -> tuple[str, Notes, int | None]:
        """What is being answered: its words, the notes that hold for it, and the turn's number."""
        last = course.ledger.open_turn or (course.ledger.turns[-1] if course.ledger.turns else None)
        if text is None or (last is not None and normalised(text) == normalised(last.text)):
            return (last.text, course.notes, last.number) if last else ("", course.notes, None)
        key = (course.updates, course.turn, text, nbest)
        guess = self._guessed[1] if self._guessed[0] == key else None
        if guess is None:
            guess = course.speculate(text, nbest)
            self._guessed = (key, guess)
        return text, guess, None

    def _encodings(self, text: str) -> Sequence[str]:
        return self.index.encodings(text)


def build_index(
    known: Known, episodes: Sequence[Episode], vectors: Sequence[VectorSet], embedder: str
) -> Index:
    """The caller's index, with the vectors that this embedder made. CPU work: run it in a thread."""
    index = Index()
    entries = entries_of(known.profile, episodes)
    usable = _of_one_model([one for one in vectors if one.embedder == embedder])
    if usable:
        index.probe = usable[0].probe
        by_id = {id: row for one in usable for id, row in zip(one.ids, one.rows, strict=True)}
        blank = np.zeros(usable[0].width, np.float32)
        index.add(entries, np.stack([by_id.get(e.id, blank) for e in entries]))
    else:
        index.add(entries)
    return index


def _of_one_model(vectors: Sequence[VectorSet]) -> list[VectorSet]:
    """The vectors of the model that most are from: an app may have put another one behind its embedder."""
    models: list[list[VectorSet]] = []
    for one in sorted(vectors, key=lambda one: one.probe is None):
        if not one.width:
            continue
        same = (m for m in models if m[0].width == one.width and same_model(m[0].probe, one.probe))
        if (model := next(same, None)) is None:
            models.append([one])
        else:
            model.append(one)
    return max(models, key=lambda sets: (sum(len(one.ids) for one in sets), sets[0].width), default=[])
