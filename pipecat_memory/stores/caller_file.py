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
from .box import FACT_VECTORS, MOVED, OURS, Box
from .contents import CallMeta, HeadDoc, Loaded, VectorSet, filed, met, opened_head, pack
from .past_calls import PastCall, PastCalls, still_true
from .settlement import CHANGED, Before

_TRIES = 20
"""Compare-and-set rounds before giving up; each lost round means that somebody else won one."""

_INLINE_BYTES = 500_000
"""More than this is decoded in a thread: at 400 bytes a microsecond it takes the loop over a millisecond."""

_INLINE_HEAD = 200_000
"""As much for a head: with 2,500 rows of past calls, each of which is held against its document."""

AT_ONCE = ("head", "profile", "call", "people", MOVED)
"""Kinds that a preload reads; what recall searches is read behind it."""

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
            held = next(iter(await self._out(self.box.load(["call"], names=[meta.call]))), None)
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

    async def glance(self, matters: Callable[[str, PastCall], bool]) -> Loaded:
        """What a call has to know at once. Where there is a head of the profile, the rest waits sealed.

        Args:
            matters: whether a call is opened though it is over, by its id.
        """
        docs = await self._out(self.box.load(AT_ONCE, sealed=["profile", "call"]))
        profile = next((doc for doc in docs if doc.kind == "profile"), None)
        calls = [doc for doc in docs if doc.kind == "call"]
        head, over = await self._head(docs, calls)
        past = {id: row for id, row in over.items() if not matters(id, row)}
        opened = await self._out(self.box.unseal([doc for doc in calls if doc.name not in past]))
        found = await self._filed([*opened, *(doc for doc in docs if doc.kind in ("people", MOVED))], past)
        found.head, found.sealed = head.of_profile(profile.version) if profile else None, profile
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

    async def call(self, id: str) -> CallMeta | None:
        """The head of one call; None where it is not here, or on its way to another caller's file."""
        return (await self._load(["call", MOVED], [id])).calls.get(id)

    async def moved(self) -> dict[str, str]:
        """See `Loaded.moved`."""
        return (await self._load([MOVED])).moved

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

    async def _filed(self, docs: Sequence[Doc], past: PastCalls | None = None) -> Loaded:
        if sum(len(doc.blob) for doc in docs) <= _INLINE_BYTES:
            found = filed(docs)
        else:
            found = await self._out(asyncio.to_thread(filed, docs))
        for call in found.moved:
            found.calls.pop(call, None)
        found.past = {id: row for id, row in (past or {}).items() if id not in found.moved}
        return found

    async def _head(self, docs: Sequence[Doc], calls: Sequence[Doc]) -> tuple[HeadDoc, dict[str, PastCall]]:
        """The head among these documents, and what it tells of the calls as the store holds them now."""
        doc = next((doc for doc in docs if doc.kind == "head"), None)

        def read() -> tuple[HeadDoc, dict[str, PastCall]]:
            head = opened_head(doc)
            return head, still_true(head.past, calls)

        if doc is None or len(doc.blob) <= _INLINE_HEAD:
            return read()
        return await self._out(asyncio.to_thread(read))

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
            before = await self._before(meta)
            after = asyncio.to_thread(before.after, change, meta, episodes, vectors)
            profile, writes = await self._out(after)
            try:
                await self._out(self.box.put(writes))
            except VersionConflict:
                continue
            return profile
        raise VersionConflict("the profile kept changing; the call stays to be settled later")

    async def _before(self, meta: CallMeta | None) -> Before:
        """What there is to be changed, `meta` being of the call that is settled."""
        docs = await self._out(self.box.load(["head", *CHANGED, "call"], sealed=["call"]))
        calls = [doc for doc in docs if doc.kind == "call"]
        docs = [doc for doc in docs if doc.kind != "call"]
        _, past = await self._head(docs, calls)
        if meta is not None:
            past.pop(meta.call, None)
            docs += await self._out(self.box.load(["episodes", "vectors"], names=[meta.call]))
        opened = await self._out(self.box.unseal([doc for doc in calls if doc.name not in past]))
        for kind, name in [*((kind, OURS) for kind in CHANGED), *([("call", meta.call)] if meta else [])]:
            if (place := self.box.unreadable(kind, name)) is not None:
                raise StoreCorrupt(
                    f"{place}: can't be read by this release; the call stays in its journal until that "
                    "record is mended, read by its own release, or the caller is forgotten"
                )
        writable = self.box.unreadable("head", OURS) is None
        return Before(docs=docs, calls=calls, past=past, opened=opened, head=writable)

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
        await self._out(self.box.hand_over(call, other.box, [other.job(call)], met))

    async def drop(self, call: str) -> int:
        return await self._out(self.box.drop(call))

    async def erase(self) -> Erasure:
        return await self._out(self.box.erase())

    async def aside(self, work: Callable[[], T]) -> T:
        """Do work on records in a thread, as part of a command."""
        return await self._out(asyncio.to_thread(work))

    def job(self, call: str) -> Job:
        return self.box.job(SETTLE, call)

    async def _out(self, command: Awaitable[T]) -> T:
        with self._gauge.one():
            return await command
