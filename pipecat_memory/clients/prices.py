"""What tokens cost, by the app's own price table. No prices come along: they change."""

from __future__ import annotations

from collections.abc import Sequence

from .base import Usage

Prices = Sequence[tuple[str, float, float]]
"""(model, price of 1M tokens in, price of 1M tokens out), in whatever currency the app uses."""


def cost_of(usage: Usage, model: str, prices: Prices) -> float | None:
    """What this usage cost with that model; None where the table has no row for it.

    A row's name also covers longer names that begin with it (`gpt-x` for `gpt-x-2026-01-01`); the
    longest one counts.
    """
    rows = [row for row in prices if model == row[0] or model.startswith(f"{row[0]}-")]
    if not rows:
        return None
    _, price_in, price_out = max(rows, key=lambda row: len(row[0]))
    used = usage.by_purpose.values()
    total_in, total_out = sum(row["tokens_in"] for row in used), sum(row["tokens_out"] for row in used)
    return (total_in * price_in + total_out * price_out) / 1_000_000
