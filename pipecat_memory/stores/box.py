"""A box of the vault: all records of one caller, opened."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar
from urllib.parse import unquote

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from ..errors import Erased, StoreCorrupt, VersionConflict
from .base import Doc, Entry, Erasure, Job, NewEntry, PutDoc, Store
from .ids import from_id, job_to_ids, to_id
from .keys import KeyRing
from .seal import Place, is_newer, seal, unseal

MOVED = "moved"
"""The document, named by a call, that says to which owner the call belongs from now on."""

FACT_VECTORS = "fact_vectors"
"""The document that holds the vectors of a caller's facts."""

EXPIRE = "expire"
"""The job that looks at a caller's file when its oldest call has reached its age."""

OURS = "main"
"""Name of the one document of each kind that is of the caller as a whole."""

NO_CALLS = ("head", "profile", "claims", "people", FACT_VECTORS, EXPIRE)
"""Kinds of documents and jobs of the caller as a whole: there a name is one of ours, such as `OURS`. In all
other kinds it is a call's id, which may be any text, and goes where the call goes."""

_UNPACKED = ("head",)
"""Kinds that a first reply waits for: short, and to unpack one takes longer than to read its other bytes."""
_INLINE_BYTES = 64_000
_INLINE_BLOBS = 100
"""More than this is sealed or opened in a thread: 100 small blobs take under a millisecond of the loop."""

_TRIES = 20
"""Times that a move gives way to others who write the same documents."""

Kept = TypeVar("Kept", Entry, Doc)
Met = Callable[[str, bytes, bytes], bytes]


@dataclass(repr=False, slots=True)
class Box:
    """All records of one caller, opened. Blobs in and out of it are plain payloads.

    `kind`, `call`, `uid` and a document's `name` stand in the clear in the store: ids, never words.
    Records that can't be opened are left where they are, skipped, and named in `corrupt`; records
    of a newer version of this software are left, skipped, and named in `newer`.
    """

    store: Store
    _keys: KeyRing
    _name: str
    _key: bytes
    owner: str
    corrupt: list[str] = field(default_factory=list[str])
    newer: list[str] = field(default_factory=list[str])
    _cipher: AESGCM = field(init=False)

    def __post_init__(self) -> None:
        self._cipher = AESGCM(self._key)

    @property
    def tenant(self) -> str:
        """Whose caller this is."""
        return unquote(self._name.rpartition(":")[0], errors="surrogatepass")

    async def append(
        self,
        call: str,
        records: Sequence[tuple[str, str, float, bytes]],
        *,
        instead_of: Sequence[str] = (),
    ) -> int:
        """Add (uid, kind, at, payload) records to a call's journal; as `Store.append`."""
        entries = [
            NewEntry(to_id(uid), to_id(kind), at, seal(self._cipher, self._entry(call, kind, uid), payload))
            for uid, kind, at, payload in records
        ]
        try:
            return await self.store.append(
                self.owner, to_id(call), entries, instead_of=[to_id(uid) for uid in instead_of]
            )
        except Erased:
            await self._finish_erasure()
            raise

    async def read(self, call: str | None = None, after: int = 0) -> list[Entry]:
        """The journal, opened, in order of `seq`; of one call where given."""
        found = await self.store.read(self.owner, call=None if call is None else to_id(call), after=after)
        return await self._opened(found, self._entry_opened)

    async def put(self, docs: Sequence[PutDoc], jobs: Sequence[Job] = ()) -> None:
        """Write documents and add jobs, all or none; as `Store.put`."""
        inline = sum(len(doc.blob) for doc in docs) <= _INLINE_BYTES
        sealed = self._sealed(docs) if inline else await asyncio.to_thread(self._sealed, docs)
        try:
            await self.store.put(self.owner, sealed, jobs=[job_to_ids(job) for job in jobs])
        except Erased:
            await self._finish_erasure()
            raise

    async def load(
        self, kinds: Sequence[str] = (), *, names: Sequence[str] = (), sealed: Sequence[str] = ()
    ) -> list[Doc]:
        """The documents of these kinds and names, opened; of a kind in `sealed`, `unseal` opens them."""
        quoted = [to_id(name) for name in names]
        found = await self.store.load(self.owner, [to_id(kind) for kind in kinds], names=quoted)
        docs = [_named(doc) for doc in found]
        left = [doc for doc in docs if doc.kind in sealed]
        return [*await self.unseal([doc for doc in docs if doc.kind not in sealed]), *left]

    async def unseal(self, docs: list[Doc]) -> list[Doc]:
        """Documents that `load` left sealed, opened."""
        return await self._opened(docs, self._doc_opened)

    def job(self, kind: str, call: str, id: str | None = None) -> Job:
        """A job of this caller, to give to `put`. Its id is `kind/call` where none is given."""
        return Job(f"{kind}/{call}" if id is None else id, kind, self.owner, call)

    async def drop(self, call: str) -> int:
        """Remove one call: its journal, the documents named by it, its jobs."""
        return await self.store.drop(self.owner, to_id(call), keep=[to_id(kind) for kind in NO_CALLS])

    async def hand_over(
        self, call: str, other: Box, jobs: Sequence[Job] = (), met: Met = lambda _kind, there, _moved: there
    ) -> int:
        """Move one call, with jobs for it, to another caller's box. Returns the records moved.

        Args:
            call: which.
            other: where to.
            jobs: for it.
            met: what becomes of a document that is there already: its kind, that one, the one that moves.

        First this box notes where the call belongs from now on (a `MOVED` document with the other's
        owner); then the other box gets everything; then this one drops it. Killed anywhere between,
        whoever finds the note hands over again, and nothing is moved twice.
        """
        docs = [doc for doc in await self.load(names=[call]) if doc.kind not in NO_CALLS]
        if all(doc.kind != MOVED for doc in docs):
            with contextlib.suppress(VersionConflict):
                await self.put([PutDoc(MOVED, call, other.owner.encode(), 0)])
        docs = [doc for doc in docs if doc.kind != MOVED]
        entries = await self.read(call)
        await other.append(call, [(e.uid, e.kind, e.at, e.blob) for e in entries])
        for again in reversed(range(_TRIES)):
            try:
                await other.put(await other._moved_in(call, docs, met), jobs)
            except VersionConflict:  # somebody else moves it too, or goes on with it there
                if not again:
                    raise
                continue
            break
        await self.drop(call)
        return len(entries) + len(docs)

    async def _moved_in(self, call: str, docs: Sequence[Doc], met: Met) -> list[PutDoc]:
        """What is to be written where these documents of a call move in."""
        there = {doc.kind: doc for doc in await self.load(names=[call]) if doc.kind not in NO_CALLS}
        writes: list[PutDoc] = []
        for doc in docs:
            held = there.get(doc.kind)
            blob = doc.blob if held is None else met(doc.kind, held.blob, doc.blob)
            if held is None or blob != held.blob:
                writes.append(PutDoc(doc.kind, call, blob, held.version if held else 0))
        return writes

    async def erase(self) -> Erasure:
        """Forget this caller: every record, job and then the data key. Idempotent."""
        erasure = await self.store.erase(self.owner)
        await self._finish_erasure()
        return erasure

    async def _finish_erasure(self) -> None:
        # Also the way out when somebody was killed between the records' end and the key's.
        await self._keys.destroy(self._name, self._key)

    def unreadable(self, kind: str, name: str) -> str | None:
        """The place of a document that was met and can't be read: broken, or a newer version's."""
        place = str(self._doc(kind, name))
        return place if place in self.corrupt or place in self.newer else None

    def _entry(self, call: str, kind: str, uid: str) -> Place:
        return Place(self.owner, ("entry", kind, call, uid))

    def _sealed(self, docs: Sequence[PutDoc]) -> list[PutDoc]:
        return [
            PutDoc(
                to_id(doc.kind),
                to_id(doc.name),
                seal(self._cipher, self._doc(doc.kind, doc.name), doc.blob, pack=doc.kind not in _UNPACKED),
                doc.expected,
            )
            for doc in docs
        ]

    def _doc(self, kind: str, name: str) -> Place:
        return Place(self.owner, ("doc", kind, name))

    def _entry_opened(self, e: Entry) -> Entry | None:
        call, uid, kind = from_id(e.call), from_id(e.uid), from_id(e.kind)
        payload = self._unsealed(self._entry(call, kind, uid), e.blob)
        return None if payload is None else Entry(e.seq, call, uid, kind, e.at, payload)

    def _doc_opened(self, doc: Doc) -> Doc | None:
        payload = self._unsealed(self._doc(doc.kind, doc.name), doc.blob)
        return None if payload is None else Doc(doc.kind, doc.name, doc.version, payload)

    async def _opened(self, kept: list[Kept], open_one: Callable[[Kept], Kept | None]) -> list[Kept]:
        def work() -> list[Kept]:
            return [opened for one in kept if (opened := open_one(one)) is not None]

        if len(kept) <= _INLINE_BLOBS and sum(len(one.blob) for one in kept) <= _INLINE_BYTES:
            return work()
        return await asyncio.to_thread(work)

    def _unsealed(self, place: Place, blob: bytes) -> bytes | None:
        """The payload; None and a note where it is of a newer version, or broken."""
        if is_newer(blob):
            _note(self.newer, str(place))
            return None
        try:
            return unseal(self._cipher, place, blob)
        except StoreCorrupt:
            _note(self.corrupt, str(place))
            return None


def _named(doc: Doc) -> Doc:
    """A document of the store, by its own name."""
    if "%" not in doc.name and "%" not in doc.kind:
        return doc  # as nearly all of a thousand are
    return Doc(from_id(doc.kind), from_id(doc.name), doc.version, doc.blob)


def _note(places: list[str], place: str) -> None:
    if place not in places:
        places.append(place)
