"""The optional tools, called by the model in a real session."""

from __future__ import annotations

from typing import Any

from livekit_plugin import CallMemory, MemoryToolset

from .conftest import ANA, MakeCall
from .kit import Call, bot

WINDOW = {"about": "preferred table", "value": "by the window"}


async def asked(call: CallMemory, said: str, tool: Call) -> str:
    """What the tool gives the model, after the caller said something."""
    async with bot(call, answers=[tool, "So."], tools=[MemoryToolset(call)]) as rig:
        await rig.session.run(user_input=said)
        (output,) = [i for i in rig.llm.contexts[1].items if i.type == "function_call_output"]
    return output.output


async def test_remember_and_recall(make_call: MakeCall) -> None:
    quoted = WINDOW | {"quote": "I like the table by the window"}
    said = "Remember that I like the table by the window"
    assert await asked(make_call(), said, Call("remember_fact", quoted)) == "Kept."
    question = {"question": "which table does the caller like?"}
    assert "by the window" in await asked(make_call(), "Where do I sit?", Call("recall_memory", question))


async def test_what_was_not_said_is_not_kept(make_call: MakeCall) -> None:
    call = make_call()
    invented = WINDOW | {"quote": "I like the table by the window"}
    assert "Not kept" in await asked(call, "A table please", Call("remember_fact", invented))
    assert await call.memory.profile(ANA) == []


async def test_forget(make_call: MakeCall) -> None:
    call = make_call()
    assert "Forgotten" in await asked(call, "I am allergic to walnuts, forget that", Call("forget_last"))
    assert [i.text for i in call.course.history() if i.role == "user"] == []
    facts: Any = await call.memory.profile(ANA)
    assert facts == []


async def test_a_request_of_its_own_means_what_was_said_before_it(make_call: MakeCall) -> None:
    call = make_call()
    answers = ["Hello.", "Noted.", Call("forget_last"), "Done."]
    async with bot(call, answers=answers, tools=[MemoryToolset(call)]) as rig:
        for said in ("I prefer a window seat", "I am allergic to nuts", "Please forget what I just said"):
            await rig.session.run(user_input=said)
        (output,) = [i for i in rig.llm.contexts[-1].items if i.type == "function_call_output"]
    assert "before this request" in output.output
    assert [i.text for i in call.course.history() if i.role == "user"] == ["I prefer a window seat"]
    assert [f["value"] for f in await call.memory.profile(ANA)] == ["window seat"]


async def test_with_nothing_before_it_nothing_is_forgotten(make_call: MakeCall) -> None:
    assert "Nothing" in await asked(make_call(), "Please forget what I just said", Call("forget_last"))


async def test_memorys_own_tools_are_no_actions_and_what_they_answer_is_not_kept_again(
    make_call: MakeCall,
) -> None:
    async with bot(make_call()) as rig:
        await rig.session.run(user_input="I am allergic to walnuts")
    call = make_call()
    quoted = WINDOW | {"quote": "I like the table by the window"}
    for tool in (
        Call("recall_memory", {"question": "allergies?"}),
        Call("remember_fact", quoted),
        Call("forget_last"),
    ):
        assert await asked(call, "I like the table by the window", tool)
    assert call.course.ledger.tools == ()
