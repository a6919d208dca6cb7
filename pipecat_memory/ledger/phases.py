"""Where a reply and the call are. Nothing unproven is ever `completed`."""

from __future__ import annotations

from typing import Literal

from .agent_side import AgentSide
from .caller_side import CallerSide
from .history import History
from .replies import Reply
from .speech import Place

Phase = Literal["listening", "thinking", "speaking", "completed", "cancelled", "failed"]

FAILURES = ("error", "crash")
"""Reasons of `call_ended` that mean a failure."""


def phase_of(reply: Reply, *, reason: str | None, cut_in: bool, void: bool) -> Phase:
    """Where one started reply is.

    Args:
        reply: the reply.
        reason: why the call ended, None while it runs.
        cut_in: the caller cut in after it started.
        void: it answered a guess that was taken back.
    """
    if void:
        return "cancelled"
    if reply.ended and not reply.interrupted:
        return "completed" if reply.heard()[0] else "failed"
    if reply.was_cut:
        broken = reason in FAILURES or not cut_in
        return "failed" if broken and not reply.evidence else "cancelled"
    return "speaking" if reply.evidence else "thinking"


def over(reason: str) -> Phase:
    """Where a call is that ended for that reason."""
    if reason in FAILURES:
        return "failed"
    return "cancelled" if reason == "cancelled" else "completed"


class Phases:
    """Where the replies of one call are, and the call itself."""

    def __init__(self, caller: CallerSide, agent: AgentSide, history: History) -> None:
        self.reason: str | None = None
        """Why the call ended, None while it runs."""
        self._caller = caller
        self._agent = agent
        self._history = history
        self._turn_end: Place | None = None

    def turn_ended(self, at: Place) -> None:
        """A turn of the caller ended there."""
        self._turn_end = max(at, self._turn_end or at)

    @property
    def call(self) -> Phase:
        """Where the call is."""
        if self.reason is not None:
            return over(self.reason)
        last = self._agent.order[-1] if self._agent.order else None
        running = self.of(last[1]) if last else None
        if running in ("thinking", "speaking"):
            return running
        waiting = self._turn_end is not None and (last is None or last[0] < self._turn_end)
        caller = self._caller
        if waiting and caller.open_turn is None and not caller.missed and len(caller.turns):
            return "thinking"
        return "listening"

    def of(self, reply: str) -> Phase | None:
        """Where one reply is; see `Ledger.phase_of`."""
        found = self._agent.replies.get(reply)
        if found is None or found.place is None:
            return None
        return phase_of(
            found,
            reason=self.reason,
            cut_in=self._agent.cut_after(found.place),
            void=self._history.void(found),
        )
