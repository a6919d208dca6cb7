"""Memory of one session: what it listens to, what it tells the model, and how it ends."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import AsyncIterator, Callable
from typing import Any

from livekit import rtc
from livekit.agents import Agent, AgentSession, JobContext, llm
from livekit.agents.voice.events import (
    AgentStateChangedEvent,
    CloseEvent,
    ConversationItemAddedEvent,
    EventTypes,
)

from pipecat_memory import CallMemory
from pipecat_memory.guard import Guard
from pipecat_memory.tasks import within

from .ending import REASONS, Ending
from .guarded import guards
from .inject import (
    Tools,
    last_user,
    overlay,
    with_confirmed,
    wrap_model_node,
    wrap_recogniser_node,
)
from .key_terms import KeyTerms
from .line import Line
from .listener import Listener
from .log import logger
from .realtime import Realtime
from .speech import guarded_speech
from .tool_calls import ToolCalls
from .window import Window

HELD = "is held by another session or MemoryProcessor: this one has no memory; make one memory.call(...) each"


class Attachment(llm.Toolset):
    """Memory of one session: listens, briefs, and is closed with the session's tools.

    A session-scoped toolset is the one thing whose end a session waits for, after the last user turn.
    """

    def __init__(
        self, session: AgentSession[Any], call: CallMemory, context: JobContext | None, *, nbest: bool
    ) -> None:
        super().__init__(id="pipecat_memory", tools=[])
        self.call = call
        self.context = context
        self._guard = Guard(call.id, strict=call.settings.strict, warn=logger.warning)
        self._session = weakref.ref(session)
        self._listener = Listener(session, call, self._guard)
        self._tools_called = ToolCalls(session, call)
        self._line = Line(session, call, context)
        self._ending = Ending(call, self._line)
        self._terms = KeyTerms(session, call)
        self._realtime = Realtime(session, call)
        self._window = Window(call)
        self._nbest = nbest
        self._answered = False
        self._room: rtc.Room | None = None
        self._parted = False
        self._session_events: dict[EventTypes, Callable[..., None]] = {
            "conversation_item_added": self._hook("item", self._item),
            "user_input_transcribed": self._hook("transcript", self._listener.transcribed),
            "user_state_changed": self._hook("user state", self._listener.user_state),
            "speech_created": self._hook("speech", self._listener.speech_created),
            "agent_state_changed": self._hook("agent state", self._agent_state),
            "tool_execution_updated": self._hook("tools", self._tools_called.updated),
            "function_tools_executed": self._hook("tools", self._tools_called.executed),
            "close": self._guard.hook("close", self._closed),
        }
        self._room_events: dict[rtc.room.EventTypes, Callable[..., None]] = {
            "sip_dtmf_received": self._hook("keys", self._key),
            "participant_disconnected": self._hook("leaving", self._line.left),
        }
        self._preload: asyncio.Task[Any] | None = None
        self._begun = False

    @property
    def over(self) -> bool:
        """Whether what the session says is not the call's: either has ended, or another session has it."""
        return self._parted or self.call.front_door is not self or self.call.course.ended is not None

    @property
    def begun(self) -> bool:
        """Whether the session was started: a call can't be given to another one any more."""
        return self._begun

    @property
    def hook_errors(self) -> int:
        """Failures of ours that were kept from the session."""
        return self._guard.hook_errors

    def start(self, session: AgentSession[Any]) -> None:
        """Register everything; the preload begins where a loop already runs."""
        for event, handler in self._session_events.items():
            session.on(event, handler)
        session.tools.append(self)
        self._begin_preload()
        if self.context is not None:
            self.context.add_shutdown_callback(self._at_shutdown)
            if (entry := asyncio.current_task()) is not None:
                self._ending.follow(entry)

    def join(self, session: AgentSession[Any]) -> None:
        """Catch up with a session that runs already: its agent is wrapped and its room is followed."""
        self._wrap(session.current_agent)
        self.call.memory.tasks.spawn(self.setup(), "late set-up")

    async def setup(self) -> Attachment:
        """Runs before an agent enters, and again at each handoff; waits only for realtime models."""
        if not self._begun and self.call.front_door is not self:
            logger.error("call %s %s", self.call.id, HELD)
        self._begun = True
        if self.over:
            return self
        if self._room is None and (room := self._line.room) is not None:
            self._room = room
            for event, handler in self._room_events.items():
                room.on(event, handler)
        self._begin_preload()
        with self._guard("realtime"):
            await self._realtime.begin()
        return self

    async def aclose(self) -> None:
        """The session ends: what was said is durable before it is gone."""
        with self._guard("flush"):
            self._listener.keys.flush()
            self._tools_called.settle()
            if self._room is not None:
                for event, handler in self._room_events.items():
                    self._room.off(event, handler)
                self._room = None
            # A dead store must not hold the session: the journal goes on trying behind it.
            flushing = self.call.memory.tasks.spawn(self.call.journal.flushed(), "flush")
            await within(self.call.memory.clock, self.call.settings.store_timeout, flushing)
        if not self.over:
            self._ending.expect_event(self._closed_unheard)

    async def remember(self, chat_ctx: llm.ChatContext, tools: Tools) -> llm.ChatContext:
        """The model's copy of a context with memory in it; never fails, never waits beyond its bounds."""
        if self.over:
            return chat_ctx
        with self._guard("briefing"):
            self.call.guard(guards(tools))
            asked = last_user(chat_ctx)
            self._listener.answered(asked)
            self._tools_called.settle()
            await self._line.check()
            if not self._answered:
                await self.call.preload(self.call.settings.preload_wait)
                self._answered = True
            text = asked.text_content if asked is not None else None
            if text:
                await self.call.recall_ready(text)
            briefing = self.call.briefing(text, self._listener.nbest(text) if text else ())
            kept = llm.ChatContext(self._window.select(chat_ctx.items))
            return overlay(with_confirmed(kept, briefing.confirmed), briefing, self._window.block)
        return chat_ctx

    async def finished(self) -> None:
        """Wait until the call is summarised, as far as `Settings.drain` allows."""
        await self._ending.finished()

    def close(self, reason: str) -> None:
        """End the call in the background, unless another session has it; once.

        Args:
            reason: why, where the line doesn't tell.
        """
        if self.call.front_door is self:
            self._ending.close(reason, self)

    def _begin_preload(self) -> None:
        if self._preload is not None:
            return
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return
        self._preload = self.call.memory.tasks.spawn(self._load(), "session preload")

    async def _load(self) -> None:
        await self.call.preload(self.call.settings.store_timeout)
        if self.over:
            return
        with self._guard("key terms"):
            self._terms.push()
        self._refresh()

    def _refresh(self) -> None:
        """Brief a speech-to-speech model anew, in the background."""
        if self._realtime.live is not None:
            self.call.memory.tasks.spawn(self._brief_realtime(), "realtime briefing")

    async def _roll(self, items: list[llm.ChatItem]) -> None:
        with self._guard("window"):
            await self._window.roll(items)

    async def _brief_realtime(self) -> None:
        with self._guard("realtime"):
            if self.over:
                return
            await self._line.check()
            await self.call.preload(self.call.settings.store_timeout)
            await self._realtime.refresh()

    def _hook(self, place: str, handler: Callable[[Any], None]) -> Callable[[Any], None]:
        """`handler`, guarded, for as long as the call lasts."""
        guarded = self._guard.hook(place, handler)

        def listening(event: Any) -> None:
            if not self.over:
                guarded(event)

        return listening

    def _item(self, event: ConversationItemAddedEvent) -> None:
        session = self._session()
        if session is None:
            return
        if event.item.type == "agent_handoff":
            # Comes before the new agent starts, the first one included.
            self._wrap(session.current_agent)
            return
        self._listener.item(event)
        self._terms.push()
        self._refresh()
        if event.item.type == "message" and event.item.role == "assistant":
            self.call.memory.tasks.spawn(self._roll(list(session.current_agent.chat_ctx.items)), "window")

    def _wrap(self, agent: Agent) -> None:
        wrap_model_node(agent, self.remember, self._speech)
        if self._nbest:
            wrap_recogniser_node(agent, self._hook("alternatives", self._listener.recognised))

    def _agent_state(self, event: AgentStateChangedEvent) -> None:
        self._listener.agent_state(event)
        self._refresh()

    def _key(self, event: rtc.SipDTMF) -> None:
        if self._line.is_caller(event.participant):
            self._listener.keys.press(event)

    def _speech(self, chunks: AsyncIterator[Any]) -> AsyncIterator[Any]:
        return chunks if self.over else guarded_speech(chunks, self.call, self._guard)

    def _closed(self, event: CloseEvent) -> None:
        self._ending.event_came()
        self.close(REASONS.get(event.reason, "error"))
        self._part()

    def _closed_unheard(self) -> None:
        self.close("bot_ended")
        self._part()

    def _part(self) -> None:
        """A session can be started again, for another caller: nothing of this call stays with it."""
        self._parted = True
        session = self._session()
        if session is not None:
            for event, handler in self._session_events.items():
                session.off(event, handler)
            if self in session.tools:
                session.tools.remove(self)

    async def _at_shutdown(self) -> None:
        self.close("cancelled")
        await self.finished()
