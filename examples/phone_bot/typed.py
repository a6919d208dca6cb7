"""The caller who types: the same pipeline without sound, on a terminal."""

from __future__ import annotations

import asyncio
import sys
import uuid
from typing import Any

from loguru import logger
from pipecat.frames.frames import (
    EndFrame,
    Frame,
    LLMFullResponseEndFrame,
    LLMTextFrame,
    TranscriptionFrame,
    TTSSpeakFrame,
    UserStartedSpeakingFrame,
    UserStoppedSpeakingFrame,
)
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineWorker
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.aggregators.llm_response_universal import (
    LLMContextAggregatorPair,
    LLMUserAggregatorParams,
)
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor
from pipecat.turns.user_turn_strategies import ExternalUserTurnStrategies
from pipecat.utils.time import time_now_iso8601
from pipecat.workers.runner import WorkerRunner

from pipecat_memory import Caller
from pipecat_memory.processors import MemoryProcessor

from . import services
from .bot import open_memory
from .business import SCHEMA, tools
from .greeting import Greeting

ANSWER = 15.0
"""Seconds to wait for an answer before the next line may be typed."""


class Screen(FrameProcessor):
    """Shows what the bot says."""

    def __init__(self) -> None:
        super().__init__()
        self.answered = asyncio.Event()
        self._text = ""

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        if isinstance(frame, LLMTextFrame):
            self._text += frame.text
        elif isinstance(frame, TTSSpeakFrame):
            self._show(frame.text)
        elif isinstance(frame, LLMFullResponseEndFrame) and self._text:
            self._show(self._text)
            self._text = ""
        await self.push_frame(frame, direction)

    def _show(self, text: str) -> None:
        print(f"bot: {text.strip()}", flush=True)
        self.answered.set()


async def typed(number: str | None, *, verified: bool = False) -> None:
    """Hold one call by typing; an empty line or the end of input hangs up."""
    logger.remove()
    logger.add(sys.stderr, level="ERROR")
    memory = await open_memory()
    caller = Caller.phone(number, how="verified" if verified else "number")
    call = memory.call(caller, call_id=f"typed-{uuid.uuid4().hex[:8]}", schema=SCHEMA)
    screen = Screen()
    memory_processor = MemoryProcessor(call)

    async def hang_up(reason: str) -> None:
        await worker.queue_frame(EndFrame(reason=reason))

    user, assistant = LLMContextAggregatorPair(
        LLMContext(tools=tools(call, hang_up)),
        user_params=LLMUserAggregatorParams(user_turn_strategies=ExternalUserTurnStrategies()),
    )
    steps = [
        user,
        memory_processor,
        services.replier(call),
        memory_processor.speech_guard(),
        screen,
        assistant,
    ]
    worker = PipelineWorker(Pipeline(steps), enable_rtvi=False, idle_timeout_secs=None)

    async def talk(*_: Any) -> None:
        await worker.queue_frame(await Greeting(call, None, 8000).frame())
        await _answer(screen)
        while line := (await asyncio.to_thread(sys.stdin.readline)).strip():
            if not sys.stdin.isatty():
                print(f"you: {line}", flush=True)
            screen.answered.clear()
            await worker.queue_frames(
                [
                    UserStartedSpeakingFrame(),
                    TranscriptionFrame(line, "", time_now_iso8601()),
                    UserStoppedSpeakingFrame(),
                ]
            )
            await _answer(screen)
        await worker.cancel(reason="hangup")

    runner = WorkerRunner(handle_sigint=True)
    await runner.add_workers(worker)
    talking = asyncio.create_task(talk(), name="talk")
    try:
        await runner.run()
    finally:
        talking.cancel()
        await memory.close()


async def _answer(screen: Screen) -> None:
    try:
        await asyncio.wait_for(screen.answered.wait(), ANSWER)
    except TimeoutError:
        print("bot: (no answer)", flush=True)
