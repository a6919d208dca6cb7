"""Everything that is slow the first time, loaded before the first call."""

from __future__ import annotations

from .clients.use import sentence_encoder
from .notes import fusion
from .reading.tokens import default_counter


def prewarm() -> None:
    """Load embedder, tokenizer and name tables now, so that no caller pays for it.

    Sync, for start-up: LiveKit's `setup_fnc`, or a module's top level. About a second.

    An app that minds every pause lets the collector leave out what is loaded by now, some 35 ms of each
    full round. That is the app's to decide, since it holds for the whole process::

        prewarm()
        gc.collect()
        gc.freeze()
    """
    sentence_encoder()
    default_counter()
    fusion.prewarm()
