"""A language model that answers from a script."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

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
from pipecat.services.settings import LLMSettings


@dataclass
class Call:
    """A tool call that the fake model answers with."""

    name: str
    args: dict[str, Any] = field(default_factory=dict[str, Any])


Answer = str | Call | Callable[[list[dict[str, Any]]], str]


class FakeLLM(LLMService):
    """Answers from a script, word by word, and remembers what it was given."""

    def __init__(self, answers: Sequence[Answer] = ()) -> None:
        super().__init__(
            settings=LLMSettings(
                model="fake",
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
        self.answers = list(answers)
        self.prompts: list[list[dict[str, Any]]] = []
        self.contexts: list[LLMContext] = []
        self.answered = asyncio.Event()

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        if isinstance(frame, LLMContextFrame):
            await self._answer(frame.context)
        else:
            await self.push_frame(frame, direction)

    async def _answer(self, context: LLMContext) -> None:
        params = await self.get_llm_adapter().get_llm_invocation_params(
            context, convert_developer_to_user=False
        )
        prompt: list[dict[str, Any]] = [dict(m) for m in params["messages"]]
        self.prompts.append(prompt)
        self.contexts.append(context)
        answer = self.answers.pop(0) if self.answers else ""
        await self.push_frame(LLMFullResponseStartFrame())
        if isinstance(answer, Call):
            call = FunctionCallFromLLM(
                function_name=answer.name,
                tool_call_id=f"tool-{len(self.prompts)}",
                arguments=answer.args,
                context=context,
            )
            await self.run_function_calls([call])
        else:
            text = answer if isinstance(answer, str) else answer(prompt)
            for word in text.split():
                await self._push_llm_text(word + " ")
        await self.push_frame(LLMFullResponseEndFrame())
        self.answered.set()
