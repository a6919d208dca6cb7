"""Who is named after the call has ended: the record stays whose it was, and that is said."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from pipecat_memory import Caller
from pipecat_memory import events as ev
from pipecat_memory.errors import UsedWrongly
from pipecat_memory.replay import replay

from .kit import NUMBER, ended, opened, rest, say, verified

ACCOUNT = Caller.account("cust-1")


@pytest.mark.parametrize("then", [ACCOUNT, Caller.phone(NUMBER, how="claimed"), None])
@pytest.mark.parametrize("reason", ["hangup", "crash"])
async def test_the_record_stays_whose_it_was(then: Caller | None, reason: str) -> None:
    async with opened() as (memory, clock):
        call = memory.call(verified(), call_id="c1")
        await say(call, clock, "my name is Wren Okafor")
        await ended(call, clock, reason)
        with pytest.raises(UsedWrongly, match=r"before call\.close"):
            await call.identify(then)
        (rejected,) = call.apply(ev.CallerIdentified(t=call.elapsed, caller="cust-1", how="verified"))
        assert (getattr(rejected, "reason", None), call.caller) == ("call_over", verified())
        await rest(memory, clock)
        await memory.reprocess(verified())
        export = await memory.export(verified())
        assert [one["call"] for one in export["calls"]] == ["c1"]
        assert [fact["value"] for facts in export["profiles"].values() for fact in facts] == ["Wren Okafor"]
        assert await memory.export(ACCOUNT) == {"calls": [], "profiles": {}}


async def test_who_was_named_just_before_the_end_has_the_call() -> None:
    async with opened() as (memory, clock):
        call = memory.call(verified().proven("number"), call_id="c1")
        await say(call, clock, "my name is Wren Okafor")
        named = asyncio.ensure_future(call.identify(ACCOUNT))
        await asyncio.sleep(0)
        await ended(call, clock)
        await named
        assert (await memory.export(verified()))["calls"] == []
        export = await memory.export(ACCOUNT)
        assert [fact["value"] for facts in export["profiles"].values() for fact in facts] == ["Wren Okafor"]


async def test_an_app_that_finds_the_customer_after_the_end_changes_nothing() -> None:
    found: asyncio.Future[Caller] = asyncio.get_running_loop().create_future()

    async def resolve(_: str) -> Caller:
        return await found

    async with opened(resolve=resolve) as (memory, clock):
        call = memory.call(verified().proven("number"), call_id="c1")
        memory.tasks.spawn(call.preload(0.0), "asked for")
        await say(call, clock, "my name is Wren Okafor", seconds=0.1)
        call.apply(ev.CallEnded(t=call.elapsed, reason="hangup"))
        found.set_result(ACCOUNT)
        await ended(call, clock)
        await rest(memory, clock)
        assert [one["call"] for one in (await memory.export(verified()))["calls"]] == ["c1"]
        assert (await memory.export(ACCOUNT))["calls"] == []


async def test_a_recording_that_names_the_caller_after_the_end_says_so() -> None:
    started = {"call": "c", "at": "2026-03-02T10:00:00Z", "caller": NUMBER, "how": "verified"}
    lines: list[dict[str, Any]] = [
        {"type": "call_started", **started, "timezone": "UTC", "direction": "inbound"},
        {"type": "user_final", "t": 2, "started": 1, "text": "my name is Ana Ruiz"},
        {"type": "turn_ended", "t": 3},
        {"type": "call_ended", "t": 9, "reason": "hangup"},
        {"type": "caller_identified", "t": 10, "caller": "cust-2", "how": "verified"},
    ]
    report = await replay([json.dumps(line) for line in lines], embedder=None)
    assert [(error["line"], error["kind"]) for error in report["errors"]] == [(5, "call_over")]
    assert report["calls"][0]["caller"] == NUMBER
    assert list(report["profiles"]) == [NUMBER]
