"""Endpoints that only look compatible: what of their answers is a reply, and what is none."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from pipecat_memory.clients.base import ModelReply, ModelRequest
from pipecat_memory.clients.openai import OpenAIModel
from pipecat_memory.errors import ModelUnavailable

REQUEST = ModelRequest(purpose="extract", fixed="fixed", text="text", call="c")
WHOLE = '{"facts":[]}'


@asynccontextmanager
async def answering(body: bytes, kind: str, status: int, more: str = "") -> AsyncGenerator[OpenAIModel]:
    """A model at an endpoint that answers every request with this."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        head = f"HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n{more}"
        writer.write(f"{head}Connection: close\r\n\r\n".encode() + body)
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        model = OpenAIModel("stub", base_url=url, timeout=60.0)
        try:
            yield model
        finally:
            await model.aclose()


async def replied(body: Any, kind: str = "application/json", status: int = 200, more: str = "") -> ModelReply:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    async with answering(raw, kind, status, more) as model:
        return await model.answer(REQUEST)


def completion(content: Any = WHOLE, finish: Any = "stop", **more: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": content}
    return {"id": "x", "choices": [{"index": 0, "finish_reason": finish, "message": message}]} | more


def usage(cached: Any = 0, **counts: Any) -> dict[str, Any]:
    return counts | {"prompt_tokens_details": {"cached_tokens": cached}}


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (WHOLE, WHOLE),
        ([{"type": "text", "text": WHOLE}], WHOLE),
        ([{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": WHOLE}], WHOLE),
        ([{"text": '{"facts"'}, {"text": ":[]}"}, {"text": 5}, "x", None], WHOLE),
        (None, ""),
        ({"facts": []}, ""),
        (5, ""),
        (True, ""),
        ([], ""),
    ],
)
async def test_content_in_any_form(content: Any, text: str) -> None:
    assert (await replied(completion(content))).text == text


@pytest.mark.parametrize(
    ("finish", "read"),
    [("stop", "stop"), ("length", "length"), ("content_filter", "error"), (None, "stop"), (7, "stop"),
     (["length"], "stop"), ("eos", "stop")],
)  # fmt: skip
async def test_the_reason_of_an_end_in_any_form(finish: Any, read: str) -> None:
    assert (await replied(completion(finish=finish))).finish == read


@pytest.mark.parametrize(
    ("told", "counted"),
    [
        (usage(prompt_tokens=12, completion_tokens=3, cached=8), (12, 3, 8)),
        (usage(prompt_tokens=-5, completion_tokens=-1, cached=-9), (0, 0, 0)),
        (usage(prompt_tokens=10**30, completion_tokens=3), (0, 3, 0)),
        (usage(prompt_tokens=True, completion_tokens=1.5), (0, 0, 0)),
        (usage(prompt_tokens=None, completion_tokens="x"), (0, 0, 0)),
        ({"prompt_tokens": 4, "completion_tokens": 2, "prompt_tokens_details": "x"}, (4, 2, 0)),
        ("x", (0, 0, 0)),
        ([1], (0, 0, 0)),
        (None, (0, 0, 0)),
    ],
)
async def test_a_count_that_can_be_none_spends_no_budget(told: Any, counted: tuple[int, int, int]) -> None:
    reply = await replied(completion(usage=told))
    assert (reply.tokens_in, reply.tokens_out, reply.tokens_cached) == counted


@pytest.mark.parametrize(
    "body",
    [
        {"choices": []}, {"choices": None}, {"choices": "abc"}, {"choices": [None]}, {"choices": ["x"]},
        {"choices": [{"message": None}]}, {"error": {"message": "boom"}}, [1, 2], "hello", None, 7,
        b"[" * 200_000, b'{"choices":[{"message":{"content":"\xe9\xff"}}]}', b"",
    ],
    ids=lambda body: str(body)[:20],
)  # fmt: skip
async def test_a_body_without_an_answer_is_no_answer(body: Any) -> None:
    with pytest.raises((ModelUnavailable, RecursionError, ValueError)) as caught:
        await replied(body)
    assert "boom" not in str(caught.value)


def stream(*events: Any) -> bytes:
    rows = [event if isinstance(event, str) else json.dumps(event) for event in events]
    return "".join(f"data: {row}\n\n" for row in rows).encode()


def piece(text: Any, finish: Any = None) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": finish}]}


COUNTS = {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 4}}


@pytest.mark.parametrize(
    ("events", "text", "finish"),
    [
        ([piece('{"facts"'), piece(":[]}"), piece(None, "stop"), COUNTS, "[DONE]"], WHOLE, "stop"),
        ([piece('{"facts"'), piece(":[]}", "length"), COUNTS], WHOLE, "length"),
        ([piece('{"facts"'), COUNTS], '{"facts"', "length"),
        (["nothing", [1], {"choices": [7]}, piece(WHOLE, "stop"), COUNTS], WHOLE, "stop"),
    ],
    ids=["whole", "cut", "broken off", "odd"],
)
async def test_an_endpoint_that_streams_unasked_is_read(events: list[Any], text: str, finish: str) -> None:
    reply = await replied(stream(*events), "text/event-stream")
    assert (reply.text, reply.finish, reply.tokens_in, reply.tokens_out) == (text, finish, 9, 4)


async def test_a_stream_without_an_answer_is_no_answer() -> None:
    with pytest.raises(ModelUnavailable):
        await replied(stream("[DONE]"), "text/event-stream")


async def test_nobody_waits_an_hour_for_an_endpoint_that_asks_for_it() -> None:
    body = {"error": {"message": "slow down"}}
    with pytest.raises(ModelUnavailable, match="status 429"):
        await replied(body, status=429, more="Retry-After: 3600\r\n")
