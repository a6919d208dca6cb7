"""The vault: callers on one side, opaque owners and sealed blobs on the other.

An owner names one incarnation of one person: `<tenant>:<keyed hash of tenant, caller, person>.<print
of the data key>`. To forget somebody destroys the data key; when the person calls again there is a
new key, so a new owner, and whatever still holds the old one is refused by the old one's tombstone.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
from collections.abc import Sequence
from urllib.parse import quote

from ..errors import StoreCorrupt, StoreUnavailable, VersionConflict
from ..records.caller import Scope
from .base import Job, KeyStore, PutDoc, Store
from .box import OURS, Box
from .ids import job_from_ids, job_to_ids, to_id
from .keys import Encryption, KeyRing

logger = logging.getLogger(__name__)

_MARKED, _MARK = "store:keys", "keys"
"""Owner and kind of the one document that says which keys the records are under; owners of callers end in a
hash."""


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
        """Check early that the store's key fits, and that the data keys are those of these records.

        Raises:
            UsedWrongly: `encryption` is missing or wrong for this store.
            StoreCorrupt: the records were made with other data keys.
        """
        try:
            await self._keys.open()
        except StoreUnavailable as error:
            # A file that can't be opened has failed before; a server that is away comes back.
            logger.warning("keys of the store: %s; calls go on without memory until it is back", error)
            return
        with contextlib.suppress(StoreUnavailable):
            await self._hold_to_keys()

    async def _hold_to_keys(self) -> None:
        """Mark whose the records are: with other keys everybody would be unknown, and the forgotten stay."""
        mark = bytes.fromhex(await self._keys.hash((_MARK,)))
        with contextlib.suppress(VersionConflict):  # another process marks it now
            if not await self.store.load(_MARKED, (_MARK,)):
                await self.store.put(_MARKED, [PutDoc(_MARK, OURS, mark, 0)])
        for found in await self.store.load(_MARKED, (_MARK,)):
            if found.blob != mark:
                raise StoreCorrupt(
                    "the data keys are not those that these records were made with, so nothing in them can "
                    "be read; restore the right ones (calls.db.keys beside calls.db, or what ?keys= names)"
                )

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
            to_id(worker), lease, kinds=[to_id(kind) for kind in kinds], job=job and job_to_ids(job)
        )
        return taken and job_from_ids(taken)

    async def finish(self, worker: str, job: Job) -> bool:
        """As `Store.finish`: remove a job this worker still holds."""
        return await self.store.finish(to_id(worker), job_to_ids(job))

    async def aclose(self) -> None:
        """Close the store and its keys."""
        await self.store.aclose()
        await self._keys.aclose()

    def _box(self, name: str, key: bytes) -> Box:
        incarnation = hashlib.sha256(b"owner" + key).hexdigest()[:16]
        return Box(self.store, self._keys, name, key, f"{name}.{incarnation}")


def _name(tenant: str, digest: str) -> str:
    return f"{quote(tenant, safe='', errors='surrogatepass')}:{digest}"
