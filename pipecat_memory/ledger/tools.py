"""The agent's tool calls, each with one terminal state."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..events import ToolCalled, ToolReturned
from ..records.turn import ToolRecord
from .speech import Place


@dataclass(slots=True, repr=False)
class Tool:
    """One tool call. A result may come before its call, which it then waits for."""

    id: str
    place: Place | None = None
    call: ToolCalled | None = None
    returned: ToolReturned | None = None
    reported: ToolRecord | None = None

    def called(self, event: ToolCalled, place: Place) -> None:
        if self.place is None or place < self.place:
            self.place, self.call = place, event

    def came_back(self, event: ToolReturned) -> None:
        """Take a result. A real one stands above a cancellation, the earlier above the later."""
        if self.returned is None or _weight(event) < _weight(self.returned):
            self.returned = event

    def record(self, *, turn: int, given_up: float | None) -> ToolRecord | None:
        """The record as it stands, None while the call itself is unknown.

        Args:
            turn: the caller turn it serves.
            given_up: when it was given up, if no result came.
        """
        if self.call is None:
            return None
        base = ToolRecord(self.id, self.call.name, self.call.args, self.call.t, turn)
        if self.returned is not None:
            done = self.returned
            return replace(base, status=done.status, result=done.result, returned=done.t)
        if given_up is not None:
            return replace(base, status="cancelled", returned=given_up)
        return base


def _weight(event: ToolReturned) -> tuple[bool, float]:
    return event.status == "cancelled", event.t
