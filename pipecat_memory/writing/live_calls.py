"""The calls that go on in this process, or are being finished here; and which of them are one line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..records.caller import Scope
from ..stores.caller_file import CallerFile

if TYPE_CHECKING:
    from ..call import CallMemory


class LiveCalls:
    """Of one `Memory`. A line is a call id of one caller: two tenants, or two callers, may use one id.

    A line may be held here twice: it goes on in a second `CallMemory` before the first is finished.
    """

    def __init__(self) -> None:
        self._calls: list[CallMemory] = []

    def __iter__(self) -> Iterator[CallMemory]:
        return iter(tuple(self._calls))

    def __len__(self) -> int:
        return len(self._calls)

    def begin(self, call: CallMemory) -> None:
        """A live call started."""
        self._drop_crashed(call)
        self._calls.append(call)

    def stand_in(self, call: CallMemory, whole: CallMemory) -> None:
        """From here on `whole`, told by the journal, is the call that is being finished."""
        self._calls = [whole if one is call else one for one in self._calls]

    def leave(self, call: CallMemory) -> None:
        """We are done with this call; with what crashed on its line, too."""
        self._drop_crashed(call)
        self._calls = [one for one in self._calls if one is not call]

    def on(self, call: str, file: CallerFile) -> CallMemory | None:
        """The latest here on the line that has this id and these records."""
        return next((c for c in reversed(self._calls) if c.id == call and _is_in(c, file)), None)

    def goes_on(self, call: CallMemory) -> bool:
        """Whether the line of an ended call goes on in another `CallMemory` here, which will finish it."""
        latest = next((one for one in reversed(self._calls) if one is call or _one_line(one, call)), None)
        return latest is not None and latest is not call and (call.live or not _crashed(latest))

    def under_way(self, call: str, file: CallerFile) -> bool:
        """Whether a call is going on in this process, or being finished. A crashed one is neither."""
        latest = self.on(call, file)
        return latest is not None and not _crashed(latest)

    def _drop_crashed(self, call: CallMemory) -> None:
        self._calls = [one for one in self._calls if not (_crashed(one) and _one_line(one, call))]


def scope_of(call: CallMemory) -> Scope:
    """Whose call it is, as far as is known now."""
    return Scope(call.tenant, call.caller.id or "", call.caller.person or "")


def owner_of(call: CallMemory) -> str:
    """Where its records lie; "" while that is not known or they are on their way."""
    return call.journal.file.owner if call.journal.file else ""


def _is_in(call: CallMemory, file: CallerFile) -> bool:
    owner = owner_of(call)
    return owner == file.owner if owner else scope_of(call) == file.scope


def _one_line(one: CallMemory, other: CallMemory) -> bool:
    if one.id != other.id:
        return False
    mine, theirs = owner_of(one), owner_of(other)
    return mine == theirs if mine and theirs else scope_of(one) == scope_of(other)


def _crashed(call: CallMemory) -> bool:
    return call.course.ended == "crash"
