"""The store contract: write your own in an evening.

A store keeps opaque blobs under opaque owners. It never sees a caller's name, number or words:
`owner` is a keyed hash, every blob is sealed under that caller's data key, and nothing is ever
searched in the store. All ids (owner, call, uid, kind, name, worker, job) reach a store as
printable ASCII without spaces: the vault quotes them. `pipecat_memory.testing.StoreContract` is
the suite a store must pass.

All methods raise `StoreUnavailable` when the store can't be reached or written, `StoreCorrupt`
when what it holds can't be read, and nothing else on purpose. Holding nothing is not an error.
A cancelled call leaves no half-done write and no answer for the next command.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, repr=False)
class NewEntry:
    """A journal record to append. `uid` makes it idempotent: an owner keeps a (call, uid) once."""

    uid: str
    kind: str
    at: float
    blob: bytes


@dataclass(frozen=True, slots=True, repr=False)
class Entry:
    """A journal record as read. `seq` grows by one per owner in order of appending."""

    seq: int
    call: str
    uid: str
    kind: str
    at: float
    blob: bytes


@dataclass(frozen=True, slots=True, repr=False)
class Doc:
    """A versioned document of an owner, named by (kind, name)."""

    kind: str
    name: str
    version: int
    blob: bytes


@dataclass(frozen=True, slots=True, repr=False)
class PutDoc:
    """A document to write. `expected` is the version it must have now: 0 = must not exist."""

    kind: str
    name: str
    blob: bytes
    expected: int


@dataclass(frozen=True, slots=True, repr=False)
class Job:
    """Work that survives its worker: `kind` of `call` of `owner`, claimed under a lease.

    `id` is unique within its owner.
    """

    id: str
    kind: str
    owner: str
    call: str
    attempts: int = 0


@dataclass(frozen=True, slots=True)
class Erasure:
    """What `erase` removed, in counts."""

    entries: int
    docs: int
    jobs: int


class Store(Protocol):
    """Where records live. Times are Unix seconds; leases are seconds."""

    async def append(
        self, owner: str, call: str, entries: Sequence[NewEntry], *, instead_of: Sequence[str] = ()
    ) -> int:
        """Add records to the owner's journal, all or none, in the order given.

        A (call, uid) the owner already has is skipped. Returns the owner's last sequence number.
        Durable when it returns (as far as the store's stated fsync policy goes).

        The call's records of the uids in `instead_of` go in the same step, before the new ones come
        (so a uid may stand in both: it is written anew, under a new sequence number). Whoever reads or
        is killed finds all of the old ones or all of the new; every other record stays, also one that
        another process adds meanwhile. A uid that went and did not come back is never used again. With all
        new uids in `instead_of`, the same command may come twice and leaves the same.

        Raises:
            Erased: the owner was erased.
        """
        ...

    async def read(self, owner: str, *, call: str | None = None, after: int = 0) -> list[Entry]:
        """The owner's journal records with `seq > after`, by `seq`; of one call where given."""
        ...

    async def put(self, owner: str, docs: Sequence[PutDoc], *, jobs: Sequence[Job] = ()) -> None:
        """Write documents and add jobs, all or none. A job id that exists is left as it is.

        Raises:
            VersionConflict: a document's version is not the expected one; nothing was written.
            Erased: the owner was erased.
        """
        ...

    async def load(self, owner: str, kinds: Sequence[str] = (), *, names: Sequence[str] = ()) -> list[Doc]:
        """The owner's documents (of these kinds and names; of all where none are given), as of one moment."""
        ...

    async def drop(self, owner: str, call: str, *, keep: Sequence[str] = ()) -> int:
        """Remove one call's journal, its documents named by the call, and its jobs. Counts them.

        Documents and jobs of the kinds in `keep` stay, whatever they are named: there the name is no call.
        """
        ...

    async def claim(
        self, worker: str, lease: float, *, kinds: Sequence[str] = (), job: Job | None = None
    ) -> Job | None:
        """Take the job that is free longest (of these kinds), or take or renew the one job named.

        Free = never claimed, or its lease ran out; a lease of 0 runs out at once. Two workers
        never hold one job at a time. Returns None where there is none, or the named one is gone
        or held by another worker. Every fresh claim adds one to `attempts`; a renewal does not.
        Leases run on the store's clock, never on the worker's.
        """
        ...

    async def finish(self, worker: str, job: Job) -> bool:
        """Remove a job this worker holds. False where it holds it no longer (work is then void)."""
        ...

    async def erase(self, owner: str) -> Erasure:
        """Remove everything of the owner and leave a tombstone: later writes raise `Erased`.

        Idempotent. The tombstone (the owner's hash, nothing else) stays for good: an owner names
        one data key, and when the person calls again the vault makes a new key, so a new owner.
        """
        ...

    async def aclose(self) -> None:
        """Give everything back. Idempotent."""
        ...


class KeyStore(Protocol):
    """Where keys live: apart from the data, so that destroying a key reaches backups of it.

    Names are printable ASCII without spaces. What is kept may itself be wrapped by the store's key.
    """

    async def get(self, name: str) -> bytes | None:
        """The key of that name, or None."""
        ...

    async def add(self, name: str, key: bytes) -> bytes:
        """Keep `key` under that name unless there is one; returns the one that holds."""
        ...

    async def replace(self, name: str, old: bytes, new: bytes) -> bool:
        """Keep `new` under that name in place of `old`, in one step. False where it is not `old`."""
        ...

    async def destroy(self, name: str, key: bytes) -> bool:
        """Forget the key of that name for good if it is still `key`. False where it is not."""
        ...

    async def aclose(self) -> None:
        """Give everything back. Idempotent."""
        ...
