"""Tool calls: known from their beginning, and by how they end, whatever cuts in between."""

from __future__ import annotations

import asyncio
from typing import Any

from livekit.agents import RunContext, ToolError, function_tool, llm
from livekit.agents.llm import StopResponse, ToolFlag
from livekit.agents.voice.events import ToolCallEnded, ToolCallStarted, ToolExecutionUpdatedEvent

from livekit_plugin import CallMemory

from .conftest import MakeCall
from .kit import Call, bot, until, within
from .sound import SLOW


def tools(call: CallMemory) -> list[tuple[str, str | None, Any]]:
    return [(tool.name, tool.status, tool.result) for tool in call.course.ledger.tools]


async def test_a_running_tool_is_known_before_it_returns(make_call: MakeCall) -> None:
    """A process that dies now leaves that the tool was called."""
    call = make_call()
    begun, go_on = asyncio.Event(), asyncio.Event()

    @function_tool()
    async def book(context: RunContext[Any], people: int) -> str:
        """Book."""
        begun.set()
        await go_on.wait()
        return "booked"

    async with bot(call, answers=[Call("book", {"people": 4}), "Done."], tools=[book]) as rig:
        running = asyncio.ensure_future(rig.session.run(user_input="A table for four"))
        await within(begun.wait())
        (tool,) = call.course.ledger.tools
        assert (tool.name, tool.args, tool.status) == ("book", {"people": 4}, None)
        go_on.set()
        await within(running)
        assert rig.memory.hook_errors == 0
    assert tools(call) == [("book", "ok", "booked")]


async def test_a_tool_that_tells_of_its_progress_is_known_by_its_result(make_call: MakeCall) -> None:
    call = make_call()
    go_on = asyncio.Event()

    @function_tool()
    async def book(context: RunContext[Any]) -> str:
        """Book."""
        await context.update("still looking")
        await go_on.wait()
        return "booked for six"

    async with bot(call, answers=[Call("book"), "A moment.", "Booked for six."], tools=[book]) as rig:
        rig.session.generate_reply(user_input="A table for four")
        await until(lambda: len(rig.items("assistant")) == 1)
        assert tools(call) == [("book", None, None)]
        go_on.set()
        await until(lambda: len(rig.items("assistant")) == 2)
    assert tools(call) == [("book", "ok", "booked for six")]


async def test_a_failure_behind_progress_is_told_as_the_model_was_told(make_call: MakeCall) -> None:
    call = make_call()

    @function_tool()
    async def refused(context: RunContext[Any]) -> str:
        """Refused."""
        await context.update("still looking")
        raise ToolError("no table is free")

    @function_tool()
    async def broken(context: RunContext[Any]) -> str:
        """Broken."""
        await context.update("still looking")
        raise RuntimeError("Zyxgrand Pemberly")

    answers = [Call("refused"), "A moment.", "None is free.", Call("broken"), "A moment.", "It failed."]
    async with bot(call, answers=answers, tools=[refused, broken]) as rig:
        for number in (1, 2):
            rig.session.generate_reply(user_input="A table for four")
            await until(lambda n=number: len(rig.items("assistant")) == 2 * n)
    assert [(name, status) for name, status, _ in tools(call)] == [("refused", "error"), ("broken", "error")]
    assert tools(call)[0][2] == "no table is free"
    assert "Zyxgrand" not in str(tools(call))


async def test_a_cancelled_tool_is_cancelled(make_call: MakeCall) -> None:
    call = make_call()
    begun = asyncio.Event()

    @function_tool(flags=ToolFlag.CANCELLABLE)
    async def book(context: RunContext[Any]) -> str:
        """Book."""
        begun.set()
        await asyncio.Event().wait()
        return "booked"

    async with bot(call, answers=[Call("book")], tools=[book]) as rig:
        rig.session.generate_reply(user_input="A table for four")
        await within(begun.wait())
    assert tools(call) == [("book", "cancelled", "")]
    assert call.summary is not None


async def test_refused_and_failing_calls_are_errors(make_call: MakeCall) -> None:
    call = make_call()

    @function_tool()
    async def broken(context: RunContext[Any]) -> str:
        """Broken."""
        raise RuntimeError("Zyxgrand Pemberly")

    @function_tool()
    async def silent(context: RunContext[Any]) -> str:
        """Nothing to say."""
        raise StopResponse

    answers = [Call("unknown"), Call("broken"), Call("silent")]
    async with bot(call, answers=answers, tools=[broken, silent]) as rig:
        await within(rig.session.run(user_input="Go"))
        assert rig.memory.hook_errors == 0
    assert [(name, status) for name, status, _ in tools(call)] == [
        ("unknown", "error"),
        ("broken", "error"),
        ("silent", "ok"),
    ]
    assert "Zyxgrand" not in str(tools(call))


async def test_a_tool_that_was_talked_over_has_its_result(make_call: MakeCall) -> None:
    """The reply is cut while its tool runs: what the tool did is known, and what was heard of the reply."""
    call = make_call()
    begun, go_on = asyncio.Event(), asyncio.Event()

    @function_tool()
    async def book(context: RunContext[Any]) -> str:
        """Book."""
        begun.set()
        await go_on.wait()
        return "booked"

    async with bot(call, answers=[Call("book"), "Yes."], tools=[book], voice=True, word=SLOW) as rig:
        await rig.hears("A table for four")
        await within(begun.wait())
        cut = rig.session.interrupt(force=True)
        await rig.hears("On Friday")
        go_on.set()
        await within(cut)
        await until(lambda: bool(call.course.ledger.tools[0].status))
        await until(lambda: len(rig.items("user")) == 2)
        assert rig.memory.hook_errors == 0
    assert tools(call) == [("book", "ok", "booked")]
    said = [i.text for i in call.course.history() if i.role == "user"]
    assert said == ["A table for four", "On Friday"]


async def test_a_large_result_is_bounded_in_the_next_briefing(make_call: MakeCall) -> None:
    call = make_call()

    @function_tool()
    async def dump(context: RunContext[Any]) -> str:
        """Dump."""
        return "row " * 25_000

    async with bot(call, answers=[Call("dump"), "Done.", "Yes."], tools=[dump]) as rig:
        await rig.session.run(user_input="Go")
        await rig.session.run(user_input="And now")
        told = "".join(t for _, t in rig.llm.prompts[-1] if "<memory" in t)
        assert rig.memory.hook_errors == 0
    assert len(told) < 10_000


async def test_what_a_tool_did_is_known_though_its_reply_was_given_up(make_call: MakeCall) -> None:
    """LiveKit gives up a cut reply whose tools take too long, and tells only that they ended."""
    call = make_call()
    async with bot(call) as rig:

        def told(update: Any) -> None:
            rig.session.emit("tool_execution_updated", ToolExecutionUpdatedEvent(update=update))

        for id in ("a", "b"):
            told(ToolCallStarted(function_call=llm.FunctionCall(call_id=id, name="book", arguments="{}")))
        told(ToolCallEnded(id="a", call_id="a", status="done", message="booked"))
        told(ToolCallEnded(id="b", call_id="b", status="error", message="Zyxgrand Pemberly"))
        await rig.session.run(user_input="On Friday")
        assert "booked" in str(rig.llm.prompts[-1])
    assert tools(call) == [("book", "ok", "booked"), ("book", "error", "")]
