"""Everything that is slow the first time, loaded before the first call."""

from __future__ import annotations

import importlib.util

from .clients.choice import offered
from .clients.sdk import rehearse
from .clients.use import sentence_encoder
from .notes import fusion
from .reading.tokens import default_counter


def prewarm() -> None:
    """Load embedder, tokenizer, name tables and, where `OPENAI_*` names one, what a model's endpoint needs.

    No caller pays for it then.

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
    if offered() and importlib.util.find_spec("openai") is not None:
        rehearse()
