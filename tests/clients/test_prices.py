from __future__ import annotations

import pytest

from pipecat_memory import Settings
from pipecat_memory.clients.base import ModelReply, ModelRequest, Usage
from pipecat_memory.clients.prices import Prices, bill, cost_of

from ..kit import ended, opened, say, verified

PRICES: Prices = (("big", 10.0, 30.0), ("big-mini", 1.0, 2.0), ("cached", 10.0, 30.0, 1.0))


@pytest.mark.parametrize(
    ("model", "cost"),
    [
        ("big", 0.05),
        ("big-2026-01-01", 0.05),
        ("big-mini", 0.004),
        ("big-mini-7", 0.004),
        ("cached", 0.041),
        ("bigger", None),
    ],
)
def test_cost_by_the_apps_price_table(model: str, cost: float | None) -> None:
    usage = Usage()
    usage.add("extract", ModelReply(text="", tokens_in=1500, tokens_out=500, tokens_cached=1000))
    usage.add("summarise", ModelReply(text="", tokens_in=500, tokens_out=500))
    assert cost_of(usage, model, PRICES) == (pytest.approx(cost) if cost is not None else None)


def test_without_a_table_or_a_model_there_is_no_cost() -> None:
    assert cost_of(Usage(), "big", ()) is None
    assert bill(Usage(), None, PRICES) == {"by_purpose": {}, "tokens": 0, "cost": None}


def test_a_bill_is_a_copy() -> None:
    usage = Usage()
    usage.add("extract", ModelReply(text="", tokens_in=1, tokens_out=2))
    bill(usage, "big", PRICES)["by_purpose"]["extract"]["requests"] = 9
    assert usage.by_purpose["extract"] == {"requests": 1, "tokens_in": 1, "tokens_out": 2}


async def big(request: ModelRequest) -> ModelReply:
    text = '{"facts":[]}' if request.purpose == "extract" else '{"text":"They talked."}'
    return ModelReply(text=text, tokens_in=1000, tokens_out=100, tokens_cached=800)


async def test_a_call_and_its_tenant_have_a_bill() -> None:
    settings = Settings(strict=True, prices=(("big", 10.0, 30.0, 1.0),))
    async with opened(model=big, settings=settings) as (memory, clock):
        bills = {}
        for name, tenant in (("c1", None), ("c2", None), ("c3", "other")):
            call = memory.call(verified(), call_id=name, tenant=tenant)
            await call.preload()
            await say(call, clock, "my name is Wren Okafor")
            await ended(call, clock)
            bills[name] = call.usage()
    row = {"requests": 1, "tokens_in": 1000, "tokens_out": 100, "tokens_cached": 800}
    assert bills["c1"]["by_purpose"] == {"extract": row, "summarise": row}
    assert bills["c1"]["tokens"] == 2200
    assert bills["c1"]["cost"] == pytest.approx(2 * (200 * 10 + 800 * 1 + 100 * 30) / 1e6)
    both = memory.usage()
    assert both["by_purpose"]["extract"] == {name: 2 * size for name, size in row.items()}
    assert both["cost"] == pytest.approx(bills["c1"]["cost"] + bills["c2"]["cost"])
    assert memory.usage("other") == bills["c3"]
    assert memory.usage("nobody's")["tokens"] == 0
