"""An answer without end, or packed into little: given up by its size, as an error of the tree."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest

from pipecat_memory import Settings
from pipecat_memory.clients.base import ModelRequest
from pipecat_memory.clients.openai import OpenAIModel
from pipecat_memory.errors import ModelAnswerBad
from pipecat_memory.testing.model_server import ModelServer, Served

from ..kit import ended, opened, say, verified
from .test_completion import WHOLE, completion, piece, replied, stream

REQUEST = ModelRequest(purpose="extract", fixed="fixed", text="text", call="c")
GZIP = "Content-Encoding: gzip\r\n"


@pytest.mark.parametrize("status", [200, 500])
@pytest.mark.parametrize("fault", ["endless", "packed"])
async def test_no_body_is_read_beyond_its_bound(fault: Any, status: int) -> None:
    with ModelServer(otherwise=Served(fault=fault, status=status)) as server:
        model = OpenAIModel("stub", base_url=server.url, timeout=60.0)
        with pytest.raises(ModelAnswerBad, match="more than 1000000 bytes"):
            await model.answer(REQUEST)
        await model.aclose()


async def test_who_packs_an_answer_unasked_is_read() -> None:
    body = gzip.compress(json.dumps(completion()).encode())
    assert (await replied(body, more=GZIP)).text == WHOLE


@pytest.mark.parametrize(
    ("body", "more"),
    [
        (b"no gzip at all", GZIP),
        (b"x", "Content-Encoding: br\r\n"),
        (b"x", "Content-Encoding: gzip, gzip\r\n"),
    ],
    ids=["torn", "another way", "twice"],
)
async def test_what_cannot_be_unpacked_is_no_answer(body: bytes, more: str) -> None:
    with pytest.raises(ModelAnswerBad, match="packed"):
        await replied(body, more=more)


async def test_an_answer_in_one_piece_is_no_longer_than_there_is_room_for() -> None:
    assert len((await replied(completion("x" * 100_000))).text) == 100_000
    with pytest.raises(ModelAnswerBad, match="more than 200000 bytes"):
        await replied(completion("x" * 200_000))


async def test_a_long_stream_is_whole_or_none() -> None:
    events = [piece("x" * 100) for _ in range(3000)]
    assert len((await replied(stream(*events, piece(None, "stop")), "text/event-stream")).text) == 300_000
    with pytest.raises(ModelAnswerBad):
        await replied(stream(piece("x" * 200_000), piece(None, "stop")), "text/event-stream")


@pytest.mark.parametrize("fault", ["endless", "packed"])
async def test_a_turn_whose_answer_has_no_end_is_parked(fault: Any) -> None:
    with ModelServer(otherwise=Served(fault=fault)) as server:
        model = OpenAIModel("stub", base_url=server.url, timeout=60.0)
        async with opened(model=model, settings=Settings(model_timeout=60.0)) as (_memory, clock):
            call = _memory.call(verified(), call_id="c1")
            await call.preload()
            await say(call, clock, "I moved to Lyon last year")
            await call.writer.idle()
            assert call.writer.counters["turns_parked"] == 1
            assert call.writer.counters["model_calls"] == 2
            await ended(call, clock)
        await model.aclose()
