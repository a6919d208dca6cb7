"""A tool that changes something waits for confirmed slots; the model is told what to ask."""

from __future__ import annotations

from typing import Any

import pytest
from livekit.agents import RunContext, function_tool

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
