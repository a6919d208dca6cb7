"""The part of the store suite that is about the journal: in order, once, and anew in one step."""

from __future__ import annotations

import asyncio

from ..stores.base import NewEntry, Store
from .job_contract import ANN


def entry(uid: str, blob: bytes = b"blob", kind: str = "event", at: float = 1.5) -> NewEntry:
    """A journal record for the suite."""
    return NewEntry(uid, kind, at, blob)


class JournalContract:
    """Comes with `StoreContract`, which has the fixtures."""

    async def test_a_journal_keeps_order_and_bytes(self, store: Store, other: Store) -> None:
        blob = bytes(range(256)) * 400
        await store.append(ANN, "call-1", [entry("1", blob), entry("2", b"")])
        await store.append(ANN, "call-2", [entry("1", kind="reply", at=-2.25)])
        read = await other.read(ANN)
        assert [(e.call, e.uid, e.kind, e.at, e.blob) for e in read] == [
            ("call-1", "1", "event", 1.5, blob),
            ("call-1", "2", "event", 1.5, b""),
            ("call-2", "1", "reply", -2.25, b"blob"),
        ]
        assert [e.seq for e in read] == sorted({e.seq for e in read})

    async def test_an_entry_comes_once_per_call_and_uid(self, store: Store) -> None:
        first = await store.append(ANN, "call-1", [entry("1", b"first")])
        assert await store.append(ANN, "call-1", [entry("1", b"again")]) == first
        assert await store.append(ANN, "call-1", [entry("2"), entry("2"), entry("1")]) == first + 1
        await store.append(ANN, "call-2", [entry("1")])
        assert [(e.call, e.uid) for e in await store.read(ANN)] == [
            ("call-1", "1"),
            ("call-1", "2"),
            ("call-2", "1"),
        ]
        assert (await store.read(ANN))[0].blob == b"first"

    async def test_read_takes_one_call_or_what_came_after(self, store: Store) -> None:
        seq = await store.append(ANN, "call-1", [entry("1")])
        await store.append(ANN, "call-10", [entry("2")])
        await store.append(ANN, "call-1", [entry("3")])
        assert [e.uid for e in await store.read(ANN, call="call-1")] == ["1", "3"]
        assert [e.uid for e in await store.read(ANN, after=seq)] == ["2", "3"]
        assert [e.uid for e in await store.read(ANN, call="call-1", after=seq)] == ["3"]

    async def test_ids_are_compared_whole(self, store: Store) -> None:
        await store.append(ANN, "c", [entry("u")])
        await store.append(ANN + "1", "c", [entry("v")])
        await store.append(ANN, "c1", [entry("w")])
        await store.append(ANN, "c:*?[a]%00'\"", [entry("%20;--")])
        assert [e.uid for e in await store.read(ANN, call="c")] == ["u"]
        assert [e.uid for e in await store.read(ANN, call="c:*?[a]%00'\"")] == ["%20;--"]
        assert await store.drop(ANN, "c") == 1
        assert [e.uid for e in await store.read(ANN)] == ["w", "%20;--"]

    async def test_records_are_written_anew_in_one_step(self, store: Store, other: Store) -> None:
        await store.append(ANN, "call-1", [entry("1"), entry("2", b"struck"), entry("3", b"old")])
        before = await store.append(ANN, "call-2", [entry("2", b"of another call")])
        anew = [entry("3", b"new"), entry("4"), entry("1", b"is there already")]
        last = await other.append(ANN, "call-1", anew, instead_of=["2", "3", "none"])
        read = await store.read(ANN)
        assert [(e.call, e.uid, e.blob) for e in read] == [
            ("call-1", "1", b"blob"),
            ("call-2", "2", b"of another call"),
            ("call-1", "3", b"new"),
            ("call-1", "4", b"blob"),
        ]
        assert before < read[2].seq < read[3].seq == last
        assert await store.append(ANN, "call-1", [], instead_of=["1", "3", "4"]) == last
        assert [e.call for e in await store.read(ANN)] == ["call-2"]
        await store.append(ANN, "call-1", [entry("5")])
        assert (await store.read(ANN, call="call-1"))[0].seq > last

    async def test_a_command_that_comes_again_writes_anew_once(self, store: Store) -> None:
        await store.append(ANN, "call-1", [entry("1", b"old"), entry("2", b"struck")])
        for _ in range(2):
            await store.append(ANN, "call-1", [entry("1", b"new"), entry("3")], instead_of=["1", "2", "3"])
        assert [(e.uid, e.blob) for e in await store.read(ANN)] == [("1", b"new"), ("3", b"blob")]

    async def test_who_reads_meanwhile_finds_the_old_records_or_the_new(
        self, store: Store, other: Store
    ) -> None:
        """And another process that holds the same call loses nothing of what it adds."""
        ours = [f"a{n}" for n in range(20)]
        await store.append(ANN, "call-1", [entry(uid, b"0") for uid in ours])

        async def write_anew() -> None:
            for n in range(1, 11):
                await store.append(
                    ANN, "call-1", [entry(uid, str(n).encode()) for uid in ours], instead_of=ours
                )

        async def add() -> None:
            for n in range(20):
                await other.append(ANN, "call-1", [entry(f"b{n}", b"b")])

        async def look() -> None:
            for _ in range(20):
                read = [e for e in await other.read(ANN, call="call-1") if e.uid in ours]
                assert [e.uid for e in read] == ours
                assert len({e.blob for e in read}) == 1

        await asyncio.gather(write_anew(), add(), look())
        read = await store.read(ANN)
        assert [e.blob for e in read if e.uid in ours] == [b"10"] * 20
        assert [e.uid for e in read if e.uid not in ours] == [f"b{n}" for n in range(20)]
