"""Long work of the deep path, beside the event loop that carries the audio."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from ..stores.caller_file import Gauge
from ..tasks import in_thread

T = TypeVar("T")

SHORT = 400
"""Characters that are looked at here and now: cleaning and grounding take about 5 microseconds each."""

_THREAD = ThreadPoolExecutor(1, thread_name_prefix="pipecat-memory-aside")
"""One: several that compute would keep the event loop from its turn for longer."""


class Aside:
    """Runs pure functions: short ones at once, long ones in a thread.

    Args:
        gauge: shows that one is under way, for a held clock has to know.
    """

    def __init__(self, gauge: Gauge | None = None) -> None:
        self._gauge = gauge or Gauge()

    async def run(self, function: Callable[[], T], *, chars: int) -> T:
        """What the function gives.

        Args:
            function: pure; it sees only what does not change meanwhile.
            chars: about how many characters it looks at.
        """
        if chars <= SHORT:
            return function()
        with self._gauge.one():
            return await in_thread(function, thread=_THREAD)
