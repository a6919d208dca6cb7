"""The vault: callers on one side, opaque owners and sealed blobs on the other.

An owner names one incarnation of one person: `<tenant>:<keyed hash of tenant, caller, person>.<print
of the data key>`. To forget somebody destroys the data key; when the person calls again there is a
new key, so a new owner, and whatever still holds the old one is refused by the old one's tombstone.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar
from urllib.parse import quote, unquote

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from ..errors import Erased, StoreCorrupt, StoreUnavailable, VersionConflict
from ..records.caller import Scope
from .base import Doc, Entry, Erasure, Job, KeyStore, NewEntry, PutDoc, Store
from .ids import from_id, to_id
from .keys import Encryption, KeyRing
from .seal import Place, is_newer, seal, unseal

logger = logging.getLogger(__name__)

MOVED = "moved"
"""The document, named by a call, that says to which owner the call belongs from now on."""

FACT_VECTORS = "fact_vectors"
"""The document that holds the vectors of a caller's facts."""

EXPIRE = "expire"
"""The job that looks at a caller's file when its oldest call has reached its age."""

NO_CALLS = ("head", "profile", "claims", "people", FACT_VECTORS, EXPIRE)
"""Kinds of documents and jobs of the caller as a whole: there a name is one of ours, such as "main". In all
other kinds it is a call's id, which may be any text, and goes where the call goes."""

_UNPACKED = ("head",)
"""Kinds that a first reply waits for: short, and to unpack one takes longer than to read its other bytes."""
_INLINE_BYTES = 64_000
_INLINE_BLOBS = 100
"""More than this is sealed or opened in a thread: 100 small blobs take under a millisecond of the loop."""

Kept = TypeVar("Kept", Entry, Doc)


class Vault:
    """Opens boxes of callers in a store.

    Args:
        store: where sealed records lie.
        keystore: where data keys lie.
        encryption: the store's own key, 32 bytes or their base64, or a sync or async callable that
            fetches it; data keys are then wrapped by it. None keeps them as they are.
    """

    def __init__(self, store: Store, keystore: KeyStore, encryption: Encryption = None) -> None:
        self.store = store
        self._keys = KeyRing(keystore, encryption)

    async def open(self) -> None:
        """Check early that the store's key fits.

        Raises:
            UsedWrongly: `encryption` is missing or wrong for this store.
        """
        try:
            await self._keys.open()
        except StoreUnavailable as error:
            # A file that can't be opened has failed before; a server that is away comes back.
            logger.warning("keys of the store: %s; calls go on without memory until it is back", error)

    async def box(self, scope: Scope, create: bool = True) -> Box | None:
        """The box of one caller. None where there is none and none is to be made."""
        name = _name(scope.tenant, await self.subject(scope))
        key = await (self._keys.make(name) if create else self._keys.find(name))
        return None if key is None else self._box(name, key)

    async def subject(self, whose: Scope | str) -> str:
        """The keyed hash that names a caller, or the owner of that id, in every incarnation."""
        if isinstance(whose, Scope):
            return await self._keys.hash((whose.tenant, whose.caller, whose.person))
        name, _, _ = whose.rpartition(".")
        return name.rpartition(":")[2]

    async def trail(self, tenant: str) -> Box:
        """The box of a tenant's audit trail, named by two fields: no caller's three can meet them."""
        name = _name(tenant, await self._keys.hash(("audit", tenant)))
        return self._box(name, await self._keys.make(name))

    async def box_of(self, owner: str) -> Box | None:
        """The box of an owner named by a job. None where that incarnation was erased."""
        name, _, _ = owner.rpartition(".")
        key = await self._keys.find(name)
        box = None if key is None else self._box(name, key)
        return box if box is not None and box.owner == owner else None

    async def claim(
        self, worker: str, lease: float, *, kinds: Sequence[str] = (), job: Job | None = None
    ) -> Job | None:
        """As `Store.claim`: take a free job, or take or renew the one named, for `lease` seconds."""
        taken = await self.store.claim(
            to_id(worker), lease, kinds=[to_id(kind) for kind in kinds], job=job and _quoted(job)
        )
        return taken and _unquoted(taken)

    async def finish(self, worker: str, job: Job) -> bool:
        """As `Store.finish`: remove a job this worker still holds."""
        return await self.store.finish(to_id(worker), _quoted(job))

    async def aclose(self) -> None:
        """Close the store and its keys."""
        await self.store.aclose()
        await self._keys.aclose()

    def _box(self, name: str, key: bytes) -> Box:
        incarnation = hashlib.sha256(b"owner" + key).hexdigest()[:16]
        return Box(self.store, self._keys, name, key, f"{name}.{incarnation}")


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
            await self.store.put(self.owner, sealed, jobs=[_quoted(job) for job in jobs])
        except Erased:
            await self._finish_erasure()
            raise

    async def load(
        self, kinds: Sequence[str] = (), *, names: Sequence[str] = (), sealed: Sequence[str] = ()
    ) -> list[Doc]:
        """The documents of these kinds and names, opened; of a kind in `sealed`, `unseal` opens them."""
        quoted = [to_id(name) for name in names]
        found = await self.store.load(self.owner, [to_id(kind) for kind in kinds], names=quoted)
        left = [doc for doc in found if doc.kind in sealed]
        return [*await self.unseal([doc for doc in found if doc.kind not in sealed]), *left]

    async def unseal(self, docs: list[Doc]) -> list[Doc]:
        """Documents as the store gives them, opened."""
        return await self._opened(docs, self._doc_opened)

    def job(self, kind: str, call: str, id: str | None = None) -> Job:
        """A job of this caller, to give to `put`. Its id is `kind/call` where none is given."""
        return Job(f"{kind}/{call}" if id is None else id, kind, self.owner, call)

    async def drop(self, call: str) -> int:
        """Remove one call: its journal, the documents named by it, its jobs."""
        return await self.store.drop(self.owner, to_id(call), keep=[to_id(kind) for kind in NO_CALLS])

    async def hand_over(self, call: str, other: Box, jobs: Sequence[Job] = ()) -> int:
        """Move one call, with jobs for it, to another caller's box. Returns the records moved.

        First this box notes where the call belongs from now on (a `MOVED` document with the other's
        owner); then the other box gets everything; then this one drops it. Killed anywhere between,
        whoever finds the note hands over again, and nothing is moved twice.
        """
        docs = [doc for doc in await self.load() if doc.name == call and doc.kind not in NO_CALLS]
        if all(doc.kind != MOVED for doc in docs):
            with contextlib.suppress(VersionConflict):
                await self.put([PutDoc(MOVED, call, other.owner.encode(), 0)])
        docs = [doc for doc in docs if doc.kind != MOVED]
        entries = await self.read(call)
        kinds = sorted({doc.kind for doc in docs})
        there = {(doc.kind, doc.name) for doc in await other.load(kinds)} if docs else set[tuple[str, str]]()
        await other.append(call, [(e.uid, e.kind, e.at, e.blob) for e in entries])
        new = [PutDoc(d.kind, d.name, d.blob, 0) for d in docs if (d.kind, d.name) not in there]
        with contextlib.suppress(VersionConflict):  # somebody else moves it too, and was there first
            await other.put(new, jobs)
        await self.drop(call)
        return len(entries) + len(docs)

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
        kind, name = from_id(doc.kind), from_id(doc.name)
        payload = self._unsealed(self._doc(kind, name), doc.blob)
        return None if payload is None else Doc(kind, name, doc.version, payload)

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


def _name(tenant: str, digest: str) -> str:
    return f"{quote(tenant, safe='', errors='surrogatepass')}:{digest}"


def _quoted(job: Job) -> Job:
    return Job(to_id(job.id), to_id(job.kind), job.owner, to_id(job.call), job.attempts)


def _unquoted(job: Job) -> Job:
    return Job(from_id(job.id), from_id(job.kind), job.owner, from_id(job.call), job.attempts)


def _note(places: list[str], place: str) -> None:
    if place not in places:
        places.append(place)
