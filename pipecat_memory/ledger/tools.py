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
    _made: tuple[tuple[object, ...], ToolRecord] | None = None

    def called(self, event: ToolCalled, place: Place) -> None:
        if self.place is None or place < self.place:
            self.place, self.call = place, event

    def came_back(self, event: ToolReturned) -> None:
        """Take a result. A real one stands above a cancellation, the earlier above the later."""
        if self.returned is None or _weight(event) < _weight(self.returned):
            self.returned = event

    def record(self, *, turn: int, given_up: float | None, told_at: float | None) -> ToolRecord | None:
        """The record as it stands, None while the call itself is unknown.

        Args:
            turn: the caller turn it serves.
            given_up: when it was given up, if no result came.
            told_at: when the agent last began to speak, where that is asked.
        """
        if self.call is None:
            return None
        over = self.returned.t if self.returned is not None else given_up
        told = told_at is not None and over is not None and told_at > over
        state = (self.call, self.returned, turn, over, told)
        if self._made is None or self._made[0] != state:  # a call may have thousands, asked for at each reply
            self._made = state, self._record(self.call, turn, over, told=told)
        return self._made[1]

    def _record(self, call: ToolCalled, turn: int, over: float | None, *, told: bool) -> ToolRecord:
        base = ToolRecord(self.id, call.name, call.args, call.t, turn)
        if self.returned is not None:
            done = self.returned
            return replace(base, status=done.status, result=done.result, returned=done.t, told=told)
        return base if over is None else replace(base, status="cancelled", returned=over, told=told)


def _weight(event: ToolReturned) -> tuple[bool, float]:
    return event.status == "cancelled", event.t
