"""A whole Pipecat pipeline with fake services: real aggregators, real transports' output, no network.

Audio is written as fast as the loop allows, or up to a chosen second, where the output stands still until
it is let go on: so a barge-in happens at an exact place of the audio, not at a moment of the clock.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from pipecat.frames.frames import (
    EndFrame,
    Frame,
    InterruptionFrame,
    OutputAudioRawFrame,
    ProposedUserStartedSpeakingFrame,
    ProposedUserStoppedSpeakingFrame,
    StartFrame,
    TranscriptionFrame,
    TTSStoppedFrame,
    TTSTextFrame,
    VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineParams, PipelineWorker
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.aggregators.llm_response_universal import (
    LLMAssistantAggregatorParams,
    LLMContextAggregatorPair,
    LLMUserAggregatorParams,
)
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor
from pipecat.transports.base_output import BaseOutputTransport
from pipecat.transports.base_transport import TransportParams
from pipecat.turns.user_start import ExternalUserTurnStartStrategy
from pipecat.turns.user_stop import ExternalUserTurnStopStrategy
from pipecat.turns.user_turn_strategies import UserTurnStrategies
from pipecat.workers.runner import WorkerRunner

from pipecat_memory.call import CallMemory
from pipecat_memory.processors import MemoryProcessor

from .collector import Collector
from .model import Answer, FakeLLM
from .voices import RATE

PATIENCE = 20.0


class Out(BaseOutputTransport):
    """The way to the caller. Stands still once `limit` seconds are written."""

    def __init__(self, limit: float | None = None) -> None:
        super().__init__(
            TransportParams(
                audio_out_enabled=True,
                audio_out_sample_rate=RATE,
                audio_out_10ms_chunks=1,
                audio_out_end_silence_secs=0,
            )
        )
        self.limit = limit
        self.seconds = 0.0
        self.texts: list[str] = []
        self.stalled = asyncio.Event()
        self.go_on = asyncio.Event()
        self.silent = asyncio.Event()

    async def start(self, frame: StartFrame) -> None:
        await super().start(frame)
        await self.set_transport_ready(frame)

    async def write_audio_frame(self, frame: OutputAudioRawFrame) -> bool:
        if self.limit is not None and self.seconds >= self.limit - 1e-6:
            self.stalled.set()
            await self.go_on.wait()
        self.seconds += len(frame.audio) / (2 * frame.sample_rate)
        await asyncio.sleep(0)
        return True

    async def push_frame(self, frame: Frame, direction: FrameDirection = FrameDirection.DOWNSTREAM) -> None:
        if isinstance(frame, TTSTextFrame):
            self.texts.append(frame.text)
        if isinstance(frame, TTSStoppedFrame):
            self.silent.set()
        await super().push_frame(frame, direction)


@dataclass
class Rig:
    """One running bot."""

    worker: PipelineWorker
    runner: WorkerRunner
    running: asyncio.Task[None]
    context: LLMContext
    memory: MemoryProcessor
    llm: FakeLLM
    out: Out
    tail: Collector

    async def push(self, *frames: Frame) -> None:
        for frame in frames:
            await self.worker.queue_frame(frame)

    async def starts(self) -> None:
        """The caller begins to speak."""
        await self.push(VADUserStartedSpeakingFrame(start_secs=0.0), ProposedUserStartedSpeakingFrame())

    async def hears(self, text: str, **kwargs: Any) -> None:
        """The recogniser closes a segment."""
        await self.push(final(text, **kwargs))

    async def stops(self) -> None:
        """The caller's turn ends."""
        await self.push(VADUserStoppedSpeakingFrame(stop_secs=0.0), ProposedUserStoppedSpeakingFrame())

    async def says(self, *texts: str, **kwargs: Any) -> None:
        """One whole turn of the caller; returns once the model has answered it."""
        self.llm.answered.clear()
        await self.starts()
        for text in texts:
            await self.hears(text, **kwargs)
        await self.stops()
        await within(self.llm.answered.wait())

    async def spoken(self) -> None:
        """Wait until nothing of a reply is on its way any more."""
        await until(lambda: not self.memory.replying)

    async def interrupts(self) -> None:
        """The caller cuts in, and the interruption has left the pipeline."""
        before = len(self.tail.down)
        await self.starts()
        await until(lambda: any(isinstance(f, InterruptionFrame) for f in self.tail.down[before:]))
        self.out.limit = None
        self.out.go_on.set()

    async def ends(self) -> None:
        await self.push(EndFrame())
        await within(self.running)


@asynccontextmanager
async def bot(
    call: CallMemory,
    *,
    answers: Sequence[Answer] = (),
    voice: FrameProcessor | None = None,
    out: Out | None = None,
    messages: list[Any] | None = None,
    full: bool = False,
    llm: FakeLLM | None = None,
    brain: FrameProcessor | None = None,
    told: FrameProcessor | None = None,
    before: Sequence[FrameProcessor] = (),
    between: Sequence[FrameProcessor] = (),
    user: LLMUserAggregatorParams | None = None,
    assistant: LLMAssistantAggregatorParams | None = None,
    params: PipelineParams | None = None,
    tools: Any = None,
    rtvi: bool = False,
) -> AsyncGenerator[Rig]:
    """Run a bot with memory; `full` = with playback taps and speech guard, `brain` = what holds the LLM,
    `before` = what stands before the user aggregator, `told` = an LLM of other code's."""
    context = LLMContext(messages) if tools is None else LLMContext(messages, tools=tools)
    user_half, assistant_half = LLMContextAggregatorPair(
        context,
        user_params=user or LLMUserAggregatorParams(user_turn_strategies=turns()),
        assistant_params=assistant,
    )
    memory = MemoryProcessor(call, llm=told)
    llm = llm or FakeLLM(answers)
    out = out or Out()
    tail = Collector()
    parts: list[FrameProcessor] = [*before, user_half, memory, *between, brain or llm]
    if full:
        parts.append(memory.speech_guard())
    if voice is not None:
        parts.append(voice)
    parts += memory.playback(out) if full else [out]
    pipeline = Pipeline([*parts, tail, assistant_half])
    async with running(
        pipeline, context, memory, llm=llm, out=out, tail=tail, params=params, rtvi=rtvi
    ) as rig:
        yield rig


@asynccontextmanager
async def running(
    pipeline: Pipeline,
    context: LLMContext,
    memory: MemoryProcessor,
    *,
    llm: FakeLLM,
    out: Out,
    tail: Collector,
    params: PipelineParams | None = None,
    rtvi: bool = False,
) -> AsyncGenerator[Rig]:
    """Run a pipeline, however it was put together."""
    worker = PipelineWorker(
        pipeline,
        params=params or PipelineParams(audio_in_sample_rate=RATE, audio_out_sample_rate=RATE),
        cancel_on_idle_timeout=False,
        enable_rtvi=rtvi,
    )
    started = asyncio.Event()

    async def on_started(*_: Any) -> None:
        started.set()

    worker.add_event_handler("on_pipeline_started", on_started)
    runner = WorkerRunner(handle_sigint=False)
    await runner.add_workers(worker)
    task = asyncio.create_task(runner.run())
    rig = Rig(worker, runner, task, context, memory, llm, out, tail)
    try:
        await within(started.wait())
        yield rig
    finally:
        if not task.done():
            await worker.cancel()
            await within(task)


def turns() -> UserTurnStrategies:
    """Turns that the test opens and closes."""
    return UserTurnStrategies(
        start=[ExternalUserTurnStartStrategy()], stop=[ExternalUserTurnStopStrategy(timeout=0.01)]
    )


def final(text: str, *, result: Any = None, language: Any = None) -> TranscriptionFrame:
    return TranscriptionFrame(text, "caller", "2026-01-01T00:00:00Z", language, result, finalized=True)


async def within(work: Any) -> Any:
    """Await, but never for ever."""
    return await asyncio.wait_for(work, PATIENCE)


async def until(condition: Callable[[], bool]) -> None:
    """Let the loop run until something holds."""

    async def poll() -> None:
        while not condition():  # noqa: ASYNC110 - what somebody else's pipeline did sets no event of ours
            await asyncio.sleep(0.001)

    await within(poll())
