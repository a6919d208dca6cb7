"""A tool that changes something waits for confirmed slots; the model is told what to ask."""

from __future__ import annotations

from typing import Any

import pytest
from livekit.agents import Agent, AgentSession, RunContext, function_tool

from livekit_plugin import Caller, requires_confirmed
from pipecat_memory.errors import UsedWrongly

from .conftest import MakeCall
from .kit import Call, FakeLLM, bot


@pytest.mark.parametrize("confirmed", [True, False])
@pytest.mark.parametrize("late", [True, False], ids=["a callable", "the call"])
async def test_a_guarded_tool(make_call: MakeCall, confirmed: bool, late: bool) -> None:
    call = make_call()
    ran: list[str] = []

    @function_tool()
    @requires_confirmed("date", "party_size", call=(lambda: call) if late else call)
    async def book(context: RunContext[Any], note: str) -> str:
        """Book a table."""
        ran.append(note)
        return "booked"

    if confirmed:
        call.correct("/slots/date", "2026-03-05", by="operator")
        call.correct("/slots/party_size", 4, by="operator")
    async with bot(call, answers=[Call("book", {"note": "window"}), "So."], tools=[book]) as rig:
        await rig.session.run(user_input="Book it.")
        results = [i.output for i in rig.llm.contexts[1].items if i.type == "function_call_output"]
    assert ran == (["window"] if confirmed else [])
    if confirmed:
        assert results == ["booked"]
    else:
        assert "ask the caller for the date" in results[0]
    (tool,) = call.course.ledger.tools
    assert tool.status == ("ok" if confirmed else "error")


class Booker(Agent):
    """As agents are written: its tools are known before any call is."""

    def __init__(self) -> None:
        super().__init__(instructions="You book tables.")
        self.booked: list[str] = []

    @function_tool()
    @requires_confirmed("date", "party_size")
    async def book(self, context: RunContext[Any], note: str) -> str:
        """Book a table."""
        self.booked.append(note)
        return "booked"


async def test_a_guarded_method_knows_the_memory_of_its_session(make_call: MakeCall) -> None:
    agents, calls = [Booker(), Booker()], [make_call(), make_call(Caller.phone("+15551230002"))]
    calls[0].correct("/slots/date", "2026-03-05", by="operator")
    calls[0].correct("/slots/party_size", 4, by="operator")
    answers = [Call("book", {"note": "window"}), "So."]
    async with (
        bot(calls[0], answers=answers, agent=agents[0]) as first,
        bot(calls[1], answers=answers, agent=agents[1]) as second,
    ):
        await first.session.run(user_input="Book it.")
        await second.session.run(user_input="Book it.")
    assert [agent.booked for agent in agents] == [["window"], []]
    assert [[tool.status for tool in call.course.ledger.tools] for call in calls] == [["ok"], ["error"]]


async def test_without_a_memory_a_guarded_tool_does_not_run(caplog: pytest.LogCaptureFixture) -> None:
    agent = Booker()
    model = FakeLLM([Call("book", {"note": "window"}), "So."])
    session: AgentSession[Any] = AgentSession(llm=model, vad=None, turn_handling={"turn_detection": None})
    await session.start(agent)
    await session.run(user_input="Book it.")
    await session.aclose()
    assert agent.booked == []
    assert "no memory is attached" in caplog.text


def test_a_guard_that_could_never_find_the_memory_is_refused() -> None:
    async def book(note: str) -> str:
        return note

    with pytest.raises(UsedWrongly, match=r"on book: give call=.*RunContext"):
        requires_confirmed("date")(book)


async def test_the_next_step_names_the_guarded_tool_while_the_model_has_it(make_call: MakeCall) -> None:
    call = make_call()

    @function_tool(name="book_table")
    @requires_confirmed("date", "party_size", call=call)
    async def book(context: RunContext[Any]) -> str:
        """Book a table."""
        return "booked"

    @function_tool()
    async def hand_over(context: RunContext[Any]) -> Any:
        """Hand over."""
        return Agent(instructions="SECOND")

    first = Agent(instructions="FIRST", tools=[book, hand_over])
    answers = ["For when?", "Booking.", Call("book_table"), "Done.", "Bye.", Call("hand_over"), "Hello."]
    async with bot(call, answers=answers, agent=first) as rig:
        await rig.session.run(user_input="A table please")
        assert call.next_step().action == "answer"
        call.correct("/slots/date", "2026-03-05", by="operator")
        call.correct("/slots/party_size", 4, by="operator")
        await rig.session.run(user_input="So?")
        assert "call_tool book_table" in rig.llm.prompts[1][-2][1]
        step = call.course.next_log[-1]
        assert (step.action, step.tool) == ("call_tool", "book_table")
        assert step.args == {"date": "2026-03-05", "party_size": 4}
        await rig.session.run(user_input="Well?")
        assert call.next_step().action == "answer"  # done, and nothing changed since
        await rig.session.run(user_input="No, make that five people")
        assert call.next_step().args == {"date": "2026-03-05", "party_size": 5}
        await rig.session.run(user_input="Somebody else please")
        await rig.session.run(user_input="Hello")
        assert call.next_step().action == "answer"  # this agent has no such tool
