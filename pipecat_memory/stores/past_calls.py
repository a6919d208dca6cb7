"""What the head of a caller's file tells of calls that are over: a preload need not open them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from .base import Doc
from .seal import fingerprint

if TYPE_CHECKING:
    from .contents import CallMeta


class PastCall(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A settled call. Stored as a row: a caller may have thousands.

    Args:
        print: of its document, as sealed. Whoever writes that anew, with any release, makes the row void.
        at: when it began, as in its `CallMeta`.
        broke_off: as in its `CallMeta`.
    """

    print: str
    at: str
    broke_off: str | None

    def __repr__(self) -> str:
        return f"<PastCall {self.at}>"


PastCalls = Mapping[str, PastCall]
"""By the call's id."""


def still_true(past: PastCalls, sealed: Sequence[Doc]) -> dict[str, PastCall]:
    """What of it is told of these very documents, as the store holds them now."""
    return {
        doc.name: row
        for doc in sealed
        if (row := past.get(doc.name)) is not None and row.print == fingerprint(doc.blob)
    }


def past_calls(metas: Mapping[str, CallMeta], sealed: Sequence[Doc]) -> dict[str, PastCall]:
    """The rows of those calls that are over.

    Args:
        metas: heads of calls, by the call's id.
        sealed: their documents, as the store holds them.
    """
    return {
        doc.name: PastCall(fingerprint(doc.blob), meta.at, meta.broke_off)
        for doc in sealed
        if (meta := metas.get(doc.name)) is not None and meta.settled
    }
