"""The tap: where in a pipeline memory listens, and which frame becomes which event of the call.

Memory stands between the user aggregator and the LLM, where transcripts, tool follow-ups, playback and the
last turn of a cancelled call never pass. So it listens at its neighbours, through the events every Pipecat
processor has around processing and pushing a frame. These run inline: nothing is decided late, nothing waits
in a queue that an interruption or the end of the call throws away (an observer's queue is both).

| place | frame | event |
|---|---|---|
| user aggregator | VAD started / stopped, else UserStarted / StoppedSpeaking | UserStarted / UserStopped |
| user aggregator | InterimTranscription, EagerTranscription | UserPartial |
| user aggregator | Transcription (of an unmuted caller) | UserFinal, now or with its commit |
| user aggregator | LLMContextUserTurn | the commit: the finals it contains, then TurnEnded |
| user aggregator | on_user_turn_stopped without words | TurnEnded |
| user aggregator | LLMContext, speculative / EagerEndOfTurnCancel | TurnSpeculated / SpeculationWithdrawn |
| user aggregator | RTVISendText, LLMMessagesAppend of a user message, InputTextRaw | UserTyped, once a text |
| user aggregator | InputDTMF (and the transcription Pipecat makes of keys) | Dtmf |
| anywhere, first sight | Interruption, while the agent thinks, speaks or runs a tool | Interrupted |
| LLM, or the speech guard behind it | LLMFullResponseStart / LLMText | ReplyStarted / ReplyText |
| LLM | FunctionCallInProgress / Result / Cancel | ToolCalled / ToolReturned |
| into the output | AggregatedText, TTSStarted, TTSAudioRaw | of direct speech: ReplyStarted, ReplyText |
| out of the output | TTSText, TTSAudioRaw, LLMFullResponseEnd, Interruption | ReplyHeard, ReplyEnded |
| memory itself | all of the above, where a place is missing | the same, at first sight |

Broadcast frames come twice; the copy that went downstream counts.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from pipecat.frames.frames import (
    Frame,
    FunctionCallCancelFrame,
    FunctionCallInProgressFrame,
    FunctionCallResultFrame,
    InterruptionFrame,
)
from pipecat.processors.aggregators.llm_response_universal import UserTurnStoppedMessage
from pipecat.processors.frame_processor import FrameProcessor

from ..events import Event, ToolCalled, ToolReturned
from ..guard import Guard
from ..own_tools import OWN_TOOLS
from .agent_side import AgentSide
from .caller_side import CallerSide
from .dispatch import Dispatch, Handler
from .neighbours import Neighbours

ToolFrame = FunctionCallInProgressFrame | FunctionCallResultFrame | FunctionCallCancelFrame
Take = Callable[[Frame], None]
REMEMBERED = 512
"""Ids of frames seen lately; a frame passes all of its places within far fewer."""


class Tap:
    """Listens around one memory processor and feeds one call.

    Args:
        apply: takes an engine event.
        turn_ended: takes the end of a turn, with its time, behind what the loop does now.
        elapsed: seconds of the call.
        now: nanoseconds of the pipeline's clock.
        guard: catches what fails here, so that the pipeline doesn't.
    """

    def __init__(
        self,
        apply: Callable[[Event], object],
        turn_ended: Callable[[float], object],
        elapsed: Callable[[], float],
        now: Callable[[], int],
        guard: Guard,
    ) -> None:
        self._apply = apply
        self._elapsed = elapsed
        self._guard = guard
        self._seen: dict[int, None] = {}
        self._running: set[str] = set()
        self.tapped = False
        """Playback taps stand around the output, and tell what enters and leaves it."""
        self.caller = CallerSide(apply, turn_ended, elapsed)
        self.agent = AgentSide(apply, elapsed, now)
        handlers: dict[type[Frame], Handler] = {
            InterruptionFrame: self._interrupted,
            FunctionCallInProgressFrame: self._tool_called,
            FunctionCallResultFrame: self._tool_returned,
            FunctionCallCancelFrame: self._tool_cancelled,
        }
        self._dispatch = Dispatch(handlers)

    def attach(self, found: Neighbours, *, writer: FrameProcessor | None, tapped: bool) -> None:
        """Listen at the neighbours.

        Args:
            found: who stands around.
            writer: the speech guard, where there is one: what it lets through is the reply.
            tapped: playback taps stand around the output already.
        """
        self.tapped = tapped
        if found.user is not None:
            self._before_process(found.user, self.see)
            self._before_push(found.user, self.see)
            if found.user.previous is not None:
                self._before_push(found.user.previous, self.caller.handed)
            found.user.add_event_handler(
                "on_user_turn_stopped", self._guard.async_hook("turn", self._turn_stopped)
            )
        for llm in found.llms:
            self._before_push(llm, self.see)
            self._before_push(llm, functools.partial(self.agent.leaves_model, llm.id))
            if writer is None:
                self._before_push(llm, functools.partial(self.agent.generated, llm.id))
        if writer is not None:
            self._before_push(writer, functools.partial(self.agent.generated, writer.id))
        if found.output is not None and not tapped:
            self._before_process(found.output, self.entering)
            self._before_push(found.output, self.leaving)
        if found.assistant is not None:
            self._before_process(found.assistant, self.see)
            if found.output is None and not tapped:
                self._before_process(found.assistant, self.leaving)
        self.agent.measured = tapped or found.output is not None
        self.agent.replies.proof = self.agent.measured or found.assistant is not None

    def see(self, frame: Frame) -> None:
        """Take a frame, wherever it shows first."""
        ours = self._dispatch.of(frame)
        if (ours is None and self.caller.dispatch.of(frame) is None) or not self._first_sight(frame):
            return
        if ours is not None:
            ours(frame)
        else:
            self.caller.see(frame)

    def entering(self, frame: Frame) -> None:
        """Take a frame on its way into the output."""
        self.agent.entering(frame)

    def leaving(self, frame: Frame) -> None:
        """Take a frame on its way out of the output."""
        self.see(frame)
        self.agent.leaving(frame)

    def finish(self) -> None:
        """The call is over: settle what is still on its way."""
        with self._guard("finish"):
            self.caller.finish()
            self.agent.replies.finish()

    def _first_sight(self, frame: Frame) -> bool:
        # Of a broadcast pair the downstream copy is made first and has the lower id.
        sibling = frame.broadcast_sibling_id
        if frame.id in self._seen or (sibling is not None and sibling < frame.id):
            return False
        self._seen[frame.id] = None
        if len(self._seen) > REMEMBERED:
            del self._seen[next(iter(self._seen))]
        return True

    def _interrupted(self, frame: InterruptionFrame) -> None:
        self.caller.waiting.interrupted()
        self.agent.replies.interrupt(frame.id, busy=bool(self._running))

    def _tool_called(self, frame: FunctionCallInProgressFrame) -> None:
        self._running.add(frame.tool_call_id)
        args = dict(frame.arguments) if isinstance(frame.arguments, dict) else {}
        called = ToolCalled(t=self._elapsed(), id=frame.tool_call_id, name=frame.function_name, args=args)
        self._tell_of_tool(frame, called)

    def _tool_returned(self, frame: FunctionCallResultFrame) -> None:
        if frame.properties is None or frame.properties.is_final:
            self._running.discard(frame.tool_call_id)
            status = "error" if frame.error or _tells_error(frame.result) else "ok"
            self._tell_of_tool(
                frame,
                ToolReturned(t=self._elapsed(), id=frame.tool_call_id, status=status, result=frame.result),
            )

    def _tool_cancelled(self, frame: FunctionCallCancelFrame) -> None:
        self._running.discard(frame.tool_call_id)
        self._tell_of_tool(frame, ToolReturned(t=self._elapsed(), id=frame.tool_call_id, status="cancelled"))

    def _tell_of_tool(self, frame: ToolFrame, event: Event) -> None:
        if frame.function_name not in OWN_TOOLS:
            self._apply(event)

    async def _turn_stopped(self, _: Any, __: Any, message: UserTurnStoppedMessage) -> None:
        # None comes from realtime services, whose words are written later.
        if message.content == "":
            self.caller.turn_without_words()

    def _before_process(self, processor: FrameProcessor, take: Take) -> None:
        processor.add_event_handler("on_before_process_frame", self._hook(take))

    def _before_push(self, processor: FrameProcessor, take: Take) -> None:
        processor.add_event_handler("on_before_push_frame", self._hook(take))

    def _hook(self, take: Take) -> Callable[[FrameProcessor, Frame], Coroutine[Any, Any, None]]:
        async def hook(_: FrameProcessor, frame: Frame) -> None:
            take(frame)

        return self._guard.async_hook("tap", hook)


def _tells_error(result: object) -> bool:
    """How a handler that did not raise says that it failed: Pipecat has no other way, and ours refuse so."""
    return isinstance(result, Mapping) and bool(result.get("error"))
