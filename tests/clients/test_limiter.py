from __future__ import annotations

import asyncio

import pytest

from pipecat_memory.clients.limiter import Limiter, limiter_of


async def _hold(limiter: Limiter, call: str, order: list[str], gate: asyncio.Event) -> None:
    async with limiter.slot(call):
        order.append(call)
        await gate.wait()


async def _rest() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def test_calls_take_turns_however_many_requests_one_has() -> None:
    limiter, order, gate = Limiter(1), list[str](), asyncio.Event()
    first = asyncio.create_task(_hold(limiter, "x", order, gate))
    await _rest()
    jobs = [asyncio.create_task(_hold(limiter, call, order, gate)) for call in ("a", "a", "a", "b", "c")]
    await _rest()
    assert (limiter.busy, limiter.waiting) == (1, 5)
    gate.set()
    await asyncio.gather(first, *jobs)
    assert order == ["x", "a", "b", "c", "a", "a"]
    assert (limiter.busy, limiter.waiting) == (0, 0)


@pytest.mark.parametrize("handed_over", [False, True])
async def test_a_waiter_that_leaves_takes_no_slot_with_it(handed_over: bool) -> None:
    limiter, order, gate = Limiter(1), list[str](), asyncio.Event()
    first = asyncio.create_task(_hold(limiter, "x", order, gate))
    await _rest()
    waiter = asyncio.create_task(_hold(limiter, "a", order, gate))
    await _rest()
    if handed_over:
        gate.set()
        await asyncio.wait({first})
    waiter.cancel()
    await asyncio.wait({waiter})
    gate.set()
    await first
    await _hold(limiter, "b", order, gate)
    assert order in (["x", "b"], ["x", "a", "b"])
    assert (limiter.busy, limiter.waiting) == (0, 0)


class _Endpoint:
    max_requests = 2

    def __init__(self, endpoint: str) -> None:
        self.endpoint = endpoint


async def test_one_limiter_an_endpoint() -> None:
    assert limiter_of(_Endpoint("http://a")) is limiter_of(_Endpoint("http://a"))
    assert limiter_of(_Endpoint("http://a")) is not limiter_of(_Endpoint("http://b"))
    assert limiter_of(_Endpoint("http://a")).size == 2


def test_loops_share_no_limiter() -> None:
    async def mine() -> Limiter:
        return limiter_of(_Endpoint("http://a"))

    assert asyncio.run(mine()) is not asyncio.run(mine())
