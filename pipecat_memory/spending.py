"""What a memory's model requests cost, by tenant."""

from __future__ import annotations

from typing import Any

from .clients.base import LanguageModel, Usage
from .clients.prices import Prices, bill


class Spending:
    """Of one `Memory`, since this process opened it.

    Args:
        model: what extracts and summarises, where anything does.
        prices: see `Settings.prices`.
    """

    def __init__(self, model: LanguageModel | None, prices: Prices) -> None:
        self._model = model
        self._prices = prices
        self._spent: dict[str, Usage] = {}

    def of(self, tenant: str) -> Usage:
        """Where a tenant's calls are counted."""
        return self._spent.setdefault(tenant, Usage())

    def bill(self, usage: Usage) -> dict[str, Any]:
        """See `CallMemory.usage`."""
        return bill(usage, None if self._model is None else self._model.name, self._prices)
