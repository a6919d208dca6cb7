"""What a caller's file becomes once a finished call is written into it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ..errors import VersionConflict
from ..records.profile import Episode, Profile
from .base import Doc, PutDoc
from .box import OURS
from .contents import CallMeta, VectorSet, filed, pack, packed, packed_head
from .past_calls import PastCalls, past_calls

CHANGED = ("profile", "claims")
"""Kinds that settling a call reads; of the others it needs only the versions."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Before:
    """What the file holds.

    Args:
        docs: all that may be written, opened, but for the heads of calls.
        calls: the heads of all calls, as sealed.
        past: what is told already of those that are over.
        opened: those of which nothing is.
        head: whether the head may be written.
    """

    docs: Sequence[Doc]
    calls: Sequence[Doc]
    past: PastCalls
    opened: Sequence[Doc]
    head: bool

    def after(
        self,
        change: Callable[[Profile], Profile],
        meta: CallMeta | None,
        episodes: Sequence[Episode],
        vectors: VectorSet | None,
    ) -> tuple[Profile, list[PutDoc]]:
        """The profile as changed, and all that is to be written. CPU work: run it in a thread.

        Raises:
            VersionConflict: another process has begun to hold the call.
        """
        versions = {(doc.kind, doc.name): doc.version for doc in (*self.docs, *self.calls)}
        profile = change(filed([doc for doc in self.docs if doc.kind in CHANGED]).profile)
        writes = [("profile", OURS, packed(profile)), ("claims", OURS, pack(profile.claims))]
        metas = filed(self.opened).calls
        if self.head:
            of = versions.get(("profile", OURS), 0) + 1
            past = {**self.past, **past_calls(metas, self.calls)}
            writes.append(("head", OURS, packed_head(profile, meta, of, past)))
        if meta is not None:
            if (held := metas.get(meta.call)) is not None:
                if not held.runs.keys() <= meta.runs.keys():
                    raise VersionConflict("another process goes on with the call, and will finish it")
                meta = replace(meta, at=held.at)
            writes += [("call", meta.call, pack(meta)), ("episodes", meta.call, pack(tuple(episodes)))]
            if vectors is not None:
                writes.append(("vectors", meta.call, vectors.pack()))
        return profile, [PutDoc(k, n, blob, versions.get((k, n), 0)) for k, n, blob in writes]
