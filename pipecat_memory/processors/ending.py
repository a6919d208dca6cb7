"""Why a call ended, read from the frame that ended its pipeline."""

from __future__ import annotations

from typing import get_args, get_type_hints

from pipecat.frames.frames import EndFrame, Frame

from ..events import CallEnded

REASONS: frozenset[str] = frozenset(get_args(get_type_hints(CallEnded)["reason"]))
WORDS = (
    ("idle", "idle_timeout"),
    ("transfer", "transferred"),
    ("disconnect", "hangup"),
    ("hang", "hangup"),
    ("hung", "hangup"),
    ("left", "hangup"),
    ("answer", "no_answer"),
    ("error", "error"),
    ("fail", "error"),
)
"""What stands in Pipecat's and apps' own reasons; the first match wins ("idle timeout")."""


def reason_of(frame: Frame) -> str:
    """The reason of a pipeline's last frame.

    Args:
        frame: an `EndFrame` (the bot ended the call) or a `CancelFrame` (usually the caller hung up: that is
            what bots do in `on_client_disconnected`); its own `reason` goes first, in our words or in theirs.
    """
    given = getattr(frame, "reason", None)
    if given is None:
        return "bot_ended" if isinstance(frame, EndFrame) else "hangup"
    text = str(given).strip().lower()
    if text.replace(" ", "_") in REASONS:
        return text.replace(" ", "_")
    fallback = "bot_ended" if isinstance(frame, EndFrame) else "cancelled"
    return next((reason for word, reason in WORDS if word in text), fallback)
