"""However a call ends, it is finalised once, with the last words of both sides."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

import pytest
from pipecat.frames.frames import CancelFrame, EndFrame, Frame

from pipecat_memory.call import CallMemory
from pipecat_memory.processors import MemoryProcessor
from pipecat_memory.processors.ending import reason_of

from .conftest import MakeCall
from .kit import Out, Rig, bot, until, within
from .voices import WordVoice

PLAN = "The table by the window is free. We open at six and close late."


def summaries(memory: MemoryProcessor) -> list[Any]:
    got: list[Any] = []

    async def on_call_summary(_: MemoryProcessor, summary: Any) -> None:
        got.append(summary)

    memory.add_event_handler("on_call_summary", on_call_summary)
    return got


def items(call: CallMemory) -> list[tuple[str, str, bool]]:
    return [(item.role, item.text, item.interrupted) for item in call.course.history()]


async def hang_up(rig: Rig) -> None:
    await rig.worker.cancel()
    await within(rig.running)


async def signal(rig: Rig) -> None:
    await rig.runner.cancel(reason="interrupt signal")
    await within(rig.running)


async def outer_cancel(rig: Rig) -> None:
    rig.running.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await within(rig.running)


async def end(rig: Rig) -> None:
    await rig.ends()


WAYS = [(hang_up, "hangup"), (signal, "cancelled"), (outer_cancel, None), (end, "bot_ended")]


@pytest.mark.parametrize(("way", "reason"), WAYS)
async def test_an_open_turn_of_the_caller_is_kept(make_call: MakeCall, way: Any, reason: str | None) -> None:
    call = make_call()
    async with bot(call) as rig:
        got = summaries(rig.memory)
        await rig.starts()
        await rig.hears("actually make it Thursday")
        await until(lambda: call.course.ledger.open_turn is not None)
        await way(rig)
    assert [i[:2] for i in items(call)] == [("user", "actually make it Thursday")]
    assert len(got) == 1
    if reason is not None:
        assert call.course.ended == reason


@pytest.mark.parametrize(("way", "reason"), WAYS[:3])
async def test_a_reply_cut_by_the_end_keeps_what_was_heard(
    make_call: MakeCall, way: Any, reason: str | None
) -> None:
    call = make_call()
    out = Out(0.09)
    async with bot(call, answers=[PLAN], voice=WordVoice(), out=out) as rig:
        got = summaries(rig.memory)
        await rig.says("Is a table free?")
        await within(out.stalled.wait())
        await until(lambda: len(out.texts) == 14)
        await way(rig)
    assert items(call)[1:] == [("assistant", "The table by the window", True)]
    assert len(got) == 1


async def test_the_bot_ends_its_own_call_after_its_last_word(make_call: MakeCall) -> None:
    call = make_call()
    async with bot(call, answers=["Good bye then."], voice=WordVoice()) as rig:
        got = summaries(rig.memory)
        await rig.says("Thanks, bye.")
        await rig.ends()
    assert items(call)[1:] == [("assistant", "Good bye then.", False)]
    assert [s.outcome for s in got] == ["completed"]


async def test_an_app_may_end_the_call_itself(make_call: MakeCall) -> None:
    from pipecat_memory.processors import CallSummaryFrame

    call = make_call()
    async with bot(call, answers=["I connect you."]) as rig:
        got = summaries(rig.memory)
        await rig.says("A person please.")
        await call.close("transferred")
        await until(lambda: any(isinstance(f, CallSummaryFrame) for f in rig.tail.down))
        await rig.ends()
    assert call.course.ended == "transferred"
    assert len(got) == 1


@pytest.mark.parametrize(
    ("frame", "reason"),
    [
        (EndFrame(), "bot_ended"),
        (CancelFrame(), "hangup"),
        (CancelFrame(reason="idle timeout"), "idle_timeout"),
        (CancelFrame(reason="interrupt signal"), "cancelled"),
        (CancelFrame(reason="client disconnected"), "hangup"),
        (CancelFrame(reason="no answer"), "no_answer"),
        (EndFrame(reason="transferred to agent"), "transferred"),
        (EndFrame(reason="done"), "bot_ended"),
        (CancelFrame(reason=404), "cancelled"),
        (EndFrame(reason="hangup"), "hangup"),
    ],
)
def test_reads_the_reason(frame: Frame, reason: str) -> None:
    assert reason_of(frame) == reason
