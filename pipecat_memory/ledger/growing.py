"""A list that grows at its end, and what it held at some moment, which costs nothing to keep.

A call of hours has thousands of turns, and every event is answered with "the turns so far": to copy them
each time would make every event dearer than the one before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Generic, TypeVar, overload

T = TypeVar("T")


class SoFar(Sequence[T], Generic[T]):
    """What a list held at one moment. It never changes, whatever becomes of the list."""

    __slots__ = ("_items", "_size")

    def __init__(self, items: list[T], size: int) -> None:
        self._items = items
        self._size = size

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[T, ...]: ...
    def __getitem__(self, index: int | slice) -> T | tuple[T, ...]:
        if isinstance(index, slice):
            return tuple(self._items[i] for i in range(*index.indices(self._size)))
        return self._items[range(self._size)[index]]

    def __iter__(self) -> Iterator[T]:
        return islice(self._items, self._size)

    def __reversed__(self) -> Iterator[T]:
        return islice(reversed(self._items), len(self._items) - self._size, None)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SoFar | tuple | list):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    __hash__ = None  # pyright: ignore[reportAssignmentType] - compared by what it holds

    def __repr__(self) -> str:
        return f"<SoFar {self._size}>"


class Growing(Generic[T]):
    """Items in order. Taken off its end is only what must be; what was handed out before keeps it."""

    def __init__(self) -> None:
        self._items: list[T] = []
        self._shown = 0
        """How many of them somebody may be looking at."""

    def __len__(self) -> int:
        return len(self._items)

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> list[T]: ...
    def __getitem__(self, index: int | slice) -> T | list[T]:
        return self._items[index]

    def __iter__(self) -> Iterator[T]:
        return iter(self._items)

    def __reversed__(self) -> Iterator[T]:
        return reversed(self._items)

    def append(self, item: T) -> None:
        self._items.append(item)

    def cut(self, size: int) -> list[T]:
        """Keep only the first `size`; returns what was taken off."""
        off = self._items[size:]
        if size < self._shown:
            self._items, self._shown = self._items[:size], 0
        elif off:
            del self._items[size:]
        return off

    def so_far(self) -> SoFar[T]:
        """What it holds now."""
        self._shown = len(self._items)
        return SoFar(self._items, self._shown)
