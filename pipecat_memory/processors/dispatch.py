"""Frame type -> handler, subclasses included; one dictionary look-up a frame once a type was seen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pipecat.frames.frames import Frame

Handler = Callable[[Any], None]


class Dispatch:
    """Calls the handler of a frame's nearest type.

    Args:
        handlers: by frame type; a subclass without its own takes its base's.
    """

    def __init__(self, handlers: Mapping[type[Frame], Handler]) -> None:
        self._handlers = handlers
        self._found: dict[type[Frame], Handler | None] = {}

    def __call__(self, frame: Frame) -> None:
        if (handler := self.of(frame)) is not None:
            handler(frame)

    def of(self, frame: Frame) -> Handler | None:
        """The handler of `frame`, or None."""
        kind = type(frame)
        if kind not in self._found:
            self._found[kind] = next((self._handlers[k] for k in kind.__mro__ if k in self._handlers), None)
        return self._found[kind]
