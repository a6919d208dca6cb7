"""A tool that changes something waits for confirmed slots; the model is told what to ask."""

from __future__ import annotations

from typing import Any

import pytest
from livekit.agents import Agent, RunContext, function_tool

from livekit_plugin import requires_confirmed

from .conftest import MakeCall
from .kit import Call, bot


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
