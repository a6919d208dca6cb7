from __future__ import annotations

import pytest

from pipecat_memory.clients.base import ModelReply, Usage
from pipecat_memory.clients.prices import cost_of

PRICES = (("big", 10.0, 30.0), ("big-mini", 1.0, 2.0))


@pytest.mark.parametrize(
    ("model", "cost"),
    [("big", 0.05), ("big-2026-01-01", 0.05), ("big-mini", 0.004), ("big-mini-7", 0.004), ("bigger", None)],
)
def test_cost_by_the_apps_price_table(model: str, cost: float | None) -> None:
    usage = Usage()
    usage.add("extract", ModelReply(text="", tokens_in=1500, tokens_out=500))
    usage.add("summarise", ModelReply(text="", tokens_in=500, tokens_out=500))
    assert cost_of(usage, model, PRICES) == (pytest.approx(cost) if cost is not None else None)


def test_without_a_table_there_is_no_cost() -> None:
    assert cost_of(Usage(), "big", ()) is None
