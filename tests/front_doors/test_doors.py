"""The same call through Pipecat and through LiveKit leaves the same memory; and each knows the other's."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from livekit.agents import RunContext, function_tool
from pipecat.adapters.llm.schemas.function_schema import FunctionSchema
from pipecat.adapters.llm.schemas.tools_schema import ToolsSchema
from pipecat.services.llm_service import FunctionCallParams

from pipecat_memory import Caller, CallMemory, Memory, Settings
from pipecat_memory.processors import MemoryIdentifyFrame
from tests.livekit import kit as livekit
from tests.livekit.sound import QUIET, SLOW
from tests.livekit.telephone import Telephone
from tests.processors import kit as pipecat
from tests.processors import model as scripted
from tests.processors.voices import WordVoice

from .drawn import drawn
from .table import TABLE, Case

CALLER = Caller.phone("+15551230001", how="verified")
FREE = "free at six"
SHORT = 3
"""So many drawn calls are played at every push."""


def steps(case: Case) -> list[tuple[str, list[str]]]:
    """Per turn: what the caller says, and the model's answers (a tool's name first; the app gets none)."""
    return [
        (said, answer[1:].split("|") if answer.startswith("!") else [answer] if answer else [])
        for said, answer in case.turns
    ]


def act(call: CallMemory, what: str) -> None:
    """What the app does between two turns."""
    match what:
        case "@pause":
            call.pause()
        case "@resume":
            call.resume()
        case "@forget":
            call.forget_last()
        case _:
            call.correct("/slots/party_size", 8, by="operator")


async def through_pipecat(call: CallMemory, case: Case) -> None:
    answers = [
        scripted.Call(a) if len(row) > 1 and i == 0 else a
        for _, row in steps(case)
        for i, a in enumerate(row)
    ]
    out = pipecat.Out()
    model = scripted.FakeLLM(answers)

    async def look_up(params: FunctionCallParams) -> None:
        await params.result_callback(FREE)

    model.register_function("look_up", look_up)
    schema = FunctionSchema(name="look_up", description="Look up.", properties={}, required=[])
    tools = ToolsSchema(standard_tools=[schema])
    async with pipecat.bot(call, llm=model, voice=WordVoice(), out=out, full=True, tools=tools) as rig:
        for number, (said, row) in enumerate(steps(case)):
            last = number == len(case.turns) - 1
            if said.startswith("@"):
                act(call, said)
                continue
            heard = len(call.course.history())
            if case.late and last:
                await rig.push(MemoryIdentifyFrame(caller=CALLER, how=CALLER.how))
                await pipecat.until(lambda: call.caller.known)
            if case.cut and last:
                out.limit = out.seconds + 0.1
            options = [{"transcript": text} for text in (said, *case.others)] if last else []
            await rig.says(
                *said.split("/"), result={"channel": {"alternatives": options}} if case.others else None
            )
            if case.cut and last:
                await pipecat.within(out.stalled.wait())
                await rig.interrupts()
                break
            if not call.course.ledger.paused:
                await pipecat.until(
                    lambda words=row[-1], since=heard: any(
                        i.text == words for i in call.course.history()[since:]
                    )
                )
            await rig.spoken()
        await rig.ends()
    await pipecat.until(lambda: call.summary is not None)


async def through_livekit(call: CallMemory, case: Case) -> None:
    answers = [
        livekit.Call(a) if len(row) > 1 and i == 0 else a for _, row in steps(case) for i, a in enumerate(row)
    ]

    @function_tool()
    async def look_up(context: RunContext[Any]) -> str:
        """Look up."""
        return FREE

    line = Telephone() if case.level == "RoomIO" else None
    word = SLOW if case.cut else QUIET
    async with livekit.bot(
        call, answers=answers, voice=True, word=word, tools=[look_up], line=line, nbest=bool(case.others)
    ) as rig:
        for number, (said, _) in enumerate(steps(case)):
            last = number == len(case.turns) - 1
            if said.startswith("@"):
                act(call, said)
                continue
            if case.late and last and line is not None:
                line.joins("sip_1", str(CALLER.id))
            if case.cut and last:
                await rig.hears(said)
                await rig.interrupted_after(5)
                break
            await rig.says(*said.split("/"), others=case.others if last else ())


DOORS: dict[str, Callable[[CallMemory, Case], Awaitable[None]]] = {
    "pipecat": through_pipecat,
    "livekit": through_livekit,
}


async def remembered(door: str, case: Case) -> dict[str, Any]:
    """What is left of a case behind one door, without times and ids."""
    memory = await Memory.open("memory://", embedder=None, settings=Settings(strict=True))
    try:
        call = memory.call(None if case.late else CALLER, call_id="the-call")
        await DOORS[door](call, case)
        return await left_of(call)
    finally:
        await memory.close()


async def left_of(call: CallMemory) -> dict[str, Any]:
    """What a call has left, without times and ids."""
    summary = call.summary
    assert summary is not None
    return {
        "history": [(i.role, i.text, i.interrupted, i.precision, i.turn) for i in call.course.history()],
        "slots": {k: (v["value"], v["confidence"]) for k, v in call.state["slots"].items()},
        # One step an inference: those that only call a tool say nothing and are no reply at LiveKit's.
        "next": (call.course.next_log[-1].action, call.course.next_log[-1].slot),
        "tools": [(t.name, t.status, t.result) for t in call.course.ledger.tools],
        "profile": sorted(
            (f["key"], f["value"], f["status"], f["source"]["quote"])
            for f in await call.memory.profile(CALLER)
        ),
        "summary": (summary.text, summary.outcome, summary.resolved, tuple(summary.key_facts)),
        "outcome": call.course.outcome,
    }


@pytest.mark.parametrize("case", [case for case in TABLE if not case.killed], ids=lambda case: case.name)
async def test_both_doors_remember_alike(case: Case) -> None:
    await alike(case)


@pytest.mark.parametrize(
    "seed", [pytest.param(seed, marks=pytest.mark.long if seed >= SHORT else ()) for seed in range(30)]
)
async def test_both_doors_remember_a_drawn_call_alike(seed: int) -> None:
    await alike(drawn(seed))


async def alike(case: Case) -> None:
    one, other = await remembered("pipecat", case), await remembered("livekit", case)
    if case.cut:
        for left in (one, other):
            role, text, interrupted, *_ = left["history"].pop()
            assert role == "assistant"
            assert interrupted
            assert case.turns[-1][1].startswith(text)
    assert one == other
    assert dict(case.slots).items() <= {k: v for k, (v, _) in one["slots"].items()}.items()
    assert set(case.facts) <= {(key, value) for key, value, *_ in one["profile"]}


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("case", [case for case in TABLE if case.killed], ids=lambda case: case.name)
async def test_a_killed_process_leaves_the_same(case: Case, tmp_path: Path) -> None:
    told: list[Any] = []
    for door in ("tests.front_doors.killed {store}", "tests.livekit.worker sigkill {store}"):
        store = tmp_path / f"{len(told)}.db"
        program = [sys.executable, "-W", "ignore", "-m", *door.format(store=store).split(" ")]
        process = await asyncio.create_subprocess_exec(*program, stderr=asyncio.subprocess.DEVNULL)
        try:
            await asyncio.wait_for(process.wait(), 240)
        finally:
            if process.returncode is None:
                process.kill()
        memory = await Memory.open(f"sqlite:///{store}", embedder=None, settings=Settings(strict=True))
        again = memory.call(CALLER, call_id="the-next")
        assert await again.preload(5.0)
        lines = again.briefing().stable.split("\n")
        assert all(value in str(lines) for _, value in case.facts)
        told.append(lines)
        await memory.close()
    assert told[0] == told[1]


@pytest.mark.parametrize(("first", "second"), [("pipecat", "livekit"), ("livekit", "pipecat")])
async def test_who_rang_one_is_known_to_the_other(first: str, second: str, tmp_path: Any) -> None:
    store = f"sqlite:///{tmp_path}/calls.db"
    told = Case("told", (("I am allergic to walnuts", "Noted."),))
    again = Case("again", (("Hello", "Hello again."),))
    memory = await Memory.open(store, embedder=None, settings=Settings(strict=True))
    await DOORS[first](memory.call(CALLER, call_id="yesterday"), told)
    today = memory.call(CALLER, call_id="today")
    assert await today.preload(5.0)
    await DOORS[second](today, again)
    assert "walnuts" in today.stay.briefings[0]
    await memory.close()
