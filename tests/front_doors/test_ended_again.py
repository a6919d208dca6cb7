"""A call that is ended once more while the model still sums it up: told once, with what the model made."""

from __future__ import annotations

import asyncio
import contextlib
import json
from typing import Any

import pytest
from livekit.agents.voice.events import CloseEvent, CloseReason
from pipecat.frames.frames import CancelFrame, EndFrame

from livekit_plugin import session_end
from pipecat_memory import Caller, Memory, Settings
from pipecat_memory.clients.base import ModelReply, ModelRequest
from tests.livekit import kit as livekit
from tests.processors import kit as pipecat

CALLER = Caller.phone("+15551230001", how="verified")
SAID = "I am allergic to walnuts."
SUMMARY = "The caller is allergic to walnuts."


class Thinking:
    """A model that finds nothing in a turn, and sums up when it is let."""

    name = "thinking"

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.go_on = asyncio.Event()

    async def answer(self, request: ModelRequest) -> ModelReply:
        if request.purpose != "summarise":
            return ModelReply(text='{"facts": []}', finish="stop", tokens_in=1, tokens_out=1)
        self.asked.set()
        await self.go_on.wait()
        told = {"text": SUMMARY, "resolved": True, "key_facts": [], "open_items": []}
        return ModelReply(text=json.dumps(told), finish="stop", tokens_in=1, tokens_out=1)


async def opened(model: Thinking) -> Memory:
    patient = Settings(strict=True, drain=pipecat.PATIENCE, model_timeout=pipecat.PATIENCE)
    return await Memory.open("memory://", embedder=None, model=model, settings=patient)


@pytest.mark.parametrize("again", ["hang-up", "signal", "end", "the app's own task"])
async def test_a_pipeline_that_is_ended_twice(again: str) -> None:
    model = Thinking()
    memory = await opened(model)
    call = memory.call(CALLER, call_id="the-call")
    got: list[Any] = []

    async def on_call_summary(_: object, summary: Any) -> None:
        got.append(summary)

    async with pipecat.bot(call, answers=["Noted."]) as rig:
        rig.memory.add_event_handler("on_call_summary", on_call_summary)
        await rig.says(SAID)
        await rig.spoken()
        await rig.push(EndFrame())
        await pipecat.within(model.asked.wait())
        match again:
            case "hang-up":
                ending = asyncio.create_task(rig.worker.cancel(reason="hangup"))
            case "signal":
                ending = asyncio.create_task(rig.runner.cancel(reason="interrupt signal"))
            case "end":
                ending = asyncio.create_task(rig.push(EndFrame(), CancelFrame()))
            case _:
                rig.running.cancel()
                ending = asyncio.create_task(asyncio.sleep(0))
        await asyncio.sleep(0)
        model.go_on.set()
        with contextlib.suppress(asyncio.CancelledError):
            await pipecat.within(rig.running)
        await pipecat.within(ending)
    assert [summary.text for summary in got] == [SUMMARY]
    assert call.course.ended == "bot_ended"
    await memory.close()


async def test_a_session_that_is_ended_twice() -> None:
    model = Thinking()
    memory = await opened(model)
    call = memory.call(CALLER, call_id="the-call")
    told: list[str] = []
    call.listen(lambda name, _: told.append(name) if name == "summary" else None)
    with livekit.a_job() as job:
        async with livekit.bot(call, answers=["Noted."]) as rig:
            await rig.session.run(user_input=SAID)
            await livekit.within(rig.session.aclose())
            await livekit.within(model.asked.wait())
            ending = asyncio.create_task(session_end(job))
            rig.session.emit("close", CloseEvent(reason=CloseReason.JOB_SHUTDOWN))
            await asyncio.sleep(0)
            model.go_on.set()
            await livekit.within(ending)
            assert call.summary is not None
            assert call.summary.text == SUMMARY
    assert (told, call.course.ended) == (["summary"], "bot_ended")
    await memory.close()
