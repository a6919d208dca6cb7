"""Calls long over are told of in the head of a caller's file: a preload opens the others, and misses none."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import msgspec
import pytest

from pipecat_memory import Caller, CallMemory, Memory, Settings
from pipecat_memory.records.caller import Scope
from pipecat_memory.records.profile import Episode, Profile
from pipecat_memory.stores.box import OURS
from pipecat_memory.stores.caller_file import CallerFile
from pipecat_memory.stores.contents import CallMeta, HeadDoc, Loaded, pack
from pipecat_memory.stores.past_calls import PastCall
from pipecat_memory.testing import ManualClock

from ..kit import NUMBER, START, ended, opened, rest, say, verified

ACCOUNT = Caller("customer-7", how="verified")
SCHEMA = {"version": 1, "slots": [{"name": "party_size", "type": "quantity"}]}
MANY = 5


def no_matter(_id: str, _past: PastCall) -> bool:
    return False


async def file_of(memory: Memory, caller: str = NUMBER) -> CallerFile:
    file = await memory.archive.file(Scope("default", caller, ""))
    assert file is not None
    return file


async def settled(file: CallerFile, id: str, at: str, outcome: str = "completed") -> None:
    """A call that began and ended then, in which one thing was said."""
    meta = CallMeta(call=id, at=at, outcome=outcome, ended=at, schema=SCHEMA)
    turn = Episode(id=f"turn.{id}.1", call=id, turn=1, role="user", text=f"this is {id}", at=at)
    await file.open_call(meta)
    await file.settle(replace(meta, settled=True), lambda profile: profile, [turn])


async def past(memory: Memory) -> CallerFile:
    """A caller of so many calls, a day apart."""
    file = await file_of(memory)
    for n in range(MANY):
        await settled(file, f"past{n}", (START - timedelta(days=MANY - n)).isoformat())
        await memory.keeper.leases.finish(f"past{n}", file)
    return file


async def glanced(file: CallerFile) -> tuple[set[str], set[str]]:
    """Ids of the calls that a preload opens, and of those that it need not."""
    found = await file.glance(no_matter)
    return set(found.calls), set(found.past)


async def without_rows(file: CallerFile) -> None:
    """The head as an earlier version of this software writes it."""

    def edit(blob: bytes | None) -> bytes:
        assert blob is not None
        head = msgspec.json.decode(blob)
        assert head.pop("past") is not None
        return msgspec.json.encode(head)

    await file.change("head", OURS, edit)


async def preloaded(memory: Memory, id: str, caller: Caller | None = None) -> CallMemory:
    call = memory.call(caller or verified(), call_id=id, schema=SCHEMA)
    assert await call.preload(60.0)
    return call


async def test_only_the_newest_of_many_calls_is_opened(url: str) -> None:
    async with opened(url) as (memory, _):
        file = await past(memory)
        assert await glanced(file) == ({"past4"}, {"past0", "past1", "past2", "past3"})
        whole = await file.load()
        assert set(whole.calls) == {f"past{n}" for n in range(MANY)}
        assert (await file.glance(no_matter)).newest_first == whole.newest_first
        assert whole.newest_first == ["past4", "past3", "past2", "past1", "past0"]


async def test_what_a_call_is_told_is_the_same_without_the_rows(url: str) -> None:
    async with opened(url, settings=Settings(strict=True, recall_calls=2)) as (memory, clock):
        file = await past(memory)
        told: list[tuple[str, list[str]]] = []
        for id, rows in (("one", MANY - 1), ("two", 0)):
            assert len((await glanced(file))[1]) == rows
            call = await preloaded(memory, id)
            await rest(memory, clock)
            for n in (4, 0, 0, 0):
                await say(call, clock, f"what of this is past{n}")
                text = call.briefing().text
                await rest(memory, clock)
            told.append((text, [hit.entry.text for hit in call.reader.hits]))
            await ended(call, clock, "crash")
            await rest(memory, clock)
            await file.drop(id)
            if rows:
                await without_rows(file)
        assert told[0] == told[1]
        assert told[0][1] == ["this is past0"]


async def test_a_file_of_an_earlier_version_gets_its_rows_with_the_next_call(url: str) -> None:
    async with opened(url) as (memory, clock):
        file = await past(memory)
        await without_rows(file)
        assert await glanced(file) == ({f"past{n}" for n in range(MANY)}, set())
        call = await preloaded(memory, "now")
        await ended(call, clock)
        assert await glanced(file) == ({"now"}, {f"past{n}" for n in range(MANY)})


async def test_a_call_that_is_written_anew_is_opened(url: str) -> None:
    """Another process holds the line again, or an older version of this software settled it."""
    async with opened(url) as (memory, _):
        file = await past(memory)
        meta = (await file.load()).calls["past1"]
        assert meta.settled
        await file.open_call(replace(meta, runs={"elsewhere": START.isoformat()}))
        found = await file.glance(no_matter)
        assert not found.calls["past1"].settled
        await file.change("call", "past2", lambda blob: blob or b"")
        assert await glanced(file) == ({"past1", "past2", "past4"}, {"past0", "past3"})


async def test_another_call_of_the_same_id_is_opened(url: str) -> None:
    async with opened(url) as (memory, _):
        file = await past(memory)
        docs = {doc.name: doc.version for doc in await file.box.load(["call"])}
        await file.drop("past1")
        assert await glanced(file) == ({"past4"}, {"past0", "past2", "past3"})
        meta = CallMeta(call="past1", at=START.isoformat())
        for _ in range(docs["past1"]):  # until its document has the version that the settled one had
            await file.change("call", "past1", lambda _: pack(meta))
        assert {doc.name: doc.version for doc in await file.box.load(["call"])} == docs
        assert (await file.glance(no_matter)).calls["past1"] == meta


async def broken_off(memory: Memory, clock: ManualClock) -> None:
    """A call that broke off and was settled, and another one after it: so the first has its row."""
    call = await preloaded(memory, "dropped")
    await say(call, clock, "a table for five please")
    await ended(call, clock)
    assert (await (await file_of(memory)).load()).calls["dropped"].outcome == "abandoned"
    await settled(await file_of(memory), "later", clock.now().isoformat())
    assert await glanced(await file_of(memory)) == ({"later"}, {"dropped"})


@pytest.mark.parametrize(("seconds", "size"), [(60.0, 5), (3600.0, None)])
async def test_a_call_that_broke_off_lately_goes_on(url: str, seconds: float, size: int | None) -> None:
    async with opened(url) as (memory, clock):
        await broken_off(memory, clock)
        await clock.advance(seconds)
        call = await preloaded(memory, "back")
        held = call.course.notes.state.slots.get("party_size")
        assert (held.value if held else None) == size
        await ended(call, clock)


async def test_the_same_call_in_another_process_knows_its_own_past(url: str) -> None:
    async with opened(url) as (memory, clock):
        await broken_off(memory, clock)
        await clock.advance(60.0)
        call = await preloaded(memory, "dropped")
        assert call.reader.known is not None
        assert [one.call for one in call.reader.known.unsettled] == ["dropped"]
        await ended(call, clock)
        found = await file_of(memory)
        assert len((await found.load()).calls["dropped"].runs) == 2


async def test_a_call_that_is_on_its_way_to_somebody_else_is_nobodys_past(url: str) -> None:
    async with opened(url) as (memory, _):
        file, other = await past(memory), await file_of(memory, "customer-7")
        await file.change("moved", "past1", lambda _: other.owner.encode())
        assert await glanced(file) == ({"past4"}, {"past0", "past2", "past3"})
        assert await file.call("past1") is None
        assert await file.moved() == {"past1": other.owner}
        assert await memory.reprocess(verified()) == {"settled": 0, "held": 0, "parked": 0}
        assert await file.moved() == {}
        assert set((await other.load()).calls) == {"past1"}


async def test_who_reads_exports_or_forgets_meets_all_calls(url: str) -> None:
    async with opened(url) as (memory, _):
        await past(memory)
        export = await memory.export(verified())
        assert [call["call"] for call in export["calls"]] == [f"past{n}" for n in range(MANY)]
        assert (await memory.forget(verified()))["erased"]
        assert (await memory.export(verified()))["calls"] == []


async def test_what_retention_removes_leaves_the_head(url: str) -> None:
    days = Settings(strict=True, retention_days=3)
    async with opened(url, settings=days) as (memory, clock):
        file = await past(memory)
        await memory.keeper.left.retain(file)
        job = file.box.job("expire", "expire", id="expire")
        assert await memory.archive.vault.claim("retention", 0, job=job) is not None  # due now
        await memory.reprocess()
        call = await preloaded(memory, "now")
        await ended(call, clock)
        assert await glanced(file) == ({"now"}, {"past3", "past4"})


async def test_a_head_or_a_call_that_cannot_be_read_costs_nothing_else(url: str) -> None:
    async with opened(url) as (memory, clock):
        file = await past(memory)
        await file.change("head", OURS, lambda _: b"{not a head")
        assert await glanced(file) == ({f"past{n}" for n in range(MANY)}, set())
        await file.change("call", "past2", lambda _: b"{not a call")
        call = await preloaded(memory, "now")
        await ended(call, clock)
        assert await glanced(file) == ({"now"}, {"past0", "past1", "past3", "past4"})


def test_a_head_with_rows_is_read_by_who_knows_none() -> None:
    rows = {"c1": PastCall("00" * 12, START.isoformat(), None)}
    plain = HeadDoc(of=7)
    found = msgspec.json.decode(pack(replace(plain, past=rows)))
    assert found.pop("past") == {"c1": ["00" * 12, START.isoformat(), None]}
    assert msgspec.json.decode(msgspec.json.encode(found), type=HeadDoc) == plain


def test_the_latest_begun_comes_first_opened_or_not() -> None:
    days = [(START - timedelta(days=n)).isoformat() for n in range(4)]
    loaded = Loaded(
        profile=Profile(),
        calls={"a": CallMeta(call="a", at=days[2]), "b": CallMeta(call="b", at=days[0])},
        past={"c": PastCall("", days[1], None), "d": PastCall("", days[3], None)},
    )
    assert loaded.newest_first == ["b", "c", "a", "d"]
