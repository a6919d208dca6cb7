"""The part of the store suite that is about jobs: claims, leases, takeovers."""

from __future__ import annotations

import asyncio

from ..stores.base import Job, Store

ANN, BOB = "acme:" + "a" * 64 + ".1", "acme:" + "b" * 64 + ".1"


def job(id: str, owner: str = ANN, kind: str = "settle", call: str = "call-1") -> Job:
    """A job for the suite."""
    return Job(id, kind, owner, call)


class JobContract:
    """Comes with `StoreContract`, which has the fixtures."""

    async def test_a_job_is_claimed_by_one_worker(self, store: Store, other: Store) -> None:
        await store.put(ANN, [], jobs=[job("j")])
        claims = await asyncio.gather(*(one.claim(f"w{n}", 60) for n, one in enumerate((store, other) * 4)))
        (taken,) = [claim for claim in claims if claim is not None]
        assert (taken.id, taken.kind, taken.owner, taken.call, taken.attempts) == (
            "j",
            "settle",
            ANN,
            "call-1",
            1,
        )

    async def test_a_job_that_exists_is_left_as_it_is(self, store: Store) -> None:
        await store.put(ANN, [], jobs=[job("j")])
        assert await store.claim("w", 60)
        await store.put(ANN, [], jobs=[job("j", call="call-2")])
        assert await store.claim("v", 60) is None
        renewed = await store.claim("w", 60, job=job("j"))
        assert renewed is not None
        assert (renewed.call, renewed.attempts) == ("call-1", 1)

    async def test_the_job_that_is_free_longest_comes_first(self, store: Store) -> None:
        await store.put(ANN, [], jobs=[job("1", kind="b"), job("2", kind="a")])
        await store.put(BOB, [], jobs=[job("1", owner=BOB, kind="b")])
        order = [await store.claim("w", 60) for _ in range(4)]
        assert [one and (one.owner, one.id) for one in order] == [(ANN, "1"), (ANN, "2"), (BOB, "1"), None]

    async def test_kinds_narrow_a_claim(self, store: Store) -> None:
        await store.put(ANN, [], jobs=[job("1", kind="b"), job("2", kind="a")])
        taken = await store.claim("w", 60, kinds=["a", "c"])
        assert taken is not None
        assert taken.id == "2"
        assert await store.claim("w", 60, kinds=["a", "c"]) is None

    async def test_a_dead_workers_job_is_taken_over(self, store: Store, other: Store) -> None:
        await store.put(ANN, [], jobs=[job("j")])
        dead = await store.claim("dead", 0)
        assert dead is not None
        taken = await other.claim("w", 60)
        assert taken is not None
        assert (taken.id, taken.attempts) == ("j", 2)
        assert await store.finish("dead", dead) is False
        assert await other.finish("w", taken) is True
        assert await other.finish("w", taken) is False
        assert await store.claim("w", 60) is None

    async def test_a_named_job_is_taken_renewed_and_refused(self, store: Store) -> None:
        await store.put(ANN, [], jobs=[job("j"), job("k")])
        taken = await store.claim("w", 60, job=job("j"))
        assert taken is not None
        assert (taken.id, taken.attempts) == ("j", 1)
        assert await store.claim("v", 60, job=job("j")) is None
        renewed = await store.claim("w", 60, job=job("j"))
        assert renewed is not None
        assert renewed.attempts == 1
        assert await store.claim("w", 60, job=job("none")) is None
        assert await store.claim("w", 60, job=job("j", owner=BOB)) is None
        left = await store.claim("v", 60)
        assert left is not None
        assert left.id == "k"

    async def test_a_lease_given_up_frees_the_job(self, store: Store) -> None:
        await store.put(ANN, [], jobs=[job("j")])
        taken = await store.claim("w", 60)
        assert taken is not None
        await store.claim("w", 0, job=taken)
        again = await store.claim("v", 60)
        assert again is not None
        assert again.attempts == 2
