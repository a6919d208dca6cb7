"""The `openai` SDK, loaded off the event loop: half of it loads with its first client and first request."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TYPE_CHECKING, Any

from .bounded import PLAIN, at_most

if TYPE_CHECKING:
    from openai import AsyncOpenAI

ANSWER = 1_000_000
"""Bytes of one answer of a model. What streams unasked needs some 200 a token: room for 5,000 tokens."""

_WAIT = 5.0
"""Seconds for an answer of this very process."""
_MESSAGE = {"role": "assistant", "content": "{}"}
_ANSWER = {
    "id": "x",
    "object": "chat.completion",
    "created": 0,
    "model": "x",
    "choices": [{"index": 0, "finish_reason": "stop", "message": _MESSAGE}],
    "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
}


@cache
def rehearse() -> None:
    """Take the SDK once through a request to this process itself. Blocks most of a second, the first time.

    Raises:
        ImportError: the SDK is not installed.
    """
    with ThreadPoolExecutor(1) as thread:  # whoever calls may have a loop of their own
        thread.submit(lambda: asyncio.run(_rehearsal())).result()


async def _rehearsal() -> None:
    import openai

    form: Any = {"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "object"}}}
    with contextlib.suppress(OSError, openai.OpenAIError):  # a machine may forbid even this socket
        async with (
            await asyncio.start_server(_answer, "127.0.0.1", 0) as server,
            openai.AsyncOpenAI(
                base_url=f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1",
                api_key="none",
                timeout=_WAIT,
                max_retries=0,
                http_client=openai.DefaultAsyncHttpxClient(trust_env=False),
            ) as client,
        ):
            await chat(client, {"model": "x", "messages": [], "response_format": form})


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.readuntil(b"\r\n\r\n")
    body = json.dumps(_ANSWER).encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    writer.write(f"{head}Connection: close\r\n\r\n".encode() + body)
    await writer.drain()
    writer.close()


def connected(base_url: str, api_key: str, timeout: float) -> AsyncOpenAI:
    """A client of an endpoint. It reads the machine's certificates: call it in a thread."""
    rehearse()
    import openai

    return openai.AsyncOpenAI(
        base_url=base_url, api_key=api_key, timeout=timeout, max_retries=0, http_client=bounded(ANSWER)
    )


def bounded(size: int) -> Any:  # of httpx or of another library of its form: the SDK's versions differ
    """The SDK's own HTTP client, which reads no body of more bytes."""
    import openai

    return openai.DefaultAsyncHttpxClient(event_hooks={"response": [at_most(size)]}, headers=PLAIN)


async def chat(client: AsyncOpenAI, body: dict[str, Any]) -> bytes:
    """The body of a chat completion as it came: to make the SDK's objects of it would hold the loop."""
    return (await client.chat.completions.with_raw_response.create(**body)).content


async def embeddings(client: AsyncOpenAI, model: str, texts: Sequence[str]) -> bytes:
    """The body of an answer with vectors, as it came."""
    vectors = client.embeddings.with_raw_response
    return (await vectors.create(model=model, input=list(texts), encoding_format="float")).content
