"""A memory closed while a pipeline still runs: what was said till then is there, and nothing runs on."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from pipecat_memory.config import Settings
from pipecat_memory.errors import UsedWrongly
from pipecat_memory.memory import Memory

from .conftest import ANA
from .kit import bot
from .voices import WordVoice


async def opened(folder: Path) -> Memory:
    settings = Settings(strict=True)
    return await Memory.open(f"sqlite:///{folder / 'calls.db'}", embedder=None, settings=settings)


async def test_what_was_said_before_it_was_closed_is_kept_and_the_call_goes_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    before = asyncio.all_tasks()
    memory = await opened(tmp_path)
    call = memory.call(ANA, call_id="the-call")
    got: list[Any] = []

    async def on_call_summary(_: object, summary: Any) -> None:
        got.append(summary)

    async with bot(call, answers=["Hello Ana.", "Noted."], voice=WordVoice()) as rig:
        rig.memory.add_event_handler("on_call_summary", on_call_summary)
        await rig.says("My name is Ana Lima.")
        await rig.spoken()
        assert await memory.close() == 0
        await rig.says("I am allergic to walnuts.")
        await rig.spoken()
        await rig.ends()
    assert len(rig.llm.prompts) == 2
    assert len(got) == 1
    assert rig.memory.hook_errors == 0
    assert "closed under it" in caplog.text
    again = await opened(tmp_path)
    (kept,) = (await again.export(ANA))["calls"]
    assert [item["text"] for item in kept["history"]] == ["My name is Ana Lima.", "Hello Ana."]
    await again.close()
    assert asyncio.all_tasks() == before


async def test_a_closed_memory_takes_no_call_and_its_second_close_closes_nobody_elses(tmp_path: Path) -> None:
    memory = await opened(tmp_path)
    await memory.close()
    with pytest.raises(UsedWrongly, match="closed"):
        memory.call(ANA, call_id="late")
    again = await opened(tmp_path)
    await memory.close()
    call = again.call(ANA, call_id="the-call")
    assert await call.preload(5.0)
    await call.close("hangup")
    await again.close()
