"""Where a reply and the call are. Nothing unproven is ever `completed`."""

from __future__ import annotations

from typing import Literal

from .replies import Reply

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
