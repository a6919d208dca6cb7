"""The app's customer look-up: who has this number. Whatever it does, the loop and the call go on."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable

from ..records.caller import Caller
from ..tasks import called

logger = logging.getLogger(__name__)

Resolve = Callable[[str], Awaitable[Caller | None] | Caller | None]
"""The app's: a number in, who has it out, or None. A sync one runs in a worker thread."""


async def look_up(resolve: Resolve, number: str) -> tuple[bool, Caller | None]:
    """Ask the app who has this number. Never raises.

    Returns:
        Whether there was a usable answer, and the answer.
    """
    try:
        answer = await called(resolve, number)
    except Exception as error:  # noqa: BLE001 - the app's code may raise anything; its text may name a caller
        logger.warning("resolve= raised %s; the call goes on by its number", type(error).__name__)
        return False, None
    if answer is None or isinstance(answer, Caller):
        return True, answer
    logger.warning("resolve= gave %s, not a Caller; the call goes on by its number", type(answer).__name__)
    return False, None
