"""A caller rings while another call of theirs is not written yet: nothing of it is missed."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from pipecat_memory import Memory, Settings
from pipecat_memory import events as ev
from pipecat_memory.replay import replay
from pipecat_memory.stores.caller_file import CallerFile

from .kit import verified


@pytest.mark.parametrize("closing", [False, True])
@pytest.mark.parametrize("store", ["memory://", "sqlite"])
async def test_the_next_call_waits_for_what_is_being_written(
    store: str, closing: bool, tmp_path: Path
) -> None:
    url = store if store == "memory://" else f"sqlite:///{tmp_path / 'calls.db'}"
    memory = await Memory.open(url, embedder=None)
    first = memory.call(verified(), call_id="c1")
    first.apply(ev.UserFinal(t=1.0, text="I'm allergic to walnuts"))
    first.apply(ev.TurnEnded(t=1.5))
    end = memory.tasks.spawn(first.close("hangup"), "test close") if closing else None
    second = memory.call(verified(), call_id="c2")
    assert await second.preload(10.0)
    assert "walnuts" in second.briefing().text
    if end is not None:
        await end
    await memory.close()


async def test_a_caller_of_two_tenants_loses_nothing_in_the_report() -> None:
    def call(tenant: str, day: int, text: str) -> list[str]:
        started = {
            "type": "call_started",
            "call": tenant,
            "at": f"2026-03-0{day}T10:00:00+00:00",
            "caller": "+15551230001",
            "how": "verified",
            "timezone": "UTC",
            "direction": "inbound",
            "tenant": tenant,
        }
        said = [{"type": "user_final", "t": 1, "text": text}, {"type": "turn_ended", "t": 2}]
        end = {"type": "call_ended", "t": 9, "reason": "hangup"}
        return [json.dumps(line) for line in (started, *said, end)]

    lines = [*call("t1", 2, "my name is Wren Okafor"), *call("t2", 3, "hello there")]
    report = await replay(lines, embedder=None)
    assert [fact["value"] for fact in report["profiles"]["+15551230001"]] == ["Wren Okafor"]


async def test_who_waits_for_another_call_in_vain_leaves_nothing_running(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stalled = asyncio.Event()

    async def append(*_: object, **__: object) -> None:
        await stalled.wait()

    memory = await Memory.open("memory://", embedder=None, settings=Settings(strict=True, store_timeout=0.01))
    first = memory.call(verified(), call_id="c1")
    await first.preload(10.0)
    monkeypatch.setattr(CallerFile, "append", append)
    first.apply(ev.UserFinal(t=1.0, text="I'm allergic to walnuts"))
    first.apply(ev.TurnEnded(t=1.5))
    second = memory.call(verified(), call_id="c2")
    assert await second.preload(10.0)
    assert not first.kept.is_durable
    await memory.close(deadline=0.01)
    assert asyncio.all_tasks() == {asyncio.current_task()}
