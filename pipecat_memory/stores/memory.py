"""The store that lives and dies with its process: `memory://`, for tests, replay and evaluation."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from ..errors import Erased, VersionConflict
from .base import Doc, Entry, Erasure, Job, NewEntry, PutDoc


@dataclass(slots=True)
class _Held:
    job: Job
    free_at: float
    worker: str = ""


@dataclass(slots=True)
class _Shelf:
    """Everything of one owner."""

    seq: int = 0
    entries: list[Entry] = field(default_factory=list[Entry])
    seen: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    docs: dict[tuple[str, str], Doc] = field(default_factory=dict[tuple[str, str], Doc])


class MemoryStore:
    """A store in plain dictionaries. No method awaits anything, so each one is atomic."""

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self._now = now
        self._shelves: dict[str, _Shelf] = {}
        self._jobs: dict[tuple[str, str], _Held] = {}
        self._tombstones: set[str] = set()

    async def append(
        self, owner: str, call: str, entries: Sequence[NewEntry], *, instead_of: Sequence[str] = ()
    ) -> int:
        shelf = self._writable(owner)
        if gone := {(call, uid) for uid in instead_of}:
            shelf.entries = [e for e in shelf.entries if (e.call, e.uid) not in gone]
            shelf.seen -= gone
        for new in entries:
            if (call, new.uid) in shelf.seen:
                continue
            shelf.seq += 1
            shelf.seen.add((call, new.uid))
            shelf.entries.append(Entry(shelf.seq, call, new.uid, new.kind, new.at, new.blob))
        return shelf.seq

    async def read(self, owner: str, *, call: str | None = None, after: int = 0) -> list[Entry]:
        shelf = self._shelves.get(owner, _Shelf())
        return [e for e in shelf.entries if e.seq > after and call in (None, e.call)]

    async def put(self, owner: str, docs: Sequence[PutDoc], *, jobs: Sequence[Job] = ()) -> None:
        shelf = self._writable(owner)
        for doc in docs:
            held = shelf.docs.get((doc.kind, doc.name))
            if (held.version if held else 0) != doc.expected:
                raise VersionConflict(f"{doc.kind}/{doc.name}: not at version {doc.expected}")
        for doc in docs:
            shelf.docs[doc.kind, doc.name] = Doc(doc.kind, doc.name, doc.expected + 1, doc.blob)
        for job in jobs:
            self._jobs.setdefault((owner, job.id), _Held(replace(job, owner=owner), self._now()))

    async def load(self, owner: str, kinds: Sequence[str] = (), *, names: Sequence[str] = ()) -> list[Doc]:
        shelf = self._shelves.get(owner, _Shelf())
        return [
            doc
            for doc in shelf.docs.values()
            if (not kinds or doc.kind in kinds) and (not names or doc.name in names)
        ]

    async def drop(self, owner: str, call: str, *, keep: Sequence[str] = ()) -> int:
        shelf = self._shelves.get(owner)
        if shelf is None:
            return 0
        before = len(shelf.entries) + len(shelf.docs) + len(self._jobs)
        shelf.entries = [e for e in shelf.entries if e.call != call]
        shelf.seen = {(c, uid) for c, uid in shelf.seen if c != call}
        shelf.docs = {place: doc for place, doc in shelf.docs.items() if doc.name != call or doc.kind in keep}
        self._jobs = {
            place: held
            for place, held in self._jobs.items()
            if (held.job.owner, held.job.call) != (owner, call) or held.job.kind in keep
        }
        return before - len(shelf.entries) - len(shelf.docs) - len(self._jobs)

    async def claim(
        self, worker: str, lease: float, *, kinds: Sequence[str] = (), job: Job | None = None
    ) -> Job | None:
        now = self._now()
        if job is not None:
            held = self._jobs.get((job.owner, job.id))
        else:
            free = (h for h in self._jobs.values() if h.free_at <= now and (not kinds or h.job.kind in kinds))
            held = min(free, key=lambda h: h.free_at, default=None)
        if held is None:
            return None
        if held.free_at > now:
            if held.worker != worker:
                return None
        else:
            held.job = replace(held.job, attempts=held.job.attempts + 1)
        held.worker, held.free_at = worker, now + lease
        return held.job

    async def finish(self, worker: str, job: Job) -> bool:
        held = self._jobs.get((job.owner, job.id))
        if held is None or held.worker != worker or held.free_at <= self._now():
            return False
        del self._jobs[job.owner, job.id]
        return True

    async def erase(self, owner: str) -> Erasure:
        self._tombstones.add(owner)
        shelf = self._shelves.pop(owner, _Shelf())
        jobs = [place for place in self._jobs if place[0] == owner]
        for place in jobs:
            del self._jobs[place]
        return Erasure(len(shelf.entries), len(shelf.docs), len(jobs))

    async def open(self) -> None:
        """There is nothing to open."""

    async def aclose(self) -> None:
        """Nothing to give back."""

    def _writable(self, owner: str) -> _Shelf:
        if owner in self._tombstones:
            raise Erased("this caller was erased")
        return self._shelves.setdefault(owner, _Shelf())


class MemoryKeyStore:
    """Keys in a dictionary."""

    def __init__(self) -> None:
        self._keys: dict[str, bytes] = {}

    async def get(self, name: str) -> bytes | None:
        return self._keys.get(name)

    async def add(self, name: str, key: bytes) -> bytes:
        return self._keys.setdefault(name, key)

    async def replace(self, name: str, old: bytes, new: bytes) -> bool:
        if self._keys.get(name) != old:
            return False
        self._keys[name] = new
        return True

    async def destroy(self, name: str, key: bytes) -> bool:
        if self._keys.get(name) != key:
            return False
        del self._keys[name]
        return True

    async def open(self) -> None:
        """There is nothing to open."""

    async def aclose(self) -> None:
        """Nothing to give back."""
