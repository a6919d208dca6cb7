"""Speech-to-speech models have no model node: their own context is kept briefed, between turns.

The blocks are user messages, as everywhere; instructions are left alone, since free text must not stand
there. The model's own context is changed, not the agent's: that one may lack what has no transcript yet.
"""

from __future__ import annotations

import asyncio
from typing import Any

from livekit.agents import AgentSession, llm
from livekit.agents.metrics import RealtimeModelMetrics

from pipecat_memory import CallMemory
from pipecat_memory.reading.window import select
from pipecat_memory.records.turn import HistoryItem
from pipecat_memory.writing.rolling import earlier_block
from pipecat_memory.writing.summary import compress

from .guarded import guards
from .inject import OURS, overlay
from .log import logger
from .window import read


class Realtime:
    """Briefs the speech-to-speech model of a session, if it has one.

    Args:
        session: whose model it is.
        call: what is to be told.
    """

    def __init__(self, session: AgentSession[Any], call: CallMemory) -> None:
        self._session = session
        self._call = call
        self._lock = asyncio.Lock()
        self._followed: llm.RealtimeSession | None = None
        self._told: tuple[str, ...] = ()
        self._full = False
        self._most = call.settings.realtime_tokens
        self._rolled = False
        self._earlier = ""
        self._warned = False

    @property
    def live(self) -> llm.RealtimeSession | None:
        """The running model, None for other kinds of model and before it runs."""
        try:
            return self._session.current_agent.realtime_llm_session
        except RuntimeError:
            return None

    async def begin(self) -> None:
        """Before an agent's model starts: the one chance with a model that takes no changes later.

        Waits for the preload as a first reply does, at most `preload_wait`.
        """
        agent = self._session.current_agent
        model = agent.llm if isinstance(agent.llm, llm.RealtimeModel) else self._session.llm
        if not isinstance(model, llm.RealtimeModel) or model.capabilities.mutable_chat_context:
            return
        await self._call.preload(self._call.settings.preload_wait)
        await agent.update_chat_ctx(overlay(agent.chat_ctx.copy(), self._call.briefing()))

    async def refresh(self) -> None:
        """Let the model's context say what the memory says now; only while nobody is speaking."""
        if (speech := self._session.current_speech) is not None:
            await speech.wait_for_playout()
        async with self._lock:
            live = self.live
            if live is None:
                return
            if not live.capabilities.mutable_chat_context:
                self._warn()
                return
            self._follow(live)
            turns = self._turns_kept(live.chat_ctx.items) if self._full else None
            if turns is not None:
                self._earlier = await self._sum_up(turns)
            # Taken and given without a wait between: what LiveKit adds meanwhile must not get lost.
            if not self._silent:
                return
            self._call.guard(guards([*self._session.current_agent.tools, *self._session.tools]))
            briefing = self._call.briefing()
            told = (briefing.stable, self._earlier, briefing.changing)
            context = live.chat_ctx.copy()
            # A handoff that keeps the model's session gives it the next agent's context, without ours.
            standing = sum(item.id in OURS for item in context.items)
            if told == self._told and standing == sum(map(bool, told)) and turns is None:
                return
            if turns is not None:
                said = [item for item in context.items if item.id not in OURS]
                context.items[:] = select(said, mode="last_n", turns=turns, read=read)
            await live.update_chat_ctx(overlay(context, briefing, self._earlier, last=True))
            # Only what the provider took was told, and only then its context is shorter.
            self._told, self._full, self._rolled = told, False, turns is not None

    @property
    def _silent(self) -> bool:
        # Not by the agent's state, which 1.8.4 leaves at "speaking" after a reply without sound.
        speech = self._session.current_speech
        return (speech is None or speech.done()) and self._session.user_state != "speaking"

    def _follow(self, live: llm.RealtimeSession) -> None:
        if live is not self._followed:
            self._followed, self._told, self._full = live, (), False
            live.on("metrics_collected", self._measured)

    def _measured(self, metrics: Any) -> None:
        """What the model read for a reply is how full its context is."""
        if not isinstance(metrics, RealtimeModelMetrics):
            return
        read, rolled, self._rolled = metrics.input_tokens, self._rolled, False
        if rolled and read > self._most:
            # Leaving turns out did not help: instructions and tools are too long, and trying again will not.
            if self._most == self._call.settings.realtime_tokens:
                logger.warning(
                    "what stays of a full context is more than Settings(realtime_tokens=%d) already: give it "
                    "more, or shorten instructions and tools",
                    self._most,
                )
            self._most = 2 * read
        self._full = read > self._most

    def _turns_kept(self, items: list[llm.ChatItem]) -> int:
        """How many turns stay when the context is rolled over: never more than half."""
        said = sum(i.type == "message" and i.role == "user" and i.id not in OURS for i in items)
        return max(1, min(self._call.settings.window_turns, said // 2))

    async def _sum_up(self, kept: int) -> str:
        """The block that stands for all but the last turns."""
        last = self._call.course.turn - kept
        gone: list[HistoryItem] = [item for item in self._call.course.history() if item.turn <= last]
        text = await compress(
            self._call.memory.model,
            call=self._call.id,
            clock=self._call.memory.clock,
            settings=self._call.settings,
            items=gone,
            usage=self._call.writer.usage,
            who=self._call.course.ledger.who,
        )
        return earlier_block(text, self._call.settings)

    def _warn(self) -> None:
        if not self._warned and self._call.briefing().changing:
            self._warned = True
            logger.warning("this realtime model takes no context changes; give its agent MemoryToolset")
