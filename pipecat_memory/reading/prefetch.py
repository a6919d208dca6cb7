"""The query's vector, computed in the background while the caller is still speaking.

Keyed by the words themselves: a vector is only ever handed out for the very text it was made of,
so what was computed for a withdrawn or an older turn can't be used for another one.
"""

from __future__ import annotations

import asyncio
import logging
import unicodedata
from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import lru_cache

from ..clients.base import Embedder, Vectors

logger = logging.getLogger(__name__)

Encodings = Callable[[str], Sequence[str]]
"""What of a text to embed; `Index.encodings`."""

KEPT = 32
"""Vectors kept. A turn makes a handful of partials; an agent's follow-up asks for the same text."""


LONGEST = 4_000
"""Characters of a text that is told from others by its words; to fold a longer one takes milliseconds."""


@lru_cache(maxsize=256)
def normalised(text: str) -> str:
    """The key of a text: recognisers change case, spaces and end marks between partial and final."""
    if len(text) > LONGEST:
        return text.strip()
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join("".join(c if c.isalnum() else " " for c in folded).split())


class Prefetch:
    """At most one embedding on its way, of the newest text; the last few results by text.

    Args:
        embedder: None turns all of it off.
        encodings: what of a text to embed.
        probe: a text that is embedded once, along with the first of the others; see `probed`.

    `counters`: `wanted`, `ready` and `late` (of bounded waits), `failed`, `cancelled`.
    """

    def __init__(
        self, embedder: Embedder | None, encodings: Encodings = lambda text: (text,), probe: str = ""
    ) -> None:
        self._embedder = embedder
        self._encodings = encodings
        self._probe = probe
        self.probed: Vectors | None = None
        """What the embedder made of the probe, once it is known."""
        self._done: OrderedDict[str, Vectors] = OrderedDict()
        self._task: asyncio.Task[Vectors] | None = None
        self._key = ""
        self.counters = dict.fromkeys(("wanted", "ready", "late", "failed", "cancelled"), 0)

    def want(self, text: str) -> None:
        """Start embedding `text`, in place of what was on its way. Never blocks, never raises."""
        key = normalised(text)
        if self._embedder is None or not key or key in self._done:
            return
        if self._task is not None and not self._task.done() and self._key == key:
            return
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:  # no loop, no background: recall goes on with keywords
            return
        self.cancel()
        self.counters["wanted"] += 1
        self._key = key
        probes = (self._probe,) if self._probe and self.probed is None else ()
        self._task = loop.create_task(self._embedder.embed((*self._encodings(text), *probes)))
        self._task.add_done_callback(lambda task: self._finished(key, task, probed=bool(probes)))

    def _finished(self, key: str, task: asyncio.Task[Vectors], *, probed: bool) -> None:
        if task.cancelled():
            return
        error = task.exception()
        if error is not None:
            self.counters["failed"] += 1
            logger.warning("a query could not be embedded: %s", type(error).__name__)
            return
        rows = task.result()
        if probed:
            rows, self.probed = rows[:-1], rows[-1]
        self._done[key] = rows
        self._done.move_to_end(key)
        while len(self._done) > KEPT:
            self._done.popitem(last=False)

    def take(self, text: str) -> Vectors | None:
        """The rows of `text` if they are there. Never waits."""
        return self._done.get(normalised(text))

    async def wait(self, text: str, seconds: float | None) -> bool:
        """Wait for the rows of `text`, at most `seconds` (None: until it is known). True = there.

        An embedding that is late goes on and is there for the next inference of the same text.
        """
        if self._embedder is None:
            return False
        self.want(text)
        key = normalised(text)
        if key not in self._done and self._task is not None and self._key == key:
            await asyncio.wait({self._task}, timeout=seconds)
            # The result is filed by a callback of the task, which runs in the loop's next round.
            await asyncio.sleep(0)
        there = key in self._done
        if key:
            self.counters["ready" if there else "late"] += 1
        return there

    async def settled(self, text: str) -> bool:
        """Wait until nothing more is to come for `text`; False where its embedding was dropped.

        For work ahead of the turn's end: it is bounded by the embedding alone and counted as no wait.
        """
        if self._task is None or self._key != normalised(text):
            return self._embedder is None or self.take(text) is not None
        task = self._task
        await asyncio.wait({task})
        return not task.cancelled()

    def cancel(self) -> None:
        """Drop what is on its way: the caller went on, or cut in. What is done stays, by its text."""
        if self._task is not None and not self._task.done():
            self._task.cancel()
            self.counters["cancelled"] += 1
        self._task = None
        self._key = ""
