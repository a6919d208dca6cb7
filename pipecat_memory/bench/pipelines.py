"""Real Pipecat pipelines to time: a turn's frames from their queueing to the model's filtered read.

The frames are those that the recogniser and the user aggregator push, in their order.
"""

from __future__ import annotations

import asyncio
import time
from typing import Any

from pipecat.frames.frames import (
    Frame,
    InterimTranscriptionFrame,
    LLMContextFrame,
    LLMContextUserTurnFrame,
    TranscriptionFrame,
    UserStartedSpeakingFrame,
    UserStoppedSpeakingFrame,
)
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineParams, PipelineWorker
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor
from pipecat.workers.runner import WorkerRunner

_NOW = "2025-01-06T09:00:00Z"


class PassThrough(FrameProcessor):
    """Does nothing but pass on: what any processor costs."""

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        await self.push_frame(frame, direction)


class Reader(FrameProcessor):
    """Stands where the LLM stands: reads the context as an adapter does, and says when it had it."""

    def __init__(self) -> None:
        super().__init__()
        self.arrived: asyncio.Future[float] | None = None
        self.messages: list[Any] = []

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        if isinstance(frame, LLMContextFrame) and self.arrived is not None and not self.arrived.done():
            self.messages = list(frame.context.get_messages("openai"))
            self.arrived.set_result(time.perf_counter())
        await self.push_frame(frame, direction)


class Lane:
    """One pipeline with one processor under test."""

    def __init__(self, processor: FrameProcessor) -> None:
        self._reader = Reader()
        self._worker = PipelineWorker(
            Pipeline([processor, self._reader]),
            params=PipelineParams(enable_metrics=False),
            idle_timeout_secs=None,
            enable_rtvi=False,
        )
        self._runner = WorkerRunner(handle_sigint=False)
        self._run: asyncio.Task[None] | None = None
        self.context = LLMContext([{"role": "system", "content": "You are a phone agent."}])

    async def start(self) -> None:
        started = asyncio.Event()

        async def on_started(_worker: PipelineWorker, _frame: Frame) -> None:
            started.set()

        self._worker.add_event_handler("on_pipeline_started", on_started)
        await self._runner.add_workers(self._worker)
        self._run = asyncio.create_task(self._runner.run())
        await started.wait()

    async def hear(self, text: str) -> None:
        """The caller speaks; the recogniser is not done yet."""
        await self._worker.queue_frame(UserStartedSpeakingFrame())
        await self._worker.queue_frame(InterimTranscriptionFrame(text, "caller", _NOW))

    async def final(self, text: str) -> None:
        """The recogniser is done with these words."""
        await self._worker.queue_frame(TranscriptionFrame(text, "caller", _NOW))

    async def turn(self, text: str, *, late: bool = False) -> float:
        """Seconds from the end of the caller's turn to the model having its messages. Then all is gone.

        Args:
            text: what the caller said.
            late: the final comes only now, and the turn ends with it.
        """
        took = await self.reply_to(text, late=late)
        self.context.set_messages(self.context.get_messages()[:1])
        return took

    async def reply_to(self, text: str, *, late: bool = False) -> float:
        """The same within a conversation: the context keeps what was said."""
        self.context.add_message({"role": "user", "content": text})
        self._reader.arrived = asyncio.get_running_loop().create_future()
        begun = time.perf_counter()
        if late:
            await self.final(text)
        await self._worker.queue_frame(LLMContextUserTurnFrame(text, _NOW))
        await self._worker.queue_frame(LLMContextFrame(context=self.context))
        ended = await self._reader.arrived
        await self._worker.queue_frame(UserStoppedSpeakingFrame())
        return ended - begun

    @property
    def told(self) -> list[Any]:
        """The messages that the model read last."""
        return self._reader.messages

    async def stop(self) -> None:
        await self._worker.cancel()
        if self._run is not None:
            await asyncio.wait({self._run})
