"""What callers say never stands in our logs, metrics, frames, exceptions or reprs."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator

import pytest
from loguru import logger
from pipecat.frames.frames import Frame, MetricsFrame
from pipecat.pipeline.worker import PipelineParams

from pipecat_memory.config import Settings
from pipecat_memory.memory import Memory
from pipecat_memory.processors.frames import MemoryFrame, MemoryMetricsData

from .conftest import ANA, MakeCall
from .kit import bot, until
from .voices import RATE, WordVoice

PLANTED = ["Zyxgrand Pemberly", "4471", "Ольга Чернова", "田中さくら", "zyx.pemberly@example.org"]


@pytest.fixture
async def lines(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[list[str]]:
    """Every log line of ours, loguru's and the standard library's, at the lowest level."""
    monkeypatch.setenv("PIPECAT_LOG_LLM_CONTEXT", "off")
    got: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: got.append(record.getMessage())  # pyright: ignore[reportAttributeAccessIssue] - a list will do
    root = logging.getLogger("pipecat_memory")
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    # Pipecat's own services log texts themselves; what comes from our modules must not.
    sink = logger.add(
        lambda message: got.append(str(message)),
        level="TRACE",
        filter=lambda record: str(record["name"]).startswith("pipecat_memory"),
        diagnose=True,
    )
    yield got
    logger.remove(sink)
    root.removeHandler(handler)


async def test_planted_phrases_stay_inside(make_call: MakeCall, lines: list[str]) -> None:
    call = make_call()
    params = PipelineParams(
        audio_in_sample_rate=RATE, audio_out_sample_rate=RATE, enable_metrics=True, enable_usage_metrics=True
    )
    frames: list[Frame] = []
    async with bot(call, answers=PLANTED, voice=WordVoice(), params=params, full=True) as rig:
        for phrase in PLANTED:
            await rig.says(f"My name is {phrase}")
            await rig.spoken()
        await call.close("hangup")
        frames = [f for f in rig.tail.down if isinstance(f, MemoryFrame | MetricsFrame)]
        reprs = [repr(x) for x in (call, call.course.notes, rig.memory, call.summary, *call.course.history())]
    assert call.counters["turns_committed"] == 5
    assert any(isinstance(f, MetricsFrame) for f in frames)
    ours = [
        d for f in frames if isinstance(f, MetricsFrame) for d in f.data if isinstance(d, MemoryMetricsData)
    ]
    assert len(ours) >= 5
    written = "\n".join([*lines, *map(repr, frames), *map(str, frames), *reprs])
    assert not [phrase for phrase in PLANTED if phrase in written]


async def test_what_fails_is_named_by_type_once_and_the_call_goes_on(
    lines: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = await Memory.open("memory://", embedder=None, settings=Settings())
    call = memory.call(ANA, call_id="faulty")

    def fail(*_: object) -> None:
        raise RuntimeError(PLANTED[0])

    async with bot(call, answers=["Yes.", "Yes."]) as rig:
        # It stands for whatever may fail while a reply is prepared.
        monkeypatch.setattr(call, "briefing", fail)
        await rig.says("I am Ana, a table for four please.")
        await rig.spoken()
        await rig.says("And a high chair.")
        await rig.spoken()
    assert [i.text for i in call.course.history() if i.role == "assistant"] == ["Yes.", "Yes."]
    assert rig.memory.hook_errors > 0
    failures = [line.partition(" - ")[2] for line in lines if "RuntimeError" in line]
    assert failures
    assert len(failures) == len(set(failures))
    assert not [line for line in lines if PLANTED[0] in line]
    await memory.close()


async def test_a_listener_of_the_app_that_fails_costs_neither_memory_nor_summary(lines: list[str]) -> None:
    memory = await Memory.open("memory://", embedder=None, settings=Settings())
    call = memory.call(ANA, call_id="listened")
    told: list[str] = []

    def fail(name: str, _: object) -> None:
        told.append(name)
        raise RuntimeError(PLANTED[0])

    call.listen(fail)
    async with bot(call, answers=["Yes.", "Yes."]) as rig:
        await rig.says("My name is Ana Lima, a table for four please.")
        await rig.spoken()
        await rig.says("And a high chair.")
        await rig.spoken()
        await rig.ends()
    assert "Ana Lima" in str(rig.llm.prompts[-1])
    assert call.summary is not None
    assert [fact["value"] for fact in await memory.profile(ANA)] == ["Ana Lima"]
    assert {"preloaded", "summary"} <= set(told)
    assert rig.memory.hook_errors == 0
    assert not [line for line in lines if PLANTED[0] in line]
    await memory.close()


async def test_the_news_come_as_frames_and_events(make_call: MakeCall) -> None:
    from pipecat_memory.processors import MemoryPreloadedFrame

    call = make_call()
    async with bot(call, answers=["Yes."]) as rig:
        await until(lambda: any(isinstance(f, MemoryPreloadedFrame) for f in rig.tail.down))
        frame = next(f for f in rig.tail.down if isinstance(f, MemoryPreloadedFrame))
    assert frame.call_id == call.id
    assert all(isinstance(count, int) for count in frame.counts.values())
