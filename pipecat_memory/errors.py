"""Every error this package raises, on one page.

    PipecatMemoryError           the root; catch this to catch them all
    ├── UsedWrongly                  the caller of the library made a mistake
    │   ├── SchemaError              a schema does not fit; names the path of the fault
    │   ├── EventError               one event can't be taken; names its place and kind
    │   └── NotConfirmed             a tool was asked for before its slots were confirmed
    ├── StoreError                   the store failed (as opposed to: it held nothing)
    │   ├── StoreUnavailable         can't be reached, locked, full, read-only
    │   ├── StoreCorrupt             a record or file can't be read
    │   ├── VersionConflict          somebody else wrote this document in between
    │   └── Erased                   the caller was forgotten; late writes are refused
    ├── ModelError                   a language model or embedder failed
    │   ├── ModelUnavailable         no answer: network, key, rate limit
    │   └── ModelAnswerBad           an answer that can't be used, truncated ones included
    └── DeadlineExceeded             a bounded wait ran out

No message of these ever holds what a caller said: ids, kinds, paths and counts only.
"""

from __future__ import annotations


class PipecatMemoryError(Exception):
    """Root of everything this package raises on purpose."""


class UsedWrongly(PipecatMemoryError):
    """The library was called with something it can't work with; the message says the remedy."""


class SchemaError(UsedWrongly):
    """A `MemorySchema` does not fit.

    Args:
        path: JSON Pointer to the fault in the schema document.
        message: what is wrong and what would be right.
    """

    def __init__(self, path: str, message: str) -> None:
        super().__init__(f"{path or '/'}: {message}")
        self.path = path


class EventError(UsedWrongly):
    """One recorded or live event can't be taken; the call goes on without it.

    Args:
        kind: `malformed`, `unknown_type`, `unknown_key`, `wrong_value`, `unknown_id`, `no_call`.
        message: the field and the remedy, never a value the caller said.
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class NotConfirmed(UsedWrongly):
    """A guarded tool was called while slots it needs are not confirmed.

    Args:
        slots: names of the slots that are missing or unconfirmed.
    """

    def __init__(self, slots: tuple[str, ...]) -> None:
        super().__init__("confirm with the caller first: " + ", ".join(slots))
        self.slots = slots


class StoreError(PipecatMemoryError):
    """The store failed. Holding nothing is not a failure and raises nothing."""


class StoreUnavailable(StoreError):
    """The store can't be reached or written now (down, locked, full, read-only)."""


class StoreCorrupt(StoreError):
    """A record or a whole file can't be read; it is set aside, never overwritten."""


class VersionConflict(StoreError):
    """A document changed since it was read. Read it again and repeat."""


class Erased(StoreError):
    """This caller was erased; the write came too late and was refused."""


class ModelError(PipecatMemoryError):
    """A language model or an embedder failed."""


class ModelUnavailable(ModelError):
    """The model gave no answer: unreachable, refused, rate-limited or timed out."""


class ModelAnswerBad(ModelError):
    """The model's answer can't be used, even after repair."""


class DeadlineExceeded(PipecatMemoryError):
    """A bounded wait ran out."""
