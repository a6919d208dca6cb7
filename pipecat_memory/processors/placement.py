"""Whether our own processors stand where they were meant to stand; one that doesn't is left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pipecat.processors.frame_processor import FrameProcessor
from pipecat.services.llm_service import LLMService
from pipecat.services.tts_service import TTSService

from ..call import CallMemory


@dataclass(frozen=True, slots=True)
class Placement:
    """What an app made of our processors besides the memory itself.

    Args:
        behind: what follows the memory processor, nearest first.
        guard: the speech guard, where one was made.
        taps: the pairs of playback taps that were made.
    """

    behind: Sequence[FrameProcessor]
    guard: FrameProcessor | None
    taps: Sequence[tuple[FrameProcessor, FrameProcessor]]

    @property
    def guarded(self) -> bool:
        """The speech guard stands where what it lets through is the reply."""
        at = self._at(self.guard)
        if at is None:
            return False
        late = any(isinstance(p, TTSService) for p in self.behind[:at])
        return not late and not any(isinstance(p, LLMService) for p in self.behind[at:])

    @property
    def tapped(self) -> bool:
        """A pair of taps stands with something between: what goes in at the transport, and comes out."""
        return any(
            (made := self._at(first)) is not None
            and (played := self._at(last)) is not None
            and played - made > 1
            for first, last in self.taps
        )

    def complaints(self) -> Iterator[str]:
        """What to tell the app: what is out of its place, and where that is."""
        if self.guard is not None and not self.guarded:
            yield (
                "its speech_guard() doesn't stand between the LLM and the voice; "
                "put it there, what is spoken goes unchecked"
            )
        if self.taps and not self.tapped:
            yield (
                "its playback() doesn't stand around the transport's output; write "
                "*memory_processor.playback(transport.output()) in the output's place"
            )

    def _at(self, processor: FrameProcessor | None) -> int | None:
        return next((i for i, p in enumerate(self.behind) if p is processor), None)


def taken(call: CallMemory, by: FrameProcessor) -> str | None:
    """Take a call for one processor. Two would have it hear everything twice.

    Returns:
        Why it can't be had, and what to do; None where it was taken.
    """
    if call.course.ended is not None:
        why = "is over"
    elif call.front_door not in (None, by):
        why = "is held by another MemoryProcessor or session"
    else:
        call.front_door = by
        return None
    return (
        f"call {call.id} {why}, so this processor does nothing. One MemoryProcessor serves all LLMs that "
        "follow it; another call needs another memory.call(...)"
    )
