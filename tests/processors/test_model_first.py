"""The model goes first: what the end of a turn sets off is done behind the frame that asks it."""

from __future__ import annotations

from pipecat.frames.frames import (
    EndFrame,
    Frame,
    LLMContextFrame,
    LLMContextUserTurnFrame,
    TranscriptionFrame,
    UserStartedSpeakingFrame,
    UserStoppedSpeakingFrame,
)
from pipecat.pipeline.pipeline import Pipeline
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor
from pipecat.tests.utils import run_test

from pipecat_memory.call import CallMemory
from pipecat_memory.processors import MemoryProcessor

from .conftest import MakeCall

NOW = "2026-03-02T10:00:00Z"


class Model(FrameProcessor):
    """Stands where the LLM stands: reads, and notes how many turns had ended in memory by then."""

    def __init__(self, call: CallMemory) -> None:
        super().__init__()
        self._call = call
        self.turns: list[int] = []
        self.read: list[str] = []

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        if isinstance(frame, LLMContextFrame):
            self.turns.append(len(self._call.course.ledger.turns))
            self.read.append(str(frame.context.get_messages("openai")))
        await self.push_frame(frame, direction)


async def test_the_model_reads_what_was_said_before_memory_ends_the_turn(make_call: MakeCall) -> None:
    call = make_call()
    model, context = Model(call), LLMContext([{"role": "user", "content": "My name is Ana Silva"}])
    await run_test(
        Pipeline([MemoryProcessor(call), model]),
        frames_to_send=[
            UserStartedSpeakingFrame(),
            TranscriptionFrame("My name is Ana Silva", "", NOW),
            LLMContextUserTurnFrame("My name is Ana Silva", NOW),
            LLMContextFrame(context),
            UserStoppedSpeakingFrame(),
        ],
    )
    assert model.turns == [0]
    assert "name" in model.read[0]
    assert "Working notes" in model.read[0]
    assert [turn.text for turn in call.course.ledger.turns] == ["My name is Ana Silva"]
    assert not call.course.ledger.turns[0].incomplete


async def test_a_turn_that_asks_no_model_ends_all_the_same(make_call: MakeCall) -> None:
    call = make_call()
    await run_test(
        Pipeline([MemoryProcessor(call)]),
        frames_to_send=[
            UserStartedSpeakingFrame(),
            TranscriptionFrame("just a moment", "", NOW),
            LLMContextUserTurnFrame("just a moment", NOW),
            EndFrame(),
        ],
        send_end_frame=False,
    )
    (turn,) = call.course.ledger.turns
    assert not turn.incomplete
