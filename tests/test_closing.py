"""A memory that closes comes to an end, whatever its store does and whoever waits for what was said."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, cast

import pytest

from pipecat_memory import Caller, CallMemory, Memory
from pipecat_memory.errors import ModelUnavailable
from pipecat_memory.events import TurnEnded, UserFinal
from pipecat_memory.records.turn import Turn
from pipecat_memory.stores.box import Box
from pipecat_memory.testing import ManualClock, ScriptedAnswer, ScriptedModel
from pipecat_memory.writing import Labels

from .kit import START, STRICT, ended, opened, say, verified


async def test_a_store_that_hangs_is_not_waited_for_by_those_who_wait_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = asyncio.Event()

    async def never(*_: Any, **__: Any) -> None:
        asked.set()
        await asyncio.Event().wait()

    monkeypatch.setattr(Box, "append", never)
    memory = await Memory.open("memory://", embedder=None, settings=STRICT)
    call = memory.call(verified(), call_id="c1")
    waiting = [asyncio.ensure_future(call.kept.durable()) for _ in range(3)]
    call.apply(UserFinal(t=0.5, text="my name is Wren Okafor"))
    call.apply(TurnEnded(t=1.0))
    waiting.append(asyncio.ensure_future(call.kept.durable()))
    await asked.wait()
    async with asyncio.timeout(20):
        await memory.close(deadline=0.0)
        await asyncio.gather(*waiting)


WAITS: dict[str, Callable[[CallMemory], Coroutine[Any, Any, Any]]] = {
    "close": lambda call: call.close("hangup"),
    "identify": lambda call: call.identify(Caller.account("cust-1")),
    "preload": lambda call: call.preload(60.0),
}


@pytest.mark.parametrize("wait", WAITS)
async def test_whoever_waits_for_a_call_goes_on_when_its_memory_closes(
    wait: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the memory cancels are its own tasks: an app's task that waits for them is not cancelled."""
    asked = asyncio.Event()

    async def never(*_: Any, **__: Any) -> None:
        asked.set()
        await asyncio.Event().wait()

    monkeypatch.setattr(Box, "load", never)
    monkeypatch.setattr(Box, "append", never)
    memory = await Memory.open("memory://", embedder=None, settings=STRICT)
    call = memory.call(verified(), call_id="c1")
    call.apply(UserFinal(t=0.5, text="my name is Wren Okafor"))
    call.apply(TurnEnded(t=1.0))

    async def app() -> str:
        await WAITS[wait](call)
        return "went on"

    waiting = asyncio.ensure_future(app())
    async with asyncio.timeout(20):
        await asked.wait()
        await memory.close(deadline=0.0)
        assert await waiting == "went on"


class Hook:
    """Corrects labels as it is told, or fails."""

    def __init__(self, gives: Any) -> None:
        self._gives = gives

    async def label(self, call: str, turns: Sequence[Turn]) -> Labels | None:
        if isinstance(self._gives, Exception):
            raise self._gives
        made = self._gives(turns) if callable(self._gives) else self._gives
        return cast("Labels | None", made)


def another_voice(turns: Sequence[Turn]) -> Labels:
    return Labels(by_segment={(turns[0].key, 0): "1"}, caller="0")


@pytest.mark.parametrize(
    ("gives", "status"),
    [
        (None, "current"),
        (another_voice, "pending"),
        (ModelUnavailable("planted phrase"), "current"),
        (RuntimeError("planted phrase"), "current"),
        ("no labels at all", "current"),
    ],
    ids=["nothing better", "another voice", "no answer", "a fault", "nonsense"],
)
async def test_a_call_ends_whatever_its_speaker_labels_come_to(
    gives: Any, status: str, caplog: pytest.LogCaptureFixture
) -> None:
    answer = '{"facts":[{"key":"dislikes","value":"fish","text":"Hates fish.","quote":"I hate fish"}]}'
    clock = ManualClock(START)
    model = ScriptedModel(clock)
    model.add(ScriptedAnswer("c1", "extract", answer, 1))
    async with opened(clock=clock, model=model, speaker_labels=Hook(gives)) as (memory, _):
        call = memory.call(verified(), call_id="c1")
        await call.preload()
        await say(call, clock, "I hate fish")
        await ended(call, clock)
        assert [(f["value"], f["status"]) for f in await memory.profile(verified())] == [("fish", status)]
    assert "planted" not in caplog.text
