"""What a caller's file holds, as documents on their way into and out of the store."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

import msgspec
import numpy as np

from ..clients.base import Vectors
from ..records.fact import Claim, Fact
from ..records.head import Head, head_of
from ..records.profile import Episode, Profile
from ..records.summary import OpenItem, Summary
from .base import Doc
from .past_calls import PastCall, PastCalls

logger = logging.getLogger(__name__)


BROKEN_OFF = ("abandoned", "failed")
"""Outcomes after which the caller may ring back and go on."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class CallMeta:
    """The head of a call's records: all that its journal needs to be replayed."""

    call: str
    at: str
    timezone: str = "UTC"
    direction: str = "inbound"
    how: str = "number"
    line: str = ""
    schema: dict[str, Any] | None = None
    settled: bool = False
    parked: int = 0
    """Turns that the model has not answered though the call is settled; its job asks again."""
    outcome: str | None = None
    ended: str | None = None
    summaries: tuple[Summary, ...] = ()
    usage: dict[str, dict[str, int]] = field(default_factory=dict[str, dict[str, int]])
    runs: dict[str, str] = field(default_factory=dict[str, str])
    """When each process that held the call began to, ISO 8601, by what stands before its records' ids."""
    process: str = ""
    """The last of them, as `writing.process` names it; "" where it can't be told."""
    proved: bool = False
    """The caller proved who they are, in whichever process held the call then."""

    @property
    def done(self) -> bool:
        """Nothing is left to be done for this call."""
        return self.settled and not self.parked

    @property
    def broke_off(self) -> str | None:
        """When it ended, where the caller may ring back and go on with it."""
        return (self.ended or self.at) if self.outcome in BROKEN_OFF else None

    def joined(self, other: CallMeta) -> CallMeta:
        """This head once the process of the other goes on with the call: it began when the first did."""
        at = min(self.at, other.at, key=datetime.fromisoformat)
        runs, proved = self.runs | other.runs, self.proved or other.proved
        return replace(
            self, settled=False, how=other.how, at=at, runs=runs, process=other.process, proved=proved
        )

    def __repr__(self) -> str:
        return f"<CallMeta {self.call} settled={self.settled}>"


PROBED = "probe"
"""Id of the vector of `clients.probe.PROBE`, which shows what model the others of its set are from."""


@dataclass(frozen=True, slots=True, repr=False)
class VectorSet:
    """Vectors of one call's episodes or of the facts, with the name of their embedder."""

    embedder: str
    ids: tuple[str, ...]
    rows: Vectors

    @property
    def width(self) -> int:
        """Length of a vector; 0 where there is none."""
        return self.rows.shape[1] if len(self.ids) else 0

    @property
    def of_facts(self) -> bool:
        """Whether they are of facts: earlier versions of this software kept those among the calls'."""
        return any(id.startswith("fact.") for id in self.ids)

    @property
    def probe(self) -> Vectors | None:
        """What the model made of the probe; None in sets of earlier releases."""
        # Copied: who keeps a part of the rows keeps all of them.
        return self.rows[self.ids.index(PROBED)].copy() if PROBED in self.ids else None

    def pack(self) -> bytes:
        return msgspec.msgpack.encode(
            [self.embedder, self.ids, self.width, self.rows.astype(np.float16).tobytes()]
        )

    @classmethod
    def unpack(cls, blob: bytes) -> VectorSet:
        name, ids, width, raw = msgspec.msgpack.decode(blob, type=tuple[str, tuple[str, ...], int, bytes])
        rows = np.frombuffer(raw, np.float16).reshape(len(ids), width or 0).astype(np.float32)
        return cls(name, ids, rows)


@dataclass(slots=True, repr=False)
class Loaded:
    """What a caller's file holds, as of one moment."""

    profile: Profile = field(default_factory=Profile)
    head: Head | None = None
    """Stands in for the profile until `CallerFile.whole` has opened that."""
    sealed: Doc | None = None
    """The profile's document, not opened yet."""
    calls: dict[str, CallMeta] = field(default_factory=dict[str, CallMeta])
    past: PastCalls = field(default_factory=dict[str, PastCall])
    """Calls that are over and were not opened."""
    episodes: dict[str, tuple[Episode, ...]] = field(default_factory=dict[str, tuple[Episode, ...]])
    vectors: dict[str, VectorSet] = field(default_factory=dict[str, VectorSet])
    fact_vectors: VectorSet | None = None
    people: tuple[str, ...] = ()
    moved: dict[str, str] = field(default_factory=dict[str, str])
    """Calls that belong to another owner, though the move was not finished."""

    @property
    def newest_first(self) -> list[str]:
        """Ids of all calls, the latest begun first."""
        begun = [(call.at, id) for calls in (self.calls, self.past) for id, call in calls.items()]
        return [id for _, id in sorted(begun, reverse=True)]


@dataclass(frozen=True, slots=True, kw_only=True)
class _ProfileDoc:
    facts: tuple[Fact, ...] = ()
    summaries: tuple[Summary, ...] = ()
    open_items: tuple[OpenItem, ...] = ()
    calls: tuple[str, ...] = ()
    last_heard: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadDoc:
    """A head, and the version of the profile's document that it is the head of; and what calls are over."""

    of: int = 0
    head: Head = field(default_factory=Head)
    past: PastCalls = field(default_factory=dict[str, PastCall])

    def of_profile(self, version: int) -> Head | None:
        """The head, where it is that of the profile's document of this version.

        An older version of this software writes a profile and leaves the head as it was.
        """
        counted = self.head.counts or not self.head.facts  # an earlier version of this software kept none
        return self.head if self.of == version and counted else None


def pack(value: Any) -> bytes:
    """A document's payload."""
    return msgspec.json.encode(value)


def met(kind: str, there: bytes, moved: bytes) -> bytes:
    """What a caller's own document of a call becomes when another part of that call moves into the file.

    The head names the runs of both from then on; the rest is made anew when the call is settled.
    """
    if kind != "call":
        return there
    ours, theirs = (msgspec.json.decode(blob, type=CallMeta) for blob in (there, moved))
    return pack(ours.joined(replace(theirs, how=ours.how)))


def packed(profile: Profile) -> bytes:
    """The profile's own document: all but the claims it follows from."""
    return pack(
        _ProfileDoc(
            facts=profile.facts,
            summaries=profile.summaries,
            open_items=profile.open_items,
            calls=profile.calls,
            last_heard=profile.last_heard,
        )
    )


def packed_head(profile: Profile, meta: CallMeta | None, of: int, past: PastCalls) -> bytes:
    """The document of a profile's head.

    Args:
        profile: the whole of it.
        meta: of a call of this caller: the next one is likely to have the same slots.
        of: the version of the profile's document that it goes with.
        past: calls that are over.
    """
    slots = meta.schema.get("slots", ()) if meta is not None and meta.schema else ()
    return pack(HeadDoc(of=of, head=head_of(profile, [slot["name"] for slot in slots]), past=past))


def opened_head(doc: Doc | None) -> HeadDoc:
    """A head's document; where there is none, or a broken one, all has to be opened."""
    if doc is None:
        return HeadDoc()
    try:
        return msgspec.json.decode(doc.blob, type=HeadDoc)
    except (msgspec.DecodeError, ValueError):
        return HeadDoc()


def filed(docs: Sequence[Doc]) -> Loaded:
    """Opened documents, each in its place."""
    found = Loaded()
    for doc in docs:
        _file(found, doc)
    return found


def _file(found: Loaded, doc: Doc) -> None:
    """Put one opened document where it belongs; one that does not decode is named and left."""
    try:
        match doc.kind:
            case "profile":
                shown = msgspec.json.decode(doc.blob, type=_ProfileDoc)
                found.profile = replace(
                    found.profile,
                    facts=shown.facts,
                    summaries=shown.summaries,
                    open_items=shown.open_items,
                    calls=shown.calls,
                    last_heard=shown.last_heard,
                )
            case "claims":
                claims = msgspec.json.decode(doc.blob, type=tuple[Claim, ...])
                found.profile = replace(found.profile, claims=claims)
            case "call":
                found.calls[doc.name] = msgspec.json.decode(doc.blob, type=CallMeta)
            case "episodes":
                found.episodes[doc.name] = msgspec.json.decode(doc.blob, type=tuple[Episode, ...])
            case "vectors":
                found.vectors[doc.name] = VectorSet.unpack(doc.blob)
            case "fact_vectors":
                found.fact_vectors = VectorSet.unpack(doc.blob)
            case "moved":
                found.moved[doc.name] = doc.blob.decode()
            case "people":
                found.people = msgspec.json.decode(doc.blob, type=tuple[str, ...])
            case _:
                pass
    except (msgspec.DecodeError, ValueError) as error:
        logger.warning("doc/%s/%s left aside: %s", doc.kind, doc.name, type(error).__name__)
