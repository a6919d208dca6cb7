"""Who answers: rules on this machine, or a model, with the rules behind it where the model fails."""

from __future__ import annotations

import asyncio
import os
import time
import uuid
from typing import Any

import httpx
import openai
from loguru import logger
from pipecat.frames.frames import (
    Frame,
    FunctionCallFromLLM,
    LLMContextFrame,
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
)
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.frame_processor import FrameDirection
from pipecat.services.llm_service import LLMService
from pipecat.services.openai.llm import OpenAILLMService
from pipecat.services.settings import LLMSettings

from pipecat_memory.call import CallMemory

from .answers import APOLOGY, Answer, answer

FIRST_WORD = float(os.environ.get("PHONE_BOT_FIRST_WORD", "4"))
"""Seconds a caller waits for the model's first word before the rules answer instead."""
REST = 20.0
"""Seconds for which a model that failed is not asked again: callers should not wait for it each turn."""
_told: set[str] = set()


class LocalReplier(LLMService):
    """Answers by rules over the notes and the next step. It is no language model."""

    def __init__(self, call: CallMemory) -> None:
        super().__init__(
            settings=LLMSettings(
                model="rules",
                system_instruction=None,
                temperature=None,
                max_tokens=None,
                top_p=None,
                top_k=None,
                frequency_penalty=None,
                presence_penalty=None,
                seed=None,
                filter_incomplete_user_turns=False,
                user_turn_completion_config=None,
            )
        )
        self._call = call

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        if not isinstance(frame, LLMContextFrame):
            await self.push_frame(frame, direction)
            return
        # Found before the reply starts, so that what it takes up from an earlier call is noted by then.
        found = by_rules(self._call, frame.context)
        await self.push_frame(LLMFullResponseStartFrame())
        await give(self, found, frame.context)
        await self.push_frame(LLMFullResponseEndFrame())


class ModelReplier(OpenAILLMService):
    """A model at an OpenAI-compatible server; where it fails, the rules answer and the log says why."""

    def __init__(
        self, call: CallMemory, *, api_key: str, base_url: str | None, model: str, instructions: str
    ) -> None:
        super().__init__(
            api_key=api_key,
            base_url=base_url,
            settings=OpenAILLMService.Settings(model=model, system_instruction=instructions),
        )
        self._call = call
        self._said = False
        self._rests_until = 0.0
        self._deadline: asyncio.Timeout | None = None

    async def _process_context(self, context: LLMContext) -> None:
        self._said = False
        if time.monotonic() < self._rests_until:
            await give(self, by_rules(self._call, context), context)
            return
        try:
            async with asyncio.timeout(FIRST_WORD) as self._deadline:
                await super()._process_context(context)
        except (openai.OpenAIError, httpx.HTTPError, TimeoutError) as error:
            self._deadline = None
            self._rests_until = time.monotonic() + REST
            complain(error)
            if self._said:
                await self._push_llm_text(" " + APOLOGY)
            else:
                await give(self, by_rules(self._call, context), context)

    async def _push_llm_text(self, text: str) -> None:
        self._said = True
        self._in_time()
        await super()._push_llm_text(text)

    async def run_function_calls(self, function_calls: list[FunctionCallFromLLM]) -> None:  # pyright: ignore[reportIncompatibleMethodOverride] - a list is what the base passes
        self._in_time()
        await super().run_function_calls(function_calls)

    def _in_time(self) -> None:
        """The model has begun to answer: from here on it may take its time."""
        deadline, self._deadline = self._deadline, None
        if deadline is not None:
            deadline.reschedule(None)


def by_rules(call: CallMemory, context: LLMContext) -> Answer:
    """What the rules make of the notes."""
    return answer(call, [dict(m) for m in context.get_messages() if isinstance(m, dict)])


async def give(llm: LLMService[Any], found: Answer, context: LLMContext) -> None:
    """Say it, or do it, in the name of `llm`."""
    if found.tool is not None:
        calls = [
            FunctionCallFromLLM(
                function_name=found.tool, tool_call_id=uuid.uuid4().hex, arguments={}, context=context
            )
        ]
        await llm.run_function_calls(calls)
    elif found.text:
        await llm._push_llm_text(found.text)


def complain(error: Exception) -> None:
    """Say once a process what is wrong with the model; never what was asked of it."""
    name = type(error).__name__
    if name not in _told:
        _told.add(name)
        status = getattr(error, "status_code", None)
        logger.error(
            f"the model can't be used: {name}{f' {status}' if status else ''} "
            "(check OPENAI_API_KEY, OPENAI_BASE_URL and OPENAI_MODEL); the local replier answers"
        )
