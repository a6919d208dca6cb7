"""The suite a store must pass.

    class TestMyStore(StoreContract):
        async def open(self) -> tuple[Store, KeyStore]:
            return MyStore(...), MyKeyStore(...)

Run it under pytest with pytest-asyncio. `open` gives a fresh, empty pair; what it makes is closed
by the suite. `reopen` gives a second, independent client of what `open` made last (another process,
in effect); a store that lives in its process returns the same pair.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from ..errors import Erased, VersionConflict
from ..stores.base import Entry, KeyStore, PutDoc, Store
from .job_contract import ANN, BOB, JobContract, job
from .journal_contract import JournalContract, entry


class StoreContract(JournalContract, JobContract):
    """Subclass it, give it `open`, and let pytest collect it."""

    async def open(self) -> tuple[Store, KeyStore]:
        """A fresh, empty store and key store."""
        raise NotImplementedError

    async def reopen(self, pair: tuple[Store, KeyStore]) -> tuple[Store, KeyStore]:
        """A second client of the same records."""
        return pair

    @pytest_asyncio.fixture()
    async def pair(self) -> AsyncIterator[tuple[Store, KeyStore]]:
        """What `open` gave, closed afterwards."""
        pair = await self.open()
        yield pair
        for one in pair:
            await one.aclose()

    @pytest_asyncio.fixture()
    async def store(self, pair: tuple[Store, KeyStore]) -> Store:
        """The store under test."""
        return pair[0]

    @pytest_asyncio.fixture()
    async def other(self, pair: tuple[Store, KeyStore]) -> AsyncIterator[Store]:
        """A second client of the store under test."""
        again = await self.reopen(pair)
        yield again[0]
        if again is not pair:
            for one in again:
                await one.aclose()

    # Holding nothing is not an error.

    async def test_an_empty_store_answers_with_nothing(self, store: Store) -> None:
        assert await store.read(ANN) == []
        assert await store.load(ANN) == []
        assert await store.claim("w", 10) is None
        assert await store.drop(ANN, "call-1") == 0

    # Documents.

    async def test_documents_have_versions(self, store: Store, other: Store) -> None:
        await store.put(ANN, [PutDoc("profile", "main", b"one", 0)])
        await other.put(ANN, [PutDoc("profile", "main", b"two", 1)])
        (doc,) = await store.load(ANN)
        assert (doc.kind, doc.name, doc.version, doc.blob) == ("profile", "main", 2, b"two")

    @pytest.mark.parametrize("expected", [0, 2, 7])
    async def test_a_put_at_another_version_changes_nothing(self, store: Store, expected: int) -> None:
        await store.put(ANN, [PutDoc("profile", "main", b"one", 0)])
        with pytest.raises(VersionConflict):
            await store.put(
                ANN,
                [PutDoc("call", "c", b"new", 0), PutDoc("profile", "main", b"two", expected)],
                jobs=[job("j")],
            )
        assert [(d.kind, d.version, d.blob) for d in await store.load(ANN)] == [("profile", 1, b"one")]
        assert await store.claim("w", 10) is None

    async def test_load_takes_kinds(self, store: Store) -> None:
        for kind in ("a", "b", "ab"):
            await store.put(ANN, [PutDoc(kind, "x", kind.encode(), 0), PutDoc(kind, "y", b":1:", 0)])
        found = sorted((d.kind, d.name) for d in await store.load(ANN, ["a", "ab", "none"]))
        assert found == [("a", "x"), ("a", "y"), ("ab", "x"), ("ab", "y")]
        assert len(await store.load(ANN)) == 6

    async def test_load_takes_names(self, store: Store) -> None:
        for kind in ("a", "b"):
            await store.put(ANN, [PutDoc(kind, name, b"one", 0) for name in ("x", "y", "z")])
        found = sorted((d.kind, d.name) for d in await store.load(ANN, ["a"], names=["x", "z", "none"]))
        assert found == [("a", "x"), ("a", "z")]
        assert sorted((d.kind, d.name) for d in await store.load(ANN, names=["y"])) == [
            ("a", "y"),
            ("b", "y"),
        ]
        assert await store.load(ANN, ["a"], names=["none"]) == []

    async def test_two_writers_make_one_document(self, store: Store, other: Store) -> None:
        async def put(one: Store, blob: bytes) -> bool:
            try:
                await one.put(ANN, [PutDoc("fact", "f", blob, 0)])
            except VersionConflict:
                return False
            return True

        won = await asyncio.gather(*(put(one, b"x") for one in (store, other) * 5))
        assert sum(won) == 1
        assert len(await store.load(ANN)) == 1

    # Dropping and erasing.

    async def test_drop_removes_one_call(self, store: Store) -> None:
        for call in ("call-1", "call-2"):
            await store.append(ANN, call, [entry("1"), entry("2")])
            await store.put(ANN, [PutDoc("summary", call, b"s", 0)], jobs=[job(f"j-{call}", call=call)])
        await store.append(BOB, "call-1", [entry("1")])
        assert await store.drop(ANN, "call-1") == 4
        assert {e.call for e in await store.read(ANN)} == {"call-2"}
        assert [d.name for d in await store.load(ANN)] == ["call-2"]
        assert len(await store.read(BOB)) == 1
        left = await store.claim("w", 60)
        assert left is not None
        assert left.id == "j-call-2"
        assert await store.claim("w", 60) is None
        before = (await store.read(ANN))[-1].seq
        assert await store.append(ANN, "call-1", [entry("1")]) > before

    async def test_drop_keeps_what_is_named_like_a_call(self, store: Store) -> None:
        await store.append(ANN, "main", [entry("1")])
        docs = [PutDoc(kind, "main", b"d", 0) for kind in ("summary", "profile", "people")]
        await store.put(ANN, docs, jobs=[job("j", call="main"), job("k", call="main", kind="expire")])
        assert await store.drop(ANN, "main", keep=["profile", "people", "expire", "none"]) == 3
        assert await store.read(ANN) == []
        assert sorted(doc.kind for doc in await store.load(ANN)) == ["people", "profile"]
        left = await store.claim("w", 60)
        assert left is not None
        assert (left.id, left.kind) == ("k", "expire")
        assert await store.claim("w", 60) is None

    async def test_erase_removes_everything_and_refuses_late_writes(self, store: Store, other: Store) -> None:
        for owner in (ANN, BOB):
            await store.append(owner, "call-1", [entry("1"), entry("2")])
            await store.put(owner, [PutDoc("profile", "main", b"p", 0)], jobs=[job("j", owner=owner)])
        held = await store.claim("w", 60, job=job("j"))
        assert held is not None
        erasure = await store.erase(ANN)
        assert (erasure.entries, erasure.docs, erasure.jobs) == (2, 1, 1)
        assert await other.read(ANN) == []
        assert await other.load(ANN) == []
        with pytest.raises(Erased):
            await other.append(ANN, "call-1", [entry("3")])
        with pytest.raises(Erased):
            await other.append(ANN, "call-1", [entry("2")], instead_of=["1"])
        with pytest.raises(Erased):
            await other.put(ANN, [PutDoc("profile", "main", b"p", 0)], jobs=[job("late")])
        assert await store.finish("w", held) is False
        again = await store.erase(ANN)
        assert (again.entries, again.docs, again.jobs) == (0, 0, 0)
        assert len(await store.read(BOB)) == 2
        left = await store.claim("w", 60)
        assert left is not None
        assert left.owner == BOB
        assert await store.claim("w", 60) is None

    # Concurrency.

    async def test_writers_at_once_lose_and_double_nothing(self, store: Store, other: Store) -> None:
        async def write(one: Store, name: str) -> None:
            for n in range(10):
                await one.append(ANN, f"call-{name}", [entry(f"{n}a"), entry(f"{n}b")])

        await asyncio.gather(*(write(one, f"{n}") for n, one in enumerate((store, other) * 2)))
        read = await store.read(ANN)
        assert len({e.seq for e in read}) == len(read) == 80
        for n in range(4):
            mine = [e.uid for e in read if e.call == f"call-{n}"]
            assert mine == [f"{m}{side}" for m in range(10) for side in "ab"]

    async def test_cancelled_commands_mix_up_nobodys_answers(self, store: Store) -> None:
        """The classic: a cancelled read leaves its answer for whoever asks next."""
        draw = random.Random(7)
        owners = [f"acme:{n:064d}.1" for n in range(200)]

        async def call(owner: str) -> int:
            foreign = 0
            mine = owner.encode()
            for n in range(6):
                work = asyncio.ensure_future(self._turn(store, owner, n, mine))
                if draw.random() < 0.5:
                    for _ in range(draw.randrange(12)):
                        await asyncio.sleep(0)
                    work.cancel()
                try:
                    read = await work
                except asyncio.CancelledError:
                    continue
                foreign += sum(e.blob != mine for e in read)
            return foreign

        assert sum(await asyncio.gather(*(call(owner) for owner in owners))) == 0
        for owner in owners:
            assert {e.blob for e in await store.read(owner)} <= {owner.encode()}

    async def _turn(self, store: Store, owner: str, n: int, mine: bytes) -> list[Entry]:
        await store.append(owner, "call", [entry(str(n), mine)])
        return await store.read(owner)

    # Keys.

    async def test_the_first_key_of_a_name_holds(self, pair: tuple[Store, KeyStore]) -> None:
        keys = pair[1]
        assert await keys.get("acme:1") is None
        assert await keys.add("acme:1", b"\x00one") == b"\x00one"
        assert await keys.add("acme:1", b"two") == b"\x00one"
        assert await keys.get("acme:1") == b"\x00one"
        assert await keys.get("acme:") is None

    async def test_a_key_is_destroyed_only_if_it_is_the_one_meant(self, pair: tuple[Store, KeyStore]) -> None:
        keys = pair[1]
        await keys.add("acme:1", b"new")
        assert await keys.destroy("acme:1", b"old") is False
        assert await keys.destroy("acme:1", b"new") is True
        assert await keys.destroy("acme:1", b"new") is False
        assert await keys.get("acme:1") is None

    async def test_a_key_is_replaced_only_if_it_is_the_one_meant(self, pair: tuple[Store, KeyStore]) -> None:
        keys = pair[1]
        await keys.add("acme:1", b"\x00plain")
        assert await keys.replace("acme:1", b"other", b"\x01wrapped") is False
        assert await keys.replace("acme:2", b"other", b"\x01wrapped") is False
        assert await keys.get("acme:2") is None
        assert await keys.replace("acme:1", b"\x00plain", b"\x01wrapped") is True
        assert await keys.get("acme:1") == b"\x01wrapped"
        assert await keys.destroy("acme:1", b"\x00plain") is False

    async def test_writers_at_once_agree_on_one_key(self, pair: tuple[Store, KeyStore]) -> None:
        again = await self.reopen(pair)
        got = await asyncio.gather(
            *(one.add("acme:1", bytes([n])) for n, one in enumerate((pair[1], again[1]) * 4))
        )
        if again is not pair:
            for one in again:
                await one.aclose()
        assert len(set(got)) == 1
