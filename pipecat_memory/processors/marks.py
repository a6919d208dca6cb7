"""Twilio's own confirmation of playback: a mark sent behind some audio comes back once that was played."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from pipecat.frames.frames import Frame, InterruptionFrame, OutputTransportMessageFrame
from pipecat.processors.frame_processor import FrameProcessor
from pipecat.serializers.twilio import TwilioFrameSerializer

Position = tuple[int, float]
"""Which stream of audio, and how many seconds into it."""
LONGEST_MARK = 400
"""Characters; a media message of 20 ms is about that long already, a mark is 100."""


class TwilioMarkSerializer(TwilioFrameSerializer):
    """A `TwilioFrameSerializer` that also sends and reads marks.

    Use it in place of the stock one; `memory_processor.playback(transport.output())` finds it there and
    sends the marks. After a `clear` Twilio returns all marks that are still out, at once: those are no
    playback and are dropped, and so is a mark that crosses the `clear` on its way.

    Example::

        params = FastAPIWebsocketParams(serializer=TwilioMarkSerializer(stream_sid, call_sid, ...))
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Take what `TwilioFrameSerializer` takes."""
        super().__init__(*args, **kwargs)
        self.on_played: Callable[[Position], None] | None = None
        self._out: dict[str, Position] = {}
        self._count = 0

    @classmethod
    def of(cls, output: FrameProcessor) -> TwilioMarkSerializer | None:
        """The mark serializer of a transport's output, or None where it has another or none."""
        # Pipecat gives no public way from an output transport to its serializer.
        serializer = getattr(getattr(output, "_params", None), "serializer", None)
        return serializer if isinstance(serializer, cls) else None

    def mark(self, position: Position) -> OutputTransportMessageFrame:
        """A frame that sends a mark behind the audio so far; `position` is told when it comes back."""
        self._count += 1
        name = f"heard-{self._count}"
        self._out[name] = position
        return OutputTransportMessageFrame(
            message={"event": "mark", "streamSid": self._stream_sid, "mark": {"name": name}}
        )

    async def serialize(self, frame: Frame) -> str | bytes | None:
        """Serialize as the stock serializer does; an interruption voids the marks that are out."""
        if isinstance(frame, InterruptionFrame):
            self._out.clear()
        return await super().serialize(frame)

    async def deserialize(self, data: str | bytes) -> Frame | None:
        """Read a message; a returned mark of ours is told to `on_played` and makes no frame."""
        # Media comes fifty times a second: the cheap look first.
        if len(data) < LONGEST_MARK and self._returned(data):
            return None
        return await super().deserialize(data)

    def _returned(self, data: str | bytes) -> bool:
        try:
            message = json.loads(data)
        except (ValueError, RecursionError):
            return False  # the base class reports it
        if not isinstance(message, dict) or message.get("event") != "mark":
            return False
        mark = message.get("mark")
        position = self._out.pop(str(mark.get("name")), None) if isinstance(mark, dict) else None
        if position is not None and self.on_played is not None:
            self.on_played(position)
        return True
