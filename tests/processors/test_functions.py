"""A guarded function runs only when what it needs is confirmed, and the app's frames reach the call."""

from __future__ import annotations

import inspect

import pytest
from pipecat.adapters.llm.schemas.function_schema import FunctionSchema
from pipecat.adapters.llm.schemas.tools_schema import ToolsSchema
from pipecat.services.llm_service import FunctionCallParams

from pipecat_memory.processors import (
    MemoryDocumentsFrame,
    MemoryIdentifyFrame,
    MemoryPauseFrame,
    MemoryResumeFrame,
    forget_last,
    recall_memory,
    remember_fact,
    requires_confirmed,
)
from pipecat_memory.records.caller import Caller

from .conftest import ANA, MakeCall
from .kit import bot, until
from .model import Call, FakeLLM

SCHEMA = {"version": 1, "slots": [{"name": "date", "type": "date"}, {"name": "account", "type": "digits"}]}


@pytest.mark.parametrize("confirmed", [False, True])
async def test_runs_only_when_confirmed(make_call: MakeCall, confirmed: bool) -> None:
    ran: list[str] = []

    @requires_confirmed("date", "account")
    async def transfer(params: FunctionCallParams, amount: str) -> None:
        """Transfer money.

        Args:
            params: given by the framework.
            amount: how much.
        """
        ran.append(amount)
        await params.result_callback({"done": True})

    assert list(inspect.signature(transfer).parameters) == ["params", "amount"]
    call = make_call(schema=SCHEMA)
    if confirmed:
        call.correct("/slots/date", "2026-03-05", by="operator")
        call.correct("/slots/account", "4471", by="operator")
    tools = ToolsSchema(standard_tools=[transfer])
    async with bot(call, answers=[Call("transfer", {"amount": "12"}), "So."], tools=tools) as rig:
        await rig.says("Send them twelve euros.")
        await until(lambda: len(rig.llm.prompts) == 2)
        await rig.spoken()
        results = [m["content"] for m in rig.llm.prompts[1] if m["role"] == "tool"]
        told = [line.text for line in call.briefing().lines if line.part == "tools"]
        await rig.ends()
    assert ran == (["12"] if confirmed else [])
    # What was refused was not done: nobody is told "done, do not repeat it", now or later.
    assert call.course.ledger.tools[0].status == ("ok" if confirmed else "error")
    assert told == []  # a reply followed
    assert (
        "do not repeat" in str(rig.llm.prompts[1]) if confirmed else "was not done" in str(rig.llm.prompts[1])
    )
    assert call.summary is not None
    assert ("Done: transfer." if confirmed else "Not done: transfer.") in call.summary.text
    if not confirmed:
        assert "do not repeat" not in str(rig.llm.prompts[1])
        assert "not_confirmed" in results[0]
        assert "date" in results[0]
        assert "account" in results[0]


@pytest.mark.parametrize("way", ["direct", "schema", "registered"])
async def test_the_next_step_names_the_guarded_function(make_call: MakeCall, way: str) -> None:
    @requires_confirmed("date", "account")
    async def transfer(params: FunctionCallParams) -> None:
        """Transfer money."""
        await params.result_callback({"done": True})

    call = make_call(schema=SCHEMA)
    model = FakeLLM(["Yes.", "Doing it.", Call("transfer"), "Done."])
    handler = transfer if way == "schema" else None
    schema = FunctionSchema("transfer", "Transfer money.", properties={}, required=[], handler=handler)
    tools = ToolsSchema(standard_tools=[transfer if way == "direct" else schema])
    if way == "registered":
        model.register_function("transfer", transfer)
    async with bot(call, llm=model, tools=tools) as rig:
        await rig.says("Hello.")
        await rig.spoken()
        assert call.next_step().action == "answer"
        call.correct("/slots/date", "2026-03-05", by="operator")
        call.correct("/slots/account", "4471", by="operator")
        await rig.says("Send it.")
        await rig.spoken()
        assert "call_tool transfer" in str(rig.llm.prompts[1])
        step = call.course.next_log[-1]
        assert (step.action, step.tool) == ("call_tool", "transfer")
        assert step.args == {"date": "2026-03-05", "account": "4471"}
        await rig.says("Go on.")
        await until(lambda: len(rig.llm.prompts) == 4)
        await rig.spoken()
        assert call.next_step().action == "answer"  # done, and nothing changed since


async def test_the_model_may_look_up_and_forget(make_call: MakeCall) -> None:
    call = make_call()
    tools = ToolsSchema(standard_tools=[recall_memory, forget_last])
    answers = [Call("recall_memory", {"question": "What is my name?"}), "Ana.", Call("forget_last"), "Done."]
    async with bot(call, answers=answers, tools=tools) as rig:
        await rig.says("My name is Ana, what do you know?")
        await until(lambda: len(rig.llm.prompts) == 2)
        await rig.spoken()
        await rig.says("My code is 4471, forget that.")
        await until(lambda: len(rig.llm.prompts) == 4)
        await rig.spoken()
        found = [m["content"] for m in rig.llm.prompts[1] if m["role"] == "tool"]
    assert "Ana" in found[0]
    assert "4471" not in str([i.text for i in call.course.history()])
    assert call.course.ledger.tools == ()  # memory's own are no actions of the agent's


async def test_a_request_of_its_own_means_what_was_said_before_it(make_call: MakeCall) -> None:
    call = make_call()
    tools = ToolsSchema(standard_tools=[forget_last])
    answers = ["Hello.", "Noted.", Call("forget_last"), "Done."]
    async with bot(call, answers=answers, tools=tools) as rig:
        await rig.says("I prefer a window seat.")
        await rig.spoken()
        await rig.says("I'm allergic to nuts.")
        await rig.spoken()
        await rig.says("Please forget what I just said.")
        await until(lambda: len(rig.llm.prompts) == 4)
        await rig.spoken()
        (told,) = [m["content"] for m in rig.llm.prompts[3] if m["role"] == "tool"]
    assert "true" in told
    assert "before this request" in told
    assert [i.text for i in call.course.history() if i.role == "user"] == ["I prefer a window seat."]
    assert [f["value"] for f in await call.memory.profile(ANA)] == ["window seat"]


async def test_with_nothing_before_it_nothing_is_forgotten(make_call: MakeCall) -> None:
    call = make_call()
    tools = ToolsSchema(standard_tools=[forget_last])
    async with bot(call, answers=[Call("forget_last"), "So."], tools=tools) as rig:
        await rig.says("Please forget what I just said.")
        await until(lambda: len(rig.llm.prompts) == 2)
        await rig.spoken()
        (told,) = [m["content"] for m in rig.llm.prompts[1] if m["role"] == "tool"]
    assert "false" in told


@pytest.mark.parametrize("quote", ["I like the table by the window", "put me upstairs"])
async def test_the_model_may_keep_what_the_caller_said(make_call: MakeCall, quote: str) -> None:
    call = make_call()
    tools = ToolsSchema(standard_tools=[remember_fact])
    fact = {"about": "preferred table", "value": "by the window", "quote": quote}
    async with bot(call, answers=[Call("remember_fact", fact), "So."], tools=tools) as rig:
        await rig.says("Remember that I like the table by the window.")
        await until(lambda: len(rig.llm.prompts) == 2)
        await rig.spoken()
        (found,) = [m["content"] for m in rig.llm.prompts[1] if m["role"] == "tool"]
    said = "window" in quote
    assert ("true" in found) is said
    facts = await call.memory.profile(ANA)
    assert any(f["key"] == "preferred_table" for f in facts) is said


async def test_an_identity_may_come_late(make_call: MakeCall) -> None:
    call = make_call(None)
    async with bot(call, answers=["Yes."]) as rig:
        await rig.says("Hello, Ana here.")
        await rig.push(MemoryIdentifyFrame(caller=Caller.phone("+15551230001"), how="verified"))
        await until(lambda: call.caller.id == ANA.id)
    assert call.caller.how == "verified"


async def test_off_the_record_is_off_the_record(make_call: MakeCall) -> None:
    call = make_call()
    async with bot(call, answers=["Yes.", "Fine.", "Back."]) as rig:
        await rig.says("Hello.")
        await rig.spoken()
        await rig.push(MemoryPauseFrame())
        await until(lambda: call.course.ledger.paused)
        await rig.says("My secret is safe.")
        await rig.spoken()
        await rig.push(MemoryResumeFrame())
        await until(lambda: not call.course.ledger.paused)
        await rig.says("Good bye.")
        await rig.spoken()
    assert "secret" not in str([i.text for i in call.course.history()])
    assert call.course.history()[-1].text == "Back."


async def test_documents_reach_the_next_briefing(make_call: MakeCall) -> None:
    call = make_call()
    docs = [{"id": "d1", "text": "Opening hours: 9 to 5"}]
    async with bot(call, answers=["Yes."]) as rig:
        await rig.push(MemoryDocumentsFrame(docs=docs))
        await rig.says("Hello.")
    assert call.reader._documents[0]["id"] == "d1"
