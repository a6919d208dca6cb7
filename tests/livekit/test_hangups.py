"""The line drops at any moment: nothing is lost that was said, nothing hangs, the call is closed once."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from livekit.agents import Agent, AgentTask, RunContext, function_tool, stt

from livekit_plugin import Caller, CallMemory, Memory, Settings

from .conftest import ANA, MakeCall
from .kit import Call, FakeLLM, Rig, bot, until, within
from .sound import SLOW
from .telephone import Telephone

NUMBER = "+15551230001"
LONG = "the table by the big window is free on that day and we open at noon"


def texts(call: CallMemory, role: str = "user") -> list[str]:
    return [item.text for item in call.course.history() if item.role == role]


async def hangs_up(rig: Rig, line: Telephone) -> None:
    """The caller's participant leaves, and LiveKit closes the session."""
    (caller,) = list(line.room.remote_participants.values())
    line.leaves(caller)
    await until(lambda: bool(rig.closes))
    await within(rig.memory.finished())
    assert rig.memory.hook_errors == 0


async def hangs_up_and_then(rig: Rig, line: Telephone, go_on: asyncio.Event) -> None:
    """The caller leaves while something of the app's is at work, which goes on behind that."""
    leaving = asyncio.create_task(hangs_up(rig, line))
    await asyncio.sleep(0)
    go_on.set()
    await leaving


class Ringing:
    """A caller on the line of a session in a room."""

    def __init__(self, call: CallMemory) -> None:
        self.call = call
        self.line = Telephone()
        self.line.joins("sip_1", NUMBER)

    def ended(self) -> None:
        assert self.call.course.ended == "hangup"
        assert self.call.summary is not None


async def test_before_the_preload_is_there() -> None:
    async def never(_: str) -> Caller | None:
        await asyncio.Event().wait()
        return None

    settings = Settings(strict=True, preload_wait=0.01, store_timeout=0.1, drain=0.1)
    memory = await Memory.open("memory://", embedder=None, resolve=never, settings=settings)
    on = Ringing(memory.call(Caller.phone(NUMBER), call_id="early"))
    async with bot(on.call, llm=FakeLLM(), line=on.line) as rig:
        await hangs_up(rig, on.line)
    on.ended()
    await memory.close(deadline=0.0)


async def test_before_anybody_spoke(make_call: MakeCall) -> None:
    on = Ringing(make_call())
    async with bot(on.call, line=on.line, voice=True) as rig:
        await hangs_up(rig, on.line)
    on.ended()
    assert on.call.course.history() == ()


async def test_in_the_middle_of_the_callers_word(make_call: MakeCall) -> None:
    on = Ringing(make_call())
    async with bot(on.call, line=on.line, voice=True) as rig:
        await rig.says("A table for four")
        rig.ears.send(stt.SpeechEventType.START_OF_SPEECH)
        rig.ears.send(stt.SpeechEventType.INTERIM_TRANSCRIPT, "and at sev")
        await until(lambda: rig.session.user_state == "speaking")
        await hangs_up(rig, on.line)
    on.ended()
    last = on.call.course.history()[-1]
    assert (last.text, last.promoted, last.trust) == ("and at sev", True, "low")
    assert "time" not in on.call.state["slots"]


async def test_between_the_callers_last_word_and_the_reply(make_call: MakeCall) -> None:
    on = Ringing(make_call())
    async with bot(on.call, line=on.line, voice=True) as rig:
        rig.llm.gate = asyncio.Event()
        await rig.hears("A table for four")
        await until(lambda: len(rig.llm.contexts) == 1)
        await hangs_up(rig, on.line)
    on.ended()
    assert texts(on.call) == ["A table for four"]
    assert texts(on.call, "assistant") == []
    assert on.call.state["slots"]["party_size"]["value"] == 4


async def test_while_a_guess_is_answered_that_never_became_a_turn(make_call: MakeCall) -> None:
    on = Ringing(make_call())
    async with bot(on.call, line=on.line, voice=True) as rig:
        rig.llm.gate = asyncio.Event()
        rig.ears.send(stt.SpeechEventType.START_OF_SPEECH)
        rig.ears.send(stt.SpeechEventType.PREFLIGHT_TRANSCRIPT, "A table for four")
        await until(lambda: len(rig.llm.contexts) == 1)
        await hangs_up(rig, on.line)
    on.ended()
    assert all(item.trust == "low" for item in on.call.course.history())
    assert "party_size" not in {
        k for k, v in on.call.state["slots"].items() if v["confidence"] == "confirmed"
    }


@pytest.mark.parametrize("own", [True, False], ids=["say", "reply"])
async def test_while_the_agent_speaks(make_call: MakeCall, own: bool) -> None:
    on = Ringing(make_call())
    async with bot(on.call, answers=[LONG], line=on.line, voice=True, word=SLOW) as rig:
        if own:
            rig.session.say(LONG)
        else:
            await rig.hears("Which table is free")
        await until(lambda: len(rig.screen.text.split()) >= 3)
        await hangs_up(rig, on.line)
    on.ended()
    (heard,) = texts(on.call, "assistant")
    assert LONG.startswith(heard)
    assert heard != LONG


async def test_in_a_tool(make_call: MakeCall) -> None:
    on = Ringing(make_call())
    begun, go_on = asyncio.Event(), asyncio.Event()

    @function_tool()
    async def book(context: RunContext[Any]) -> str:
        """Book."""
        begun.set()
        await go_on.wait()
        return "booked"

    async with bot(on.call, answers=[Call("book")], line=on.line, tools=[book], voice=True) as rig:
        await rig.hears("A table for four")
        await within(begun.wait())
        await hangs_up_and_then(rig, on.line, go_on)
    on.ended()
    assert texts(on.call) == ["A table for four"]


async def test_in_a_handoff(make_call: MakeCall) -> None:
    on = Ringing(make_call())
    entering, go_on = asyncio.Event(), asyncio.Event()

    class Second(Agent):
        async def on_enter(self) -> None:
            entering.set()
            await go_on.wait()
            self.session.generate_reply()

    @function_tool()
    async def hand_over(context: RunContext[Any]) -> Any:
        """Hand over."""
        return Second(instructions="SECOND")

    first = Agent(instructions="FIRST", tools=[hand_over])
    async with bot(on.call, answers=[Call("hand_over")], line=on.line, agent=first, voice=True) as rig:
        await rig.hears("A table for four")
        await within(entering.wait())
        await hangs_up_and_then(rig, on.line, go_on)
    on.ended()
    assert texts(on.call) == ["A table for four"]


async def test_in_a_task(make_call: MakeCall) -> None:
    on = Ringing(make_call())
    asked = asyncio.Event()

    class AskName(AgentTask[str]):
        async def on_enter(self) -> None:
            asked.set()
            self.session.generate_reply()

    class Host(Agent):
        @function_tool()
        async def ask_name(self, context: RunContext[Any]) -> str:
            """Ask."""
            return await AskName(instructions="TASK")

    answers = [Call("ask_name"), "Your name please?"]
    async with bot(
        on.call, answers=answers, line=on.line, agent=Host(instructions="HOST"), voice=True
    ) as rig:
        await rig.hears("A table for four")
        await within(asked.wait())
        await until(lambda: bool(rig.items("assistant")))
        await rig.hears("Wren Abbott")
        await until(lambda: len(rig.items("user")) == 2)
        await hangs_up(rig, on.line)
    on.ended()
    assert texts(on.call) == ["A table for four", "Wren Abbott"]


async def test_with_keys_half_pressed(make_call: MakeCall) -> None:
    on = Ringing(make_call())
    async with bot(on.call, line=on.line) as rig:
        (caller,) = list(on.line.room.remote_participants.values())
        on.line.presses(caller, "471")
        await hangs_up(rig, on.line)
    on.ended()
    assert texts(on.call) == ["471"]


async def test_what_was_said_at_any_of_these_moments_is_known_next_time(make_call: MakeCall) -> None:
    on = Ringing(make_call(ANA))
    async with bot(on.call, line=on.line, voice=True) as rig:
        rig.llm.gate = asyncio.Event()
        await rig.hears("I am allergic to walnuts")
        await until(lambda: len(rig.llm.contexts) == 1)
        await hangs_up(rig, on.line)
    call = make_call(ANA)
    async with bot(call) as rig:
        await rig.session.run(user_input="Hello")
        assert "walnuts" in str(rig.llm.prompts[0])
