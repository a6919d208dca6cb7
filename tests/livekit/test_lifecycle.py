"""Sessions begun late, used again, shared, closed too early: each call keeps to itself and is closed once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from livekit.agents import Agent, AgentSession

from livekit_plugin import Caller, Memory, Settings, attach_session, session_end
from pipecat_memory.stores.box import Box
from pipecat_memory.testing import ManualClock

from .conftest import ANA, MakeCall
from .kit import FakeLLM, a_job, bot, within
from .telephone import Telephone

BEN = Caller.phone("+15551230002", how="verified")


def silent(model: FakeLLM) -> AgentSession[Any]:
    """A session that is written to, with nothing attached."""
    return AgentSession(llm=model, vad=None, turn_handling={"turn_detection": None}, user_away_timeout=None)


@asynccontextmanager
async def running(session: AgentSession[Any], agent: Agent | None = None) -> AsyncGenerator[None]:
    await within(session.start(agent or Agent(instructions="BASE")))
    try:
        yield
    finally:
        await within(session.aclose())


async def test_a_session_used_again_is_another_call(make_call: MakeCall) -> None:
    """The second caller's words reach the second call only, and nobody hears of the first."""
    model, agent = FakeLLM(), Agent(instructions="BASE")
    session = silent(model)
    ana, ben = make_call(), make_call(BEN)
    for call in (ana, ben):
        memory = attach_session(session, call)
        async with running(session, agent):
            await session.run(user_input="I am allergic to walnuts" if call is ana else "Hello there")
        await within(memory.finished())
        assert memory.hook_errors == 0
    assert [i.text for i in ana.course.history()] == ["I am allergic to walnuts", "Yes."]
    assert [i.text for i in ben.course.history()] == ["Hello there", "Yes."]
    assert "walnuts" not in str([text for _, text in model.prompts[1] if "<memory" in text])
    assert len([tool for tool in session.tools if type(tool).__name__ == "Attachment"]) == 0


async def test_a_session_used_again_without_a_call_has_no_memory(make_call: MakeCall) -> None:
    model, agent = FakeLLM(), Agent(instructions="BASE")
    session, call = silent(model), make_call()
    attach_session(session, call)
    for words in ("I am allergic to walnuts", "Hello there"):
        async with running(session, agent):
            await session.run(user_input=words)
    assert [i.text for i in call.course.history()] == ["I am allergic to walnuts", "Yes."]
    assert "<memory" in str(model.prompts[0])
    assert "<memory" not in str(model.prompts[1])


async def test_attached_late_it_catches_up(make_call: MakeCall, caplog: pytest.LogCaptureFixture) -> None:
    async with bot(make_call()) as rig:
        await rig.session.run(user_input="My name is Wren Abbott")
    model, call = FakeLLM(), make_call()
    session = silent(model)
    async with running(session):
        await session.run(user_input="Hello there")
        memory = attach_session(session, call)
        assert "attached to a running session" in caplog.text
        await session.run(user_input="It is me again")
    await within(memory.finished())
    assert "Wren" in str(model.prompts[1])
    assert [i.text for i in call.course.history()] == ["It is me again", "Yes."]
    assert call.summary is not None


async def test_attached_by_the_agent_as_it_enters(make_call: MakeCall) -> None:
    call = make_call()

    class Late(Agent):
        async def on_enter(self) -> None:
            attach_session(self.session, call)

    model = FakeLLM()
    session = silent(model)
    async with running(session, Late(instructions="BASE")):
        await session.run(user_input="A table for four")
    assert "<memory" in str(model.prompts[0])
    assert [i.text for i in call.course.history()] == ["A table for four", "Yes."]


async def test_a_session_that_never_started_is_closed_with_its_job(make_call: MakeCall) -> None:
    call = make_call()
    with a_job() as job:
        session = silent(FakeLLM())
        memory = attach_session(session, call)
        await within(session.aclose())
        assert call.course.ended is None
        await within(session_end(job))
    assert call.course.ended == "bot_ended"
    assert call.summary is not None
    await within(memory.finished())


async def test_closed_while_it_starts(make_call: MakeCall) -> None:
    call = make_call()
    session = silent(FakeLLM())
    memory = attach_session(session, call)
    starting = asyncio.create_task(session.start(Agent(instructions="BASE")))
    await asyncio.sleep(0)
    await within(session.aclose())
    await asyncio.gather(starting, return_exceptions=True)
    await within(session.aclose())
    await within(memory.finished())
    assert memory.hook_errors == 0
    assert call.course.ended in (None, "bot_ended")


async def test_two_sessions_of_one_caller_at_once_keep_both(make_call: MakeCall) -> None:
    one, two = make_call(), make_call()
    async with bot(one) as first, bot(two) as second:
        await first.session.run(user_input="My name is Wren Abbott")
        await second.session.run(user_input="I am allergic to walnuts")
    facts = {f["key"]: f["value"] for f in await one.memory.profile(ANA)}
    assert facts == {"name": "Wren Abbott", "allergy": "walnuts"}


async def test_a_job_waits_for_the_calls_of_a_session_used_twice(make_call: MakeCall) -> None:
    calls = [make_call(), make_call(BEN)]
    with a_job() as job:
        session = silent(FakeLLM())
        for call in calls:
            attach_session(session, call)
            async with running(session):
                await session.run(user_input="Hello there")
        await within(session_end(job))
    assert all(call.summary is not None for call in calls)


async def test_an_app_may_close_the_call_itself(make_call: MakeCall) -> None:
    """A transfer, say: its reason stands, and what the session goes on to say is not the call's."""
    call = make_call()
    summaries: list[str] = []
    call.listen(lambda name, _: summaries.append(name) if name == "summary" else None)
    async with bot(call) as rig:
        await rig.session.run(user_input="A person please")
        await within(call.close("transferred"))
        await rig.session.run(user_input="Are you still there")
        assert "<memory" not in str(rig.llm.prompts[1])
        assert rig.memory.hook_errors == 0
    assert [i.text for i in call.course.history()] == ["A person please", "Yes."]
    assert (call.course.ended, summaries) == ("transferred", ["summary"])
    assert call.course.outcome == "transferred"


async def test_who_is_put_through_after_the_call_does_not_get_its_records(make_call: MakeCall) -> None:
    call, line = make_call(), Telephone()
    line.joins("sip_1", str(ANA.id))
    async with bot(call, line=line) as rig:
        await rig.session.run(user_input="My name is Wren Abbott")
        await within(call.close("transferred"))
        line.joins("sip_2", str(BEN.id))
        rig.session.room_io.set_participant("sip_2")
        await rig.session.run(user_input="Ben here")
    assert call.caller.id == ANA.id
    memory = call.memory
    assert [(f["key"], f["value"]) for f in await memory.profile(ANA)] == [("name", "Wren Abbott")]
    assert len((await memory.export(BEN))["calls"]) == 0


async def test_an_app_closes_memory_before_the_session() -> None:
    """The wrong way round: nothing raises, and the caller is answered."""
    memory = await Memory.open("memory://", embedder=None, settings=Settings())
    call = memory.call(ANA, call_id="closed")
    async with bot(call, llm=FakeLLM()) as rig:
        await memory.close()
        await rig.session.run(user_input="Hello there")
        assert len(rig.items("assistant")) == 1


@pytest.mark.parametrize("hangs", ["file", "append"])
async def test_a_store_that_hangs_holds_neither_reply_nor_end(
    monkeypatch: pytest.MonkeyPatch, hangs: str
) -> None:
    settings = Settings(strict=True, preload_wait=0.01, store_timeout=0.05, drain=0.05)
    memory = await Memory.open("memory://", embedder=None, settings=settings)
    call = memory.call(ANA, call_id="hanging")

    async def never(*_: Any, **__: Any) -> Any:
        await asyncio.Event().wait()

    held: Any = Box if hangs == "append" else memory.archive
    monkeypatch.setattr(held, hangs, never)
    async with bot(call, llm=FakeLLM()) as rig:
        await rig.session.run(user_input="Hello there")
        assert len(rig.items("assistant")) == 1
        await within(rig.session.aclose(), 3.0)
        await within(rig.memory.finished(), 3.0)
    await memory.close(deadline=0.0)


async def test_two_sessions_can_not_have_one_call(
    make_call: MakeCall, caplog: pytest.LogCaptureFixture
) -> None:
    call = make_call()
    async with bot(call, answers=["One."]) as first, bot(call, answers=["Two."]) as second:
        await first.session.run(user_input="My name is Wren Abbott")
        await second.session.run(user_input="My name is Bob")
        assert "<memory" not in str(second.llm.prompts)
        await within(second.session.aclose())
        assert call.course.ended is None
    assert [i.text for i in call.course.history()] == ["My name is Wren Abbott", "One."]
    assert (call.course.ended, caplog.text.count("held by another session")) == ("bot_ended", 1)
    async with bot(call) as third:
        await third.session.run(user_input="Hello there")
        assert "<memory" not in str(third.llm.prompts)
    assert caplog.text.count("is over, so this session has no memory") == 1
    assert len(call.course.history()) == 2


async def test_a_call_whose_session_never_started_goes_to_the_next(
    make_call: MakeCall, caplog: pytest.LogCaptureFixture
) -> None:
    """The app tries again with a new session; the old one's job end leaves the call alone."""
    call = make_call()
    with a_job() as job:
        old = silent(FakeLLM())
        attach_session(old, call)
        session = silent(FakeLLM())
        memory = attach_session(session, call)
        async with running(session):
            await session.run(user_input="A table for four")
            async with running(old):
                await old.run(user_input="My name is Bob")
        await within(memory.finished())
        await within(session_end(job))
    assert [i.text for i in call.course.history()] == ["A table for four", "Yes."]
    assert caplog.text.count("held by another session") == 1


async def test_a_session_whose_close_event_does_not_reach_us_ends_the_call() -> None:
    """LiveKit stops at the first handler that raises `TypeError`; an app's may stand before ours.

    Older versions call handlers in no order, so ours may be called first after all.
    """
    clock = ManualClock()
    memory = await Memory.open("memory://", embedder=None, settings=Settings(strict=True), clock=clock)
    call = memory.call(ANA, call_id="unheard")
    session = silent(FakeLLM())

    def wrong(_: Any) -> None:
        raise TypeError("the app's own fault")

    session.on("close", wrong)
    attachment = attach_session(session, call)
    await within(session.start(Agent(instructions="BASE")))
    await within(session.run(user_input="I am allergic to walnuts"))
    with pytest.raises(TypeError):
        await within(session.aclose())
    await clock.advance(2.0)
    await within(attachment.finished())
    assert (call.course.ended, call.summary is not None) == ("bot_ended", True)
    assert [f["value"] for f in await memory.profile(ANA)] == ["walnuts"]
    assert attachment not in session.tools
    await memory.close()
