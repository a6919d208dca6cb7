"""What a caller takes back: the last words, and what only asks to forget them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..events import MemoryForgetLast
from ..ledger.forgetting import only_asks_to_forget

if TYPE_CHECKING:
    from ..call import CallMemory

_MOMENT = 0.001
"""Seconds between two requests: of one moment they would count once. What follows is not stamped before."""


def take_back(call: CallMemory) -> int:
    """See `CallMemory.forget_last`."""
    call.catch_up()
    for _ in range(3):  # the request may have come in two turns
        turns = call.course.ledger.turns
        if not turns:
            break
        call.apply(MemoryForgetLast(t=call.elapsed))
        call.not_before = call.elapsed + _MOMENT
        gone = all(turn.key != turns[-1].key for turn in call.course.ledger.turns)
        if gone and not only_asks_to_forget(turns[-1].text):
            return 1
    return 0
