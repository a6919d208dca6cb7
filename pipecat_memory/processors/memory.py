"""The memory processor: one line in a pipeline, between the user aggregator and the LLM."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from typing import Any

from loguru import logger
from pipecat.frames.frames import (
    EagerEndOfTurnCancelFrame,
    Frame,
    LLMContextFrame,
    MetricsFrame,
    StartFrame,
    StopFrame,
)
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor, FrameProcessorSetup

from ..call import CallMemory
from ..guard import Guard
from ..records.summary import Summary
from ..tasks import behind
from .ending import reason_of
from .frames import (
    MemoryDocumentsFrame,
    MemoryIdentifyFrame,
    MemoryMetricsData,
    MemoryPauseFrame,
    MemoryResumeFrame,
)
from .guards import guards
from .key_terms import KeyTerms
from .neighbours import Neighbours, around
from .news import News
from .part import Part
from .placement import Placement, taken
from .playback import MadeTap, PlayedTap
from .speech_guard import SpeechGuardProcessor
from .tap import Tap
from .view import MemoryView, last_user_text
from .window import Window, window_of


class MemoryProcessor(Part):
    """Gives a Pipecat agent the memory of one call.

    Stands between the user aggregator and the LLM. Tool follow-ups, speculative turns and whatever else
    makes the LLM run are covered too, wherever they come from; the shared context stays clean.

    Event handlers available:

    - on_memory_recalled(processor, frame): a `MemoryRecalledFrame`
    - on_memory_stored(processor, frame): a `MemoryStoredFrame`
    - on_call_summary(processor, summary): exactly once a call; None where nothing may be kept

    Example::

        memory_processor = MemoryProcessor(call)
        Pipeline([transport.input(), stt, user_aggregator, memory_processor, llm, tts,
                  transport.output(), assistant_aggregator])

    Args:
        call: the call, from `memory.call(...)`. One processor a call.
        llm: the LLM to tell, on this pipeline's context, where it is not one that follows in the pipeline.
        **kwargs: for `FrameProcessor`.
    """

    def __init__(self, call: CallMemory, *, llm: FrameProcessor | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._call = call
        self._llms = [llm] if llm is not None else list[FrameProcessor]()
        self._own: Callable[[Any], bool] = lambda _: True
        self._guard = Guard(call.id, strict=call.settings.strict, warn=logger.warning)
        self._tap = Tap(call.apply, self._turn_ended, lambda: call.elapsed, self._now, self._guard)
        self._news = News(self, call.id)
        self._terms = KeyTerms(call)
        self._speech_guard: SpeechGuardProcessor | None = None
        self._taps: list[tuple[MadeTap, PlayedTap]] = []
        self._window: Window | None = None
        self._withdrawals = 0
        self._waited = False
        self._told: str | None = None
        self._ended = False
        self._background: set[asyncio.Task[None]] = set()
        self._register_event_handler("on_memory_recalled")
        self._register_event_handler("on_memory_stored")
        self._register_event_handler("on_call_summary")

    @property
    def call(self) -> CallMemory:
        """The call whose memory this is."""
        return self._call

    @property
    def hook_errors(self) -> int:
        """How often something of ours failed and the call went on without it."""
        return self._guard.hook_errors

    @property
    def replying(self) -> bool:
        """A reply is on its way: thought of, spoken, or not yet heard to its end."""
        return self._tap.agent.replies.any

    def playback(self, output: FrameProcessor) -> list[FrameProcessor]:
        """Taps around the transport's output, to be put into the pipeline in its place.

        Args:
            output: `transport.output()`.

        Returns:
            The tap before it, the output, the tap behind it.
        """
        made = MadeTap(self, self._tap, self._guard, output)
        played = PlayedTap(self, self._tap, self._guard)
        self._taps.append((made, played))
        return [made, output, played]

    def speech_guard(self) -> SpeechGuardProcessor:
        """A processor for between LLM and TTS that keeps field names and notes from being spoken."""
        if self._speech_guard is None:
            self._speech_guard = SpeechGuardProcessor(self, self._call, self._guard)
        return self._speech_guard

    def can_generate_metrics(self) -> bool:
        """Memory reports what it adds to each reply."""
        return True

    async def setup(self, setup: FrameProcessorSetup) -> None:
        """Listen at the neighbours and start to load the caller's memory; waits for neither."""
        await super().setup(setup)
        with self._guard("setup"):
            if (refused := taken(self._call, self)) is not None:
                logger.error(f"{self}: {refused}")
                return
            worker = setup.pipeline_worker
            found = around(self, worker.pipeline)
            self._attach(found)
            worker.add_event_handler("on_pipeline_finished", self._guard.async_hook("end", self._finished))
            self._call.listen(self._heard_of)
            await self._call.preload(0.0)

    async def cleanup(self) -> None:
        """End the call if nothing has, and let go of what still runs."""
        if self._call.front_door is self:
            await self._end("cancelled")
        for task in list(self._background):
            await self.cancel_task(task)
        await self._news.stop()
        await super().cleanup()

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Take a frame and pass it on, telling the model what memory has to tell."""
        await super().process_frame(frame, direction)
        if self._call.front_door is not self:
            await self.push_frame(frame, direction)
            return
        if isinstance(frame, StartFrame):
            await self.push_frame(frame, direction)
            self._news.start()
            return
        with self._guard("frame"):
            self._tap.see(frame)
            self._obey(frame)
        seconds: float | None = None
        if isinstance(frame, EagerEndOfTurnCancelFrame):
            self._withdrawals += 1
        if isinstance(frame, LLMContextFrame):
            before = self._withdrawals
            seconds = await self._tell_model(frame)
            if frame.speculation and self._withdrawals != before:
                return  # withdrawn while we waited: passed on now, its answer would be spoken
        await self.push_frame(frame, direction)
        if isinstance(frame, LLMContextFrame):
            await self._measure(seconds)
            await self.hint()

    async def hint(self) -> None:
        """Tell the recogniser new names, if the caller is silent now."""
        with self._guard("key terms"):
            if not self._tap.caller.speaking:
                for update in self._terms.news():
                    await self.push_frame(update, FrameDirection.UPSTREAM)

    # What the model is told.

    async def _tell_model(self, frame: LLMContextFrame) -> float | None:
        """Lay memory over the context of one inference. Once a frame, wherever it comes by.

        Returns:
            The seconds it took; None where it was there already, or failed.
        """
        context = frame.context
        if isinstance(context, MemoryView):
            return None
        with self._guard("inference"):
            begun = time.perf_counter()
            self._call.guard(guards(context, self._llms))
            words = last_user_text(context.messages)
            pending = frame.speculation or self._tap.caller.uncommitted
            await self._wait(words)
            briefing = self._call.briefing(words if pending else None)
            select = self._window.select if self._window is not None else None
            if briefing.stable or briefing.changing or select is not None:
                frame.context = MemoryView(
                    context, stable=briefing.stable, changing=briefing.changing, select=select
                )
            if self._window is not None and not frame.speculation:
                self._work("window", self._window.roll(list(context.messages)))
            return time.perf_counter() - begun
        return None

    async def _wait(self, words: str | None) -> None:
        """The bounded waits of a reply: for the preload once, for the query vector once a turn."""
        if not self._waited:
            self._waited = True
            await self._call.preload(self._call.settings.preload_wait)
        if words is not None and words != self._told:
            self._told = words
            await self._call.recall_ready(words)

    async def _measure(self, seconds: float | None) -> None:
        if self.metrics_enabled and seconds is not None:
            data = MemoryMetricsData(processor=self.name, value=seconds, added_ms=seconds * 1000)
            await self.push_frame(MetricsFrame(data=[data]))

    async def _before_llm(self, _: FrameProcessor, frame: Frame) -> None:
        # Tool follow-ups and the assistant half's runs reach the LLM from below.
        if isinstance(frame, LLMContextFrame) and self._own(frame.context):
            await self._measure(await self._tell_model(frame))

    # What the app tells us, and what we tell it.

    def _turn_ended(self, t: float) -> None:
        """The model goes first: what a turn's end sets off is done behind the frame that asks it."""
        self._call.turn_ended(t)
        behind(self._guard.hook("turn", self._call.catch_up))

    def _obey(self, frame: Frame) -> None:
        match frame:
            case MemoryIdentifyFrame(caller=caller, how=how):
                self._work("identify", self._call.identify(caller, how))
            case MemoryPauseFrame():
                self._call.pause()
            case MemoryResumeFrame():
                self._call.resume()
            case MemoryDocumentsFrame(docs=docs):
                self._call.documents(docs)
            case _:
                pass

    def _work(self, place: str, work: Coroutine[Any, Any, None]) -> None:
        """Something that no frame waits for."""
        task = self.create_task(self._guarded(place, work), place)
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    async def _guarded(self, place: str, work: Coroutine[Any, Any, None]) -> None:
        with self._guard(place):
            await work

    def _heard_of(self, name: str, payload: dict[str, Any]) -> None:
        self._news.add(name, payload)

    # Around us.

    def _attach(self, found: Neighbours) -> None:
        placement = Placement(found.behind, self._speech_guard, self._taps)
        for complaint in (*found.missed, *placement.complaints()):
            logger.warning(f"{self}: {complaint}")
        if self._llms:
            found.llms, self._own = self._llms, found.hold
        self._llms = found.llms
        writer = self._speech_guard if placement.guarded else None
        self._tap.attach(found, writer=writer, tapped=placement.tapped)
        for llm in found.llms:
            llm.add_event_handler("on_before_process_frame", self._guard.async_hook("llm", self._before_llm))
        self._terms.attach(found.recognisers)
        self._news.attach(panel=found.panel)
        self._window = window_of(self._call, found.assistant)

    def _now(self) -> int:
        return self.get_clock().get_time()

    # The end.

    async def _finished(self, _: Any, frame: Frame) -> None:
        if not isinstance(frame, StopFrame):
            await self._end(reason_of(frame))

    async def _end(self, reason: str) -> None:
        """Finalise the call: exactly once, whichever way it ends and whoever gets here first."""
        if self._ended:
            return
        self._ended = True
        self._tap.finish()
        summary: Summary | None = None
        with self._guard("close"):
            summary = await self._call.close(reason)
        await self._call_event_handler("on_call_summary", summary)
