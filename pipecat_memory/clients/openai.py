"""Any OpenAI-compatible endpoint as a `LanguageModel`, over the `openai` SDK (extra `openai`)."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from ..errors import ModelUnavailable, UsedWrongly
from . import sdk
from .base import ModelReply, ModelRequest
from .bounded import size_fault
from .completion import reply_of

if TYPE_CHECKING:
    from openai import AsyncOpenAI

OPENAI = "https://api.openai.com/v1"
SHORT = 20_000
"""Bytes of an answer that is read at once; a stream of as many takes about a millisecond."""


@dataclass(frozen=True, slots=True)
class _Dialect:
    """What an endpoint turned out to understand."""

    output: Literal["schema", "json", "plain"] = "schema"
    room: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    cold: bool = True

    def without(self, complaint: str) -> _Dialect | None:
        """The next simpler dialect after a refusal; None where there is none."""
        if "max_completion_tokens" in complaint and self.room == "max_tokens":
            return replace(self, room="max_completion_tokens")
        if "temperature" in complaint and self.cold:
            return replace(self, cold=False)
        if self.output == "schema":
            return replace(self, output="json")
        if self.output == "json":
            return replace(self, output="plain")
        return None


_DIALECTS: dict[tuple[str, str], _Dialect] = {}
"""What each (endpoint, model) of this process is known to understand."""


class OpenAIModel:
    """A model behind an OpenAI-compatible chat endpoint.

    The deadline is one and measured here, around everything: the SDK's own retries are off.

    Args:
        model: the model's name at the endpoint.
        base_url: the endpoint, such as `http://127.0.0.1:8091/v1`; None takes OpenAI's.
        api_key: its key; local endpoints need none.
        timeout: seconds for one answer, all in.
        max_requests: requests at once, over all calls of this process.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout: float = 8.0,
        max_requests: int = 4,
    ) -> None:
        if not api_key and base_url is None:
            raise UsedWrongly("OpenAIModel: give api_key, or base_url of an endpoint that needs none")
        self.name = model
        self.endpoint = (base_url or OPENAI).rstrip("/")
        self.max_requests = max_requests
        self._key = api_key or "none"
        self._timeout = timeout
        self._client: AsyncOpenAI | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def __repr__(self) -> str:
        return f"<OpenAIModel {self.name}>"

    async def answer(self, request: ModelRequest) -> ModelReply:
        """Ask once; see `LanguageModel.answer`. A deadline that ran out is `finish="timeout"`."""
        client = await self._connect()  # before the deadline: to import the SDK is no delay of the endpoint's
        try:
            async with asyncio.timeout(self._timeout):
                return await self._ask(client, request)
        except TimeoutError:
            return ModelReply(text="", finish="timeout")

    async def aclose(self) -> None:
        """Close the connections of this loop. Idempotent."""
        client, self._client = self._client, None
        if client is not None and self._loop is asyncio.get_running_loop():
            await client.close()

    async def _ask(self, client: AsyncOpenAI, request: ModelRequest) -> ModelReply:
        from openai import APIStatusError, APITimeoutError, OpenAIError

        dialect: _Dialect | None = _DIALECTS.get((self.endpoint, self.name), _Dialect())
        while dialect is not None:
            try:
                body = await sdk.chat(client, self._body(request, dialect))
            except APITimeoutError:
                raise TimeoutError from None
            except APIStatusError as error:
                if error.status_code not in (400, 422):
                    raise ModelUnavailable(f"status {error.status_code}") from None
                dialect = dialect.without(error.message)
                continue
            except OpenAIError as error:
                raise size_fault(error) or ModelUnavailable(type(error).__name__) from None
            reply = await asyncio.to_thread(reply_of, body) if len(body) > SHORT else reply_of(body)
            _DIALECTS[self.endpoint, self.name] = dialect
            return reply
        raise ModelUnavailable("status 400 in every output mode")

    async def warm(self) -> None:
        """Load what a request needs, off the loop; see `Warmable`."""
        await self._connect()

    async def _connect(self) -> AsyncOpenAI:
        # A client belongs to one loop: an app may run one loop after another in a process.
        loop = asyncio.get_running_loop()
        if self._client is not None and self._loop is loop:
            return self._client
        client = await asyncio.to_thread(sdk.connected, self.endpoint, self._key, self._timeout)
        if self._client is None or self._loop is not loop:  # else another request was quicker
            self._client, self._loop = client, loop
        return self._client

    def _body(self, request: ModelRequest, dialect: _Dialect) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self.name,
            "messages": [
                {"role": "system", "content": request.fixed},
                {"role": "user", "content": request.text},
            ],
            dialect.room: request.max_tokens,
        }
        if dialect.cold:
            body["temperature"] = 0
        if request.schema is not None and dialect.output == "schema":
            shape = {"name": request.purpose, "schema": request.schema, "strict": False}
            body["response_format"] = {"type": "json_schema", "json_schema": shape}
        elif request.schema is not None and dialect.output == "json":
            body["response_format"] = {"type": "json_object"}
        return body
