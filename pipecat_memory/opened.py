"""What is open now, by what it was opened with: who asks for the same shares it, the last one closes it."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Hashable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

T = TypeVar("T")


@dataclass(slots=True)
class _Shared(Generic[T]):
    opening: asyncio.Task[T]
    users: int = 0


class Opened(Generic[T]):
    """Things that are opened once, counted by their users."""

    def __init__(self) -> None:
        self._shared: dict[Hashable, _Shared[T]] = {}

    async def take(self, key: Hashable, opening: Coroutine[Any, Any, T]) -> T:
        """The thing of that key; `opening` runs only where nobody has it or is opening it.

        Raises:
            Whatever `opening` raises, to all who wait for it; the next one tries anew.
        """
        shared = self._shared.get(key)
        if shared is None:
            shared = self._shared[key] = _Shared(asyncio.ensure_future(opening))
        else:
            opening.close()
        shared.users += 1
        try:
            # Who is cancelled leaves the others waiting.
            return await asyncio.shield(shared.opening)
        except BaseException:
            shared.users -= 1
            if shared.users == 0 and not shared.opening.done():
                shared.opening.cancel()
            if (shared.users == 0 or shared.opening.done()) and self._shared.get(key) is shared:
                del self._shared[key]
            raise

    def give_back(self, key: Hashable) -> bool:
        """One user less. True for the last one, who closes it: from here on the key opens a new one."""
        shared = self._shared.get(key)
        if shared is not None:
            shared.users -= 1
            if shared.users > 0:
                return False
            del self._shared[key]
        return True
