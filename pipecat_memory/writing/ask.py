"""Asking a model: through its endpoint's limiter, under one deadline, with one more try."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any, Protocol, TypeVar, runtime_checkable

from ..clients.base import LanguageModel, ModelReply, ModelRequest, Purpose, Usage, Warmable, counted
from ..clients.limiter import limiter_of
from ..clock import Clock
from ..errors import ModelAnswerBad, ModelError, ModelUnavailable
from ..tasks import called
from .aside import Aside

T = TypeVar("T")

PAUSE = 0.5
"""Seconds before the second try of a model that gave no answer."""

LOADING = 60.0
"""Seconds for a model to load what it needs; weights of 1 GB take 4 on two cores."""

MORE_ROOM = 2
"""How much more room the second try gives to an answer."""

LONGEST = 100_000
"""Characters of an answer; there is room for a third of it. More is a model that repeats itself."""

READ = 3
"""Characters of an answer that are read in the time of one that is grounded."""

_stragglers: set[asyncio.Future[Any]] = set()
"""Requests past their deadline that have not yet noticed that they were cancelled."""


@runtime_checkable
class Choosy(Protocol):
    """A model that says beforehand what it would not answer: a script, a rule."""

    def wants(self, call: str, purpose: Purpose, turns: tuple[int, ...] = ()) -> bool: ...


async def ask(
    model: LanguageModel,
    request: ModelRequest,
    read: Callable[[ModelReply], T],
    *,
    clock: Clock,
    seconds: float,
    usage: Usage,
    aside: Aside | None = None,
) -> T:
    """Ask, read, and ask once more where the first answer can't be used.

    Args:
        model: whom to ask.
        request: what; the second try is the same with more room.
        read: turns a reply into a result or raises `ModelAnswerBad`.
        clock: measures the deadline.
        seconds: for one answer, all in, whatever the client does inside. To load an SDK is no part of it.
        usage: where requests and tokens are counted.
        aside: where a long answer is read.

    Raises:
        ModelError: both tries failed.
    """

    async def tried(request: ModelRequest) -> T:
        reply = await _answer(model, request, clock, seconds, usage)
        return await (aside or Aside()).run(lambda: read(reply), chars=len(reply.text) // READ)

    try:
        return await tried(request)
    except ModelUnavailable:
        await clock.sleep(PAUSE)
    except ModelAnswerBad:
        pass
    again = replace(request, attempt=2, max_tokens=request.max_tokens * MORE_ROOM)
    return await tried(again)


async def _answer(
    model: LanguageModel, request: ModelRequest, clock: Clock, seconds: float, usage: Usage
) -> ModelReply:
    if isinstance(model, Warmable):
        await _within(called(model.warm), clock, LOADING)
    async with limiter_of(model).slot(request.call):
        try:
            reply = _looked_at(await _within(called(model.answer, request), clock, seconds))
        except ModelError:
            usage.add(request.purpose, ModelReply(text="", finish="error"))
            raise
    usage.add(request.purpose, reply)
    if reply.finish in ("timeout", "error"):
        raise ModelUnavailable(f"finish {reply.finish}")
    return reply


async def _within(asked: Awaitable[Any], clock: Clock, seconds: float) -> Any:
    """What a model gives in that time, whatever it raises instead."""
    work = asyncio.ensure_future(asked)
    bell = asyncio.ensure_future(clock.sleep(seconds))
    try:
        await asyncio.wait({work, bell}, return_when=asyncio.FIRST_COMPLETED)
        if not work.done():
            raise ModelUnavailable("no answer in time")
        return work.result()
    except ModelError:
        raise
    except asyncio.CancelledError:
        if not work.cancelled():
            raise
        # We were not cancelled, or the wait had raised: something inside the model gave itself up.
        raise ModelUnavailable("the model's own work was cancelled") from None
    except Exception as error:  # noqa: BLE001  # the one guard: an app's own model may raise anything
        raise ModelUnavailable(type(error).__name__) from None
    finally:
        _abandon(bell)
        _abandon(work)


def _looked_at(reply: Any) -> ModelReply:
    if not isinstance(reply, ModelReply) or not isinstance(reply.text, str):  # pyright: ignore[reportUnnecessaryIsInstance] - an app's own model may give anything
        raise ModelAnswerBad(f"the model gave {type(reply).__name__}, not a ModelReply with a text")
    if len(reply.text) > LONGEST:
        raise ModelAnswerBad(f"an answer of {len(reply.text)} characters")
    return replace(
        reply,
        tokens_in=counted(reply.tokens_in),
        tokens_out=counted(reply.tokens_out),
        tokens_cached=counted(reply.tokens_cached),
    )


def _abandon(future: asyncio.Future[Any]) -> None:
    """Cancel without waiting: a client that is slow to notice must not stretch the deadline."""
    if future.done():
        return
    future.cancel()
    _stragglers.add(future)
    future.add_done_callback(_forget)


def _forget(future: asyncio.Future[Any]) -> None:
    _stragglers.discard(future)
    if not future.cancelled():
        future.exception()  # seen; the deadline was already reported
