"""A speech-to-speech model that is a fake: the test says what the provider hears, says and reads."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

from livekit.agents import llm
from livekit.agents.metrics import RealtimeModelMetrics


class FakeRealtime(llm.RealtimeModel):
    """A model that speaks by itself; the test says what the provider reports."""

    def __init__(self, *, mutable: bool = True, reusable: bool = False) -> None:
        super().__init__(
            capabilities=llm.RealtimeCapabilities(
                message_truncation=True,
                turn_detection=True,
                user_transcription=True,
                auto_tool_reply_generation=False,
                audio_output=False,
                manual_function_calls=False,
                mutable_chat_context=mutable,
                mutable_instructions=reusable,
                mutable_tools=reusable,
            )
        )
        self.sessions: list[Live] = []

    def session(self, *, turn_detection_disabled: bool = False) -> llm.RealtimeSession:
        self.sessions.append(Live(self))
        return self.sessions[-1]

    async def aclose(self) -> None:
        pass


class Live(llm.RealtimeSession):
    """One session with the provider."""

    def __init__(self, model: FakeRealtime) -> None:
        super().__init__(model)
        self.given = llm.ChatContext.empty()
        self.instructions = ""
        self.updates = 0
        self.asked: list[tuple[Any, list[str]]] = []

    @property
    def chat_ctx(self) -> llm.ChatContext:
        return self.given

    @property
    def tools(self) -> llm.ToolContext:
        return llm.ToolContext.empty()

    async def update_instructions(self, instructions: str) -> None:
        self.instructions = instructions

    async def update_chat_ctx(self, chat_ctx: llm.ChatContext) -> None:
        self.given = chat_ctx.copy()
        self.updates += 1

    async def update_tools(self, tools: list[Any]) -> None: ...

    def update_options(self, **_: Any) -> None: ...

    def push_audio(self, frame: Any) -> None: ...

    def push_video(self, frame: Any) -> None: ...

    def generate_reply(
        self, *, instructions: Any = None, **_: Any
    ) -> asyncio.Future[llm.GenerationCreatedEvent]:
        self.asked.append((instructions, memory_of(self)))
        reply: asyncio.Future[llm.GenerationCreatedEvent] = asyncio.get_running_loop().create_future()
        reply.set_result(_generation("Good day.", f"asked-{len(self.asked)}", asked=True))
        return reply

    def commit_audio(self) -> None: ...

    def clear_audio(self) -> None: ...

    def interrupt(self) -> None: ...

    def truncate(self, **_: Any) -> None: ...

    async def aclose(self) -> None: ...

    def hears(self, text: str, id: str) -> None:
        """The provider has the words of a turn."""
        self.given.add_message(role="user", content=text, id=id)
        self.emit(
            "input_audio_transcription_completed",
            llm.InputTranscriptionCompleted(item_id=id, transcript=text, is_final=True),
        )

    def reads(self, tokens: int) -> None:
        """The provider reports what it read for its last reply."""
        metrics = RealtimeModelMetrics(
            request_id="reply",
            timestamp=0.0,
            input_tokens=tokens,
            input_token_details=RealtimeModelMetrics.InputTokenDetails(),
            output_token_details=RealtimeModelMetrics.OutputTokenDetails(),
        )
        self.emit("metrics_collected", metrics)

    def replies(self, text: str, id: str) -> None:
        """The provider answers the caller by itself."""
        self.given.add_message(role="assistant", content=text, id=id)
        self.emit("generation_created", _generation(text, id, asked=False))


def _generation(text: str, id: str, *, asked: bool) -> llm.GenerationCreatedEvent:
    async def stream(*items: Any) -> AsyncGenerator[Any]:
        for item in items:
            yield item

    kinds: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    kinds.set_result(["text"])
    message = llm.MessageGeneration(
        message_id=id, text_stream=stream(text), audio_stream=stream(), modalities=kinds
    )
    return llm.GenerationCreatedEvent(
        message_stream=stream(message), function_stream=stream(), user_initiated=asked, response_id=id
    )


def memory_of(live: Live) -> list[str]:
    """The blocks in the model's own context, in order."""
    texts = [(i.role, i.text_content or "") for i in live.given.items if i.type == "message"]
    assert all(role == "user" for role, text in texts if text.startswith("<memory"))
    return [text for _, text in texts if text.startswith("<memory")]
