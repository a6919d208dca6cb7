"""The store contract: write your own in an evening.

A store keeps opaque blobs under opaque owners. It never sees a caller's name, number or words:
`owner` is a keyed hash, every blob is sealed under that caller's data key, and nothing is ever
searched in the store. `pipecat_memory.testing.StoreContract` is the suite a store must pass.

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
    """Work that survives its worker: `kind` of `call` of `owner`, claimed under a lease."""

    id: str
    kind: str
    owner: str
    call: str
    attempts: int = 0


@dataclass(frozen=True, slots=True, repr=False)
class Erasure:
    """What `erase` removed, in counts."""

    entries: int
    docs: int
    jobs: int


class Store(Protocol):
    """Where records live. Times are Unix seconds; leases are seconds."""

    async def append(self, owner: str, call: str, entries: Sequence[NewEntry]) -> int:
        """Add records to the owner's journal, all or none, in the order given.

        A (call, uid) the owner already has is skipped. Returns the owner's last sequence number.
        Durable when it returns (as far as the store's stated fsync policy goes).

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

    async def load(self, owner: str, kinds: Sequence[str] = ()) -> list[Doc]:
        """The owner's documents (of these kinds; all where none are given), as of one moment."""
        ...

    async def drop(self, owner: str, call: str) -> int:
        """Remove one call's journal, its documents named by the call, and its jobs. Counts them."""
        ...

    async def claim(
        self, worker: str, lease: float, *, kinds: Sequence[str] = (), job: str | None = None
    ) -> Job | None:
        """Take the oldest free job (of these kinds), or take or renew the one job named.

        Free = never claimed, or its lease ran out. Two workers never hold one job at a time.
        Returns None where there is none, or the named one is held by another worker.
        Every fresh claim adds one to `attempts`; a renewal does not.
        """
        ...

    async def finish(self, worker: str, job: str) -> bool:
        """Remove a job this worker holds. False where it holds it no longer (work is then void)."""
        ...

    async def erase(self, owner: str) -> Erasure:
        """Remove everything of the owner and leave a tombstone: later writes raise `Erased`.

        A tombstone is a hash and a time. `revive` of the vault lifts it when the person calls again.
        """
        ...

    async def revive(self, owner: str) -> bool:
        """Lift the owner's tombstone for a new call. Jobs of before stay refused: they are gone."""
        ...

    async def aclose(self) -> None:
        """Give everything back. Idempotent."""
        ...


class KeyStore(Protocol):
    """Where data keys live: apart from the data, so that destroying a key reaches backups."""

    async def secret(self) -> bytes:
        """32 bytes that key the hashes of callers; made once per store."""
        ...

    async def get(self, owner: str) -> bytes | None:
        """The owner's (wrapped) data key, or None."""
        ...

    async def add(self, owner: str, key: bytes) -> bytes:
        """Keep `key` for the owner unless there is one; returns the one that holds."""
        ...

    async def destroy(self, owner: str) -> bool:
        """Forget the owner's key for good. False where there was none."""
        ...

    async def aclose(self) -> None:
        """Give everything back. Idempotent."""
        ...
