"""Transcripts on their way into the user aggregator, which an interruption may throw away unseen."""

from __future__ import annotations

from pipecat.frames.frames import TranscriptionFrame

REMEMBERED = 50
"""Transcripts that may wait in the aggregator's queue; there are a few at most."""


class Handed:
    """Keeps the transcripts that were handed to the user aggregator until it has taken them.

    An interruption empties its queue, also the one that the caller's own first words cause: the final that
    waits behind them is lost to the pipeline, though the caller said it.
    """

    def __init__(self) -> None:
        self._waiting: dict[int, TranscriptionFrame] = {}
        self._in_danger: set[int] = set()

    def hand(self, frame: TranscriptionFrame) -> None:
        """The processor before the aggregator passes a transcript on."""
        self._waiting[frame.id] = frame
        if len(self._waiting) > REMEMBERED:
            del self._waiting[next(iter(self._waiting))]

    def take(self, frame: TranscriptionFrame) -> None:
        """The aggregator takes it."""
        self._waiting.pop(frame.id, None)

    def interrupted(self) -> None:
        """What waits now may be thrown away."""
        self._in_danger = set(self._waiting)

    def lost(self) -> list[TranscriptionFrame]:
        """What an interruption threw away, asked once what came behind it was taken."""
        lost = [frame for id, frame in self._waiting.items() if id in self._in_danger]
        for frame in lost:
            del self._waiting[frame.id]
        self._in_danger.clear()
        return lost
