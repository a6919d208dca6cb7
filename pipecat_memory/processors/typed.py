"""Typed text, which Pipecat brings as two kinds of frame."""

from __future__ import annotations

from collections import deque

from pipecat.frames.frames import Frame

REMEMBERED = 20
"""Texts whose second frame may still come."""


class TypedTexts:
    """Tells a typed text from its second frame, in whatever order the two come."""

    def __init__(self) -> None:
        self._by: dict[type[Frame], deque[str]] = {}

    def new(self, kind: type[Frame], text: str) -> bool:
        """Whether this text, in a frame of that kind, was not brought by the other kind before."""
        for other, texts in self._by.items():
            if other is not kind and text in texts:
                texts.remove(text)
                return False
        self._by.setdefault(kind, deque(maxlen=REMEMBERED)).append(text)
        return True
