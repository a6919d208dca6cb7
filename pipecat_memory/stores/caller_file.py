"""One caller's records as the engine sees them: typed, on top of an opened box of the vault."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Generator, Sequence
from dataclasses import replace
from typing import TypeVar

import msgspec

from ..errors import StoreCorrupt, VersionConflict
from ..records.caller import Scope
from ..records.profile import Episode, Profile
from .base import Doc, Entry, Erasure, Job, PutDoc
from .box import FACT_VECTORS, MOVED, Box
from .contents import CallMeta, Loaded, VectorSet, filed, head_for, pack, packed, packed_head

_TRIES = 20
"""Compare-and-set rounds before giving up; each lost round means that somebody else won one."""

_INLINE_BYTES = 500_000
"""More than this is decoded in a thread: at 400 bytes a microsecond it takes the loop over a millisecond."""

AT_ONCE = ("head", "profile", "call", "people", MOVED)
"""Kinds that a preload reads; what recall searches is read behind it."""

OURS = "main"
"""Name of the one document of each kind that is of the caller as a whole."""

_EARLIER = "facts"
"""Where earlier versions of this software kept the vectors of facts, among those of calls."""

SETTLE = "settle"
"""The job that finishes a call: extract what is missing, summarise, write the profile."""

T = TypeVar("T")


class Gauge:
    """How many store commands are out now."""

    def __init__(self) -> None:
        self.out = 0

    @contextlib.contextmanager
    def one(self) -> Generator[None]:
        self.out += 1
        try:
            yield
        finally:
            self.out -= 1


class CallerFile:
    """The records of one scope.

    Args:
        box: the scope's opened box.
        scope: whose it is.
        gauge: counts commands that are out.
    """

    def __init__(self, box: Box, scope: Scope | None, gauge: Gauge) -> None:
        self.box = box
        self.scope = scope
        self._gauge = gauge

    @property
    def owner(self) -> str:
        return self.box.owner

    async def open_call(self, meta: CallMeta) -> CallMeta:
        """Write the head of a call and the job that will finish it, whoever does. Idempotent.

        A call that was settled already goes on (another process holds its line, or its worker was taken
        for dead): it is unsettled from here, and has a job again. How the caller is known may have changed.

        Returns:
            The head as it is now, with the runs of all processes that held the call.
        """
        job = self.box.job(SETTLE, meta.call)
        for _ in range(_TRIES):
            docs = await self._out(self.box.load(["call"]))
            held = next((doc for doc in docs if doc.name == meta.call), None)
            head = msgspec.json.decode(held.blob, type=CallMeta) if held else meta
            new = head.joined(meta)
            write = PutDoc("call", meta.call, pack(new), held.version if held else 0)
            try:
                await self._out(self.box.put([write] if held is None or new != head else [], [job]))
            except VersionConflict:
                continue
            return new
        raise VersionConflict("the call's head kept changing")

    async def append(
        self,
        call: str,
        records: Sequence[tuple[str, str, float, bytes]],
        *,
        instead_of: Sequence[str] = (),
    ) -> None:
        """Add (uid, kind, Unix time, payload) records to a call's journal; those of `instead_of` go."""
        await self._out(self.box.append(call, records, instead_of=instead_of))

    async def journal(self, call: str | None = None) -> list[Entry]:
        """The opened journal records, in order; of one call where given."""
        return await self._out(self.box.read(call))

    async def glance(self) -> Loaded:
        """What a call has to know at once. Where there is a head of the profile, the rest waits sealed."""
        docs = await self._out(self.box.load(AT_ONCE, sealed=["profile"]))
        profile = next((doc for doc in docs if doc.kind == "profile"), None)
        head = next((doc for doc in docs if doc.kind == "head"), None)
        found = await self._filed([doc for doc in docs if doc.kind not in ("head", "profile")])
        found.head, found.sealed = head_for(head, profile.version) if profile else None, profile
        return found if found.head else await self.whole(found)

    async def whole(self, loaded: Loaded) -> Loaded:
        """What `glance` gave, with the whole profile of the same moment."""
        if loaded.sealed is None:
            return loaded
        opened = await self._filed(await self._out(self.box.unseal([loaded.sealed])))
        return replace(loaded, profile=opened.profile, head=None, sealed=None)

    async def load(self, *, claims: bool = False) -> Loaded:
        """All but what recall searches: the profile, the heads of calls, people (and claims, if asked)."""
        return await self._load([*(k for k in AT_ONCE if k != "head"), *(["claims"] if claims else [])])

    async def memories(self, calls: Sequence[str] = ()) -> Loaded:
        """What recall searches: the episodes of past calls (of these where given), and vectors."""
        names = [*calls, _EARLIER, OURS] if calls else ()
        found = await self._load(["episodes", "vectors", FACT_VECTORS], names)
        if calls:
            found.episodes = {call: found.episodes[call] for call in calls if call in found.episodes}
            found.vectors = {c: v for c, v in found.vectors.items() if c in calls or v.of_facts}
        if found.fact_vectors is not None and (old := found.vectors.get(_EARLIER)) and old.of_facts:
            del found.vectors[_EARLIER]
        return found

    async def _load(self, kinds: Sequence[str], names: Sequence[str] = ()) -> Loaded:
        return await self._filed(await self._out(self.box.load(kinds, names=names)))

    async def _filed(self, docs: Sequence[Doc]) -> Loaded:
        if sum(len(doc.blob) for doc in docs) <= _INLINE_BYTES:
            found = filed(docs)
        else:
            found = await self._out(asyncio.to_thread(filed, docs))
        for call in found.moved:
            found.calls.pop(call, None)
        return found

    async def settle(
        self,
        meta: CallMeta | None,
        change: Callable[[Profile], Profile],
        episodes: Sequence[Episode] = (),
        vectors: VectorSet | None = None,
    ) -> Profile:
        """Write a finished call into the profile, all or nothing, against the newest profile.

        `change` runs in a thread: folding a long profile takes longer than the loop may stand still.

        Args:
            meta: the call's head, settled; None where only the profile changes.
            change: what the call makes of the profile; may run several times.
            episodes: the call's committed items, for recall.
            vectors: of those items.

        Raises:
            VersionConflict: another process has begun to hold the call, and its part is not told here.
            StoreCorrupt: the profile or its claims can't be read, so nothing may be put in their place.
        """
        for _ in range(_TRIES):
            docs = await self._out(self.box.load(["head", *_CHANGED, "call"]))
            if meta is not None:
                docs += await self._out(self.box.load(["episodes", "vectors"], names=[meta.call]))
            for kind in _CHANGED:
                if (place := self.box.unreadable(kind, OURS)) is not None:
                    raise StoreCorrupt(
                        f"{place}: can't be read by this release; the call stays in its journal until that "
                        "record is mended, read by its own release, or the caller is forgotten"
                    )
            versions = {(doc.kind, doc.name): doc.version for doc in docs}
            of = versions.get(("profile", OURS), 0) + 1
            held = [doc for doc in docs if doc.kind in _CHANGED]
            profile, writes = await self._out(asyncio.to_thread(_changed, held, change, meta, of))
            if self.box.unreadable("head", OURS) is not None:
                writes = [(kind, name, blob) for kind, name, blob in writes if kind != "head"]
            if meta is not None:
                if (held := _head(docs, meta.call)) is not None:
                    if not held.runs.keys() <= meta.runs.keys():
                        raise VersionConflict("another process goes on with the call, and will finish it")
                    meta = replace(meta, at=held.at)
                writes += [
                    ("call", meta.call, pack(meta)),
                    ("episodes", meta.call, pack(tuple(episodes))),
                ]
                if vectors is not None:
                    writes.append(("vectors", meta.call, vectors.pack()))
            try:
                await self._out(
                    self.box.put([PutDoc(k, n, b, versions.get((k, n), 0)) for k, n, b in writes])
                )
            except VersionConflict:
                continue
            return profile
        raise VersionConflict("the profile kept changing; the call stays to be settled later")

    async def change(self, kind: str, name: str, edit: Callable[[bytes | None], bytes]) -> None:
        """Rewrite one document against its newest version."""
        for _ in range(_TRIES):
            docs = await self._out(self.box.load([kind], names=[name]))
            old = docs[0] if docs else None
            blob = edit(old.blob if old else None)
            try:
                await self._out(self.box.put([PutDoc(kind, name, blob, old.version if old else 0)]))
            except VersionConflict:
                continue
            return
        raise VersionConflict(f"the {kind} document kept changing")

    async def note_person(self, person: str) -> None:
        """Remember that this number has such a person."""

        def edit(blob: bytes | None) -> bytes:
            people = msgspec.json.decode(blob, type=tuple[str, ...]) if blob else ()
            return pack(people if person in people else (*people, person))

        await self.change("people", OURS, edit)

    async def hand_over(self, call: str, other: CallerFile) -> None:
        """Move one call into another caller's file. Killed half way, `Loaded.moved` says so."""
        await self._out(self.box.hand_over(call, other.box, [other.job(call)]))

    async def drop(self, call: str) -> int:
        return await self._out(self.box.drop(call))

    async def erase(self) -> Erasure:
        return await self._out(self.box.erase())

    def job(self, call: str) -> Job:
        return self.box.job(SETTLE, call)

    async def _out(self, command: Awaitable[T]) -> T:
        with self._gauge.one():
            return await command


_CHANGED = ("profile", "claims")
"""Kinds that settling a call reads; of the others it needs only the versions."""


def _changed(
    docs: Sequence[Doc], change: Callable[[Profile], Profile], meta: CallMeta | None, of: int
) -> tuple[Profile, list[tuple[str, str, bytes]]]:
    """The profile as changed, and its documents: (kind, name, payload). CPU work: run it in a thread."""
    profile = change(filed(docs).profile)
    return profile, [
        ("profile", OURS, packed(profile)),
        ("claims", OURS, pack(profile.claims)),
        ("head", OURS, packed_head(profile, meta, of)),
    ]


def _head(docs: Sequence[Doc], call: str) -> CallMeta | None:
    """The head of one call, which another process may have joined since we began."""
    found = next((doc for doc in docs if (doc.kind, doc.name) == ("call", call)), None)
    return None if found is None else msgspec.json.decode(found.blob, type=CallMeta)
