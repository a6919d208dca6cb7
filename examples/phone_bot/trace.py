"""What happened on a call, as JSON lines for `make demo`: heard, noted, told, said, milliseconds.

Written only where PHONE_BOT_TRACE names a file: it holds what callers say.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from pipecat.frames.frames import (
    BotStartedSpeakingFrame,
    FunctionCallResultFrame,
    InterruptionFrame,
    LLMContextAssistantTurnFrame,
    LLMContextUserTurnFrame,
    MetricsFrame,
)
from pipecat.observers.base_observer import BaseObserver, FramePushed
from pipecat.processors.frame_processor import FrameDirection

from pipecat_memory.call import CallMemory


class Trace(BaseObserver):
    """One call's trace."""

    def __init__(self, call: CallMemory, path: Path) -> None:
        super().__init__(observe_every_push=False)
        self._call = call
        self._path = path
        self._seen: set[int] = set()
        self._told = 0
        self.write("call", known=call.caller.known)

    def write(self, kind: str, **what: Any) -> None:
        """Add a line."""
        line = {"kind": kind, "call": self._call.id, "at": time.time(), **what}
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, ensure_ascii=False, default=str) + "\n")

    async def on_push_frame(self, data: FramePushed) -> None:
        frame = data.frame
        # A broadcast frame goes both ways; one of the two is enough.
        if isinstance(frame, MetricsFrame):
            for item in frame.data:
                if (added := getattr(item, "added_ms", None)) is not None:
                    self.write("added", ms=added)
        elif isinstance(frame, BotStartedSpeakingFrame):
            self._tell()
        elif data.direction is not FrameDirection.DOWNSTREAM or frame.id in self._seen:
            return
        elif isinstance(frame, LLMContextUserTurnFrame):
            self.write("heard", text=frame.text, slots=self._slots())
        elif isinstance(frame, LLMContextAssistantTurnFrame):
            self.write("said", text=frame.text)
        elif isinstance(frame, FunctionCallResultFrame):
            self.write("tool", name=frame.function_name, result=frame.result)
        elif isinstance(frame, InterruptionFrame):
            self.write("interruption")
        self._seen.add(frame.id)

    def end(self) -> None:
        """The call is over: its whole history and state."""
        self._tell()
        self.write(
            "end",
            history=[item.report() for item in self._call.course.history()],
            state=dict(self._call.state),
            next=[step.report() for step in self._call.course.next_log],
            briefings=self._call.stay.briefings,
            outcome=self._call.course.outcome,
            summary=self._call.summary.report() if self._call.summary else None,
        )

    def _tell(self) -> None:
        told = self._call.stay.briefings
        if told and len(told) != self._told:
            self.write("told", text=told[-1])
        self._told = len(told)

    def _slots(self) -> dict[str, Any]:
        return {name: slot["value"] for name, slot in self._call.state["slots"].items()}
