"""What an app hands over - settings, keys, models, embedders, a look-up - may be anything; calls go on."""

from __future__ import annotations

import asyncio
import math
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipecat_memory import Caller, Memory, Settings
from pipecat_memory import events as ev
from pipecat_memory.clients.base import ModelReply
from pipecat_memory.errors import UsedWrongly
from pipecat_memory.reading.tokens import sure_of_tokens

PHRASE = "Zyxgrand"
NUMBER = "+15551230001"
SAID = "My name is Zyxgrand Pember"


async def spoken(memory: Memory, call_id: str = "c", how: str = "verified") -> None:
    call = memory.call(Caller.phone(NUMBER, how=how), call_id=call_id)  # pyright: ignore[reportArgumentType] - a test's word
    await call.preload(1.0)
    call.apply(ev.UserFinal(t=0.0, text=SAID, started=0.0))
    call.apply(ev.TurnEnded(t=1.0))
    summary = await call.close("hangup")
    assert summary is not None


def raises(*_: Any) -> Any:
    raise RuntimeError(PHRASE)


def stops(*_: Any) -> Any:
    raise StopIteration(PHRASE)


async def gives_up(*_: Any) -> Any:
    raise asyncio.CancelledError


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"turn_budget": "300"}, "turn_budget"),
        ({"turn_budget": True}, "turn_budget"),
        ({"recall_items": -1}, "0 or more"),
        ({"recall_calls": 0}, "above 0"),
        ({"preload_wait": float("nan")}, "0 or more"),
        ({"lease": 0}, "above 0"),
        ({"retention_days": -1}, "retention_days"),
        ({"window": "all"}, "one of off, last_n"),
        ({"inject": "no"}, "True or False"),
        ({"count_tokens": 4}, "a function"),
        ({"redact": "abc"}, "a tuple of regular expressions"),
        ({"redact": ["a"]}, "a tuple of regular expressions"),
        ({"redact": ("a", "b(")}, "number 2 is no regular expression"),
        ({"prices": (("m", 1.0),)}, "a tuple of rows"),
        ({"prices": "m"}, "a tuple of rows"),
        ({"prices": (("m", None, 2.0),)}, "a tuple of rows"),
    ],
)
def test_a_setting_that_can_not_be_meant_is_refused_at_once(wrong: dict[str, Any], says: str) -> None:
    with pytest.raises(UsedWrongly, match=says):
        Settings(**wrong)


def test_the_least_of_each_setting_is_taken() -> None:
    Settings(turn_budget=0, stable_budget=0, dump_below=0, recall_items=0, preload_wait=0, drain=0)
    Settings(retention_days=0, recall_wait=0, prices=(("m", 1, 2.0), ("n", 1.0, 2.0, 0.5)), redact=("a+",))


@pytest.mark.parametrize("key", [b"", b"short", "abc", 32, lambda: None, lambda: 32, raises, stops])
async def test_a_key_that_is_none_is_refused_and_leaves_nothing_open(tmp_path: Path, key: Any) -> None:
    before = {thread for thread in threading.enumerate() if thread.name.startswith("memory-")}
    with pytest.raises(UsedWrongly, match="encryption=") as caught:
        await Memory.open(f"sqlite:///{tmp_path}/c.db", embedder=None, encryption=key)
    assert PHRASE not in str(caught.value)
    after = {thread for thread in threading.enumerate() if thread.name.startswith("memory-")}
    assert after <= before


@pytest.mark.parametrize(
    "model",
    [
        raises,
        stops,
        gives_up,
        lambda _: None,
        lambda _: b'{"facts":[]}',
        lambda _: {"facts": []},
        lambda _: 5,
        lambda _: ModelReply(text=None),  # pyright: ignore[reportArgumentType] - what an app may do
        lambda _: ModelReply(text="{}", tokens_in=None),  # pyright: ignore[reportArgumentType] - same
        lambda _: "{x} " * 20_000,
        lambda _: '{"facts":[' + '{"key":"a"},' * 500_000 + "]}",
    ],
)
async def test_whatever_a_model_gives_the_call_is_kept(model: Callable[..., Any]) -> None:
    memory = await Memory.open("memory://", embedder=None, model=model, settings=Settings(drain=20.0))
    await spoken(memory)
    facts = await memory.profile(Caller.phone(NUMBER))
    assert [f["value"] for f in facts if f["key"] == "name"] == ["Zyxgrand Pember"]
    assert memory.tasks.failed == 0
    await memory.close()


class Wild:
    """An embedder of an app's own, of the right form alone."""

    name = "wild"

    def __init__(self, give: Callable[[Any], Any]) -> None:
        self._give = give

    async def embed(self, texts: Any) -> Any:
        return self._give(texts)


@pytest.mark.parametrize(
    "embedder",
    [
        Wild(raises),
        Wild(lambda _: [1]),
        Wild(lambda _: None),
        Wild(lambda texts: np.full((len(texts), 3), np.nan, np.float32)),
        Wild(lambda texts: np.zeros((len(texts) + 1, 3), np.float32)),
        stops,
        raises,
        lambda _: None,
    ],
)
async def test_whatever_an_embedder_gives_the_call_is_kept(embedder: Any) -> None:
    memory = await Memory.open("memory://", embedder=embedder)
    await spoken(memory, "a")
    await spoken(memory, "b")
    facts = await memory.profile(Caller.phone(NUMBER))
    assert [f["value"] for f in facts if f["key"] == "name"] == ["Zyxgrand Pember"]
    assert memory.tasks.failed == 0
    await memory.close()


@pytest.mark.parametrize("resolve", [raises, stops, lambda _: NUMBER, lambda _: 5])
async def test_a_look_up_that_fails_leaves_the_number(resolve: Callable[..., Any]) -> None:
    memory = await Memory.open("memory://", embedder=None, resolve=resolve)
    await spoken(memory)
    call = memory.call(Caller.phone(NUMBER), call_id="again")
    assert await call.preload(5.0)
    assert call.greeting_name() == "Zyxgrand"
    assert memory.counters["resolve_failed"] == 1  # a verified caller is not looked up
    assert memory.tasks.failed == 0
    await memory.close()


async def test_a_look_up_that_blocks_does_not_hold_the_loop() -> None:
    let_go = threading.Event()

    def blocks(_: str) -> None:
        let_go.wait(30)

    memory = await Memory.open("memory://", embedder=None, resolve=blocks)
    call = memory.call(Caller.phone(NUMBER), call_id="c")
    assert not await call.preload(0.0)  # comes back though the look-up has not
    let_go.set()
    assert await call.preload(5.0)
    await memory.close()


def _quarters(text: str) -> Any:
    return len(text) / 4


def test_a_counter_may_count_parts_of_tokens() -> None:
    counters: dict[str, int] = {}
    count = sure_of_tokens(Settings(count_tokens=_quarters), counters).count_tokens
    assert count is not None
    assert [count(text) for text in ("", "four", "fives")] == [0, 1, 2]
    assert counters == {}


@pytest.mark.parametrize(
    "counted",
    [
        raises,
        stops,
        lambda _: None,
        lambda _: "12",
        lambda _: -3,
        lambda _: 0,
        lambda _: math.nan,
        lambda _: True,
    ],
)
async def test_a_counter_that_can_not_count_costs_no_reply_its_memory(counted: Callable[..., Any]) -> None:
    memory = await Memory.open("memory://", embedder=None, settings=Settings(count_tokens=counted))
    call = memory.call(Caller.phone(NUMBER, how="verified"), call_id="c")
    call.apply(ev.UserFinal(t=0.0, text=SAID, started=0.0))
    call.apply(ev.TurnEnded(t=1.0))
    assert "Zyxgrand" in call.briefing().changing
    assert memory.counters["count_tokens_failed"] > 0
    await call.close("hangup")
    await memory.close()
