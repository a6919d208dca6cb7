"""What tokens cost, by the app's own price table. No prices come along: they change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .base import Usage

Price = tuple[str, float, float] | tuple[str, float, float, float]
"""(model, price of 1M tokens in, of 1M tokens out, of 1M cached tokens in), in whatever currency the app
uses. Without the last one cached tokens cost what others do."""
Prices = Sequence[Price]


def cost_of(usage: Usage, model: str, prices: Prices) -> float | None:
    """What this usage cost with that model; None where the table has no row for it.

    A row's name also covers longer names that begin with it (`gpt-x` for `gpt-x-2026-01-01`); the
    longest one counts.
    """
    rows = [row for row in prices if model == row[0] or model.startswith(f"{row[0]}-")]
    if not rows:
        return None
    _, price_in, price_out, *more = max(rows, key=lambda row: len(row[0]))
    price_cached = more[0] if more else price_in
    total_in, total_out, cached = (
        sum(row.get(name, 0) for row in usage.by_purpose.values())
        for name in ("tokens_in", "tokens_out", "tokens_cached")
    )
    return ((total_in - cached) * price_in + cached * price_cached + total_out * price_out) / 1_000_000


def bill(usage: Usage, model: str | None, prices: Prices) -> dict[str, Any]:
    """What was used, by purpose, and its cost: `{"by_purpose", "tokens", "cost"}`."""
    return {
        "by_purpose": {purpose: dict(row) for purpose, row in usage.by_purpose.items()},
        "tokens": usage.tokens,
        "cost": None if model is None else cost_of(usage, model, prices),
    }
