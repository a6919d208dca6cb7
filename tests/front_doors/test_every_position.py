"""A short call in which the line drops, or the caller cuts in, at each place a frame or an event can be."""

from __future__ import annotations

from typing import Any

import pytest
from livekit.agents import RunContext, function_tool, stt
from pipecat.adapters.llm.schemas.tools_schema import ToolsSchema
from pipecat.frames.frames import Frame, InterimTranscriptionFrame
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor
from pipecat.services.llm_service import FunctionCallParams

from pipecat_memory import Caller, CallMemory, Memory, Settings
from tests.livekit import kit as livekit
from tests.livekit.as_it_was import remembered_as_it_was
from tests.livekit.telephone import Telephone
from tests.processors import kit as pipecat
from tests.processors import model as scripted
from tests.processors.voices import WORD, SentenceVoice, SocketVoice, Voice, WordVoice

from .wire import Wire

CALLER = Caller.phone("+15551230001", how="verified")
SAID = ("My name is Ana Lima", "A table for four", "at seven")
PLANS = ("Hello Ana, how are you today?", "Four it is, see you then.")
AGAIN = "Say that again, please?"
FRAMES, EVENTS = 115, 36
"""About so many frames and events such a call has; behind its end the wire trips no more."""


def some(most: int, every: int) -> list[Any]:
    """Each place, of which one in `every` is tried at every push."""
    return [pytest.param(at, marks=pytest.mark.long if at % every else ()) for at in range(most)]


class Tripwire(FrameProcessor):
    """Counts what passes it, either way."""

    def __init__(self, wire: Wire) -> None:
        super().__init__(enable_direct_mode=True)
        self._wire = wire

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        await super().process_frame(frame, direction)
        self._wire.sees()
        await self.push_frame(frame, direction)


class Counting(pipecat.Out):
    """The way to the caller, which counts what leaves it."""

    def __init__(self, wire: Wire) -> None:
        super().__init__()
        self._wire = wire

    async def push_frame(self, frame: Frame, direction: FrameDirection = FrameDirection.DOWNSTREAM) -> None:
        self._wire.sees()
        await super().push_frame(frame, direction)


async def look_up(params: FunctionCallParams) -> None:
    """Look up what is free.

    Args:
        params: given by the framework.
    """
    await params.result_callback("free at seven")


async def talk(rig: pipecat.Rig) -> None:
    """The whole call, if nothing happens."""
    await rig.starts()
    await rig.push(InterimTranscriptionFrame("My na", "caller", "", None))
    await rig.hears(SAID[0])
    await rig.stops()
    await pipecat.until(lambda: len(rig.llm.prompts) == 1)
    await rig.spoken()
    await rig.says(*SAID[1:])
    await pipecat.until(lambda: len(rig.llm.prompts) == 3)
    await rig.spoken()


def words(texts: list[str]) -> list[str]:
    return " ".join(texts).split()


def said_by(call: CallMemory, role: str) -> list[str]:
    return [item.text for item in call.course.history() if item.role == role and not item.promoted]


async def through_pipecat(wire: Wire, voice: type[Voice], *, cut: bool) -> None:
    memory = await Memory.open("memory://", embedder=None, settings=Settings(strict=True))
    call = memory.call(CALLER, call_id="the-call")
    told: list[str] = []
    call.listen(lambda name, _: told.append(name) if name == "summary" else None)
    answers = [PLANS[0], scripted.Call("look_up"), PLANS[1], *[AGAIN] * 3]
    tools = ToolsSchema(standard_tools=[look_up])
    out = Counting(wire)
    async with pipecat.bot(
        call, answers=answers, voice=voice(), out=out, between=[Tripwire(wire)], full=True, tools=tools
    ) as rig:

        async def hangs_up() -> None:
            await rig.worker.cancel(reason="hangup")

        async def cuts_in() -> None:
            await rig.starts()
            await rig.hears("wait")
            await rig.stops()

        wire.act = cuts_in if cut else hangs_up
        await wire.during(talk(rig))
        if cut or not wire.tripped.is_set():
            await pipecat.until(lambda: "wait" in words(said_by(call, "user")) or not wire.tripped.is_set())
            await rig.spoken()
            await rig.ends()
        await pipecat.within(rig.running)
        known = [
            str(m["content"]) for m in rig.context.messages if isinstance(m, dict) and m["role"] == "user"
        ]
    assert (told, rig.memory.hook_errors) == (["summary"], 0)
    assert call.course.ended == ("hangup" if wire.tripped.is_set() and not cut else "bot_ended")
    user, agent = words(said_by(call, "user")), said_by(call, "assistant")
    if not cut:
        assert user == words(list(SAID))[: len(user)]
    # What the model's context has of the caller is the least that was said.
    assert sorted(words(known)) == sorted(user)
    assert all(any(plan.startswith(text) for plan in (*PLANS, AGAIN)) for text in agent)
    assert len(words(agent)) <= out.seconds / WORD + len(agent)
    await told_next_time(memory, knows="Lima" in user)


async def told_next_time(memory: Memory, *, knows: bool) -> None:
    """The next call is greeted by name exactly where the name was said."""
    again = memory.call(CALLER, call_id="the-next")
    assert await again.preload(5.0)
    assert ("Ana" in again.briefing("Hello").stable) == knows
    await memory.close()


@pytest.mark.parametrize("at", some(FRAMES, 25))
async def test_the_line_drops_at_any_frame(at: int) -> None:
    await through_pipecat(Wire(at), WordVoice, cut=False)


@pytest.mark.parametrize("voice", [WordVoice, SentenceVoice, SocketVoice])
@pytest.mark.parametrize("at", some(FRAMES, 50))
async def test_the_caller_cuts_in_at_any_frame(at: int, voice: type[Voice]) -> None:
    await through_pipecat(Wire(at), voice, cut=True)


@pytest.mark.parametrize("at", some(EVENTS, 6))
async def test_the_line_drops_at_any_event_of_a_session(at: int) -> None:
    memory = await Memory.open("memory://", embedder=None, settings=Settings(strict=True))
    call = memory.call(CALLER, call_id="the-call")
    told: list[str] = []
    call.listen(lambda name, _: told.append(name) if name == "summary" else None)
    wire, line = Wire(at), Telephone()
    caller = line.joins("sip_1", str(CALLER.id))

    @function_tool()
    async def look_up(context: RunContext[Any]) -> str:
        """Look up what is free."""
        return "free at seven"

    answers = [PLANS[0], livekit.Call("look_up"), PLANS[1]]
    async with livekit.bot(call, answers=answers, voice=True, line=line, tools=[look_up]) as rig:
        emit = rig.session.emit

        def passes(event: Any, *args: Any) -> None:
            wire.sees()
            emit(event, *args)

        async def hangs_up() -> None:
            line.leaves(caller)

        async def speaks() -> None:
            rig.ears.send(stt.SpeechEventType.START_OF_SPEECH)
            rig.ears.send(stt.SpeechEventType.INTERIM_TRANSCRIPT, "My na")
            await rig.says(SAID[0])
            await rig.says(*SAID[1:])

        rig.session.emit = passes  # pyright: ignore[reportAttributeAccessIssue] - LiveKit calls it by position
        wire.act = hangs_up
        await wire.during(speaks())
        if wire.tripped.is_set():
            await livekit.until(lambda: bool(rig.closes))
        await livekit.within(rig.session.aclose())
        await livekit.within(rig.memory.finished())
        remembered_as_it_was(call, rig, synced=True)
    assert (told, rig.memory.hook_errors) == (["summary"], 0)
    assert call.course.ended == ("hangup" if wire.tripped.is_set() else "bot_ended")
    await told_next_time(memory, knows="Lima" in words(said_by(call, "user")))
