"""What an endpoint answered. Those that only look compatible leave half of it out, or write it otherwise."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, cast

from ..errors import ModelAnswerBad, ModelUnavailable
from .base import Finish, ModelReply, counted

DOCUMENT = 200_000
"""Bytes of an answer in one piece; the longest there is room for is half as long. One call of the decoder
reads it, and holds every thread of the process for as long."""

_FINISH: dict[str, Finish] = {"length": "length", "content_filter": "error"}

_BLANK = b"\xef\xbb\xbf \t\r\n"
"""What may stand before a JSON object: white space, and the mark of UTF-8."""


def reply_of(body: bytes) -> ModelReply:
    """The reply in the body of a chat completion, plain or as a stream of events.

    Raises:
        ModelAnswerBad: it is longer than any answer there is room for.
        ModelUnavailable: there is no reply in it.
    """
    if not body.lstrip(_BLANK).startswith(b"{"):
        return _streamed(body.decode("utf-8", "replace"))
    try:
        found = _read(body)
    except (ValueError, RecursionError) as error:
        raise ModelUnavailable(type(error).__name__) from None
    choice = _first(found)
    message = _part(choice, "message")
    if message is None:
        raise ModelUnavailable("answer without choices")
    return _made(_text(_part(message, "content")), _part(choice, "finish_reason"), _part(found, "usage"))


def _first(of: Any) -> Any:
    """The first choice."""
    choices = _part(of, "choices")
    return cast("list[Any]", choices)[0] if isinstance(choices, list) and choices else None


def _streamed(body: str) -> ModelReply:
    """A reply from an endpoint that streams whether it was asked to or not: its events, put together."""
    pieces: list[str] = []
    finish, usage = None, None
    for event in _events(body):
        usage = event.get("usage") or usage
        choice = _first(event)
        if not isinstance(choice, dict):
            continue
        found = cast("dict[str, Any]", choice)
        finish = found.get("finish_reason") or finish
        pieces.append(_text(_part(found.get("delta") or found.get("message"), "content")))
    if not pieces:
        raise ModelUnavailable("answer without choices")
    # A stream that broke off has no reason: what came of it is not whole.
    return _made("".join(pieces), finish or "length", usage)


def _events(body: str) -> Iterator[dict[str, Any]]:
    for line in body.splitlines():
        if line.startswith("data:"):
            try:
                event = _read(line[5:])
            except (ValueError, RecursionError):
                continue  # "[DONE]", a comment, a piece of a page
            if isinstance(event, dict):
                yield cast("dict[str, Any]", event)


def _read(document: str | bytes) -> Any:
    if len(document) > DOCUMENT:
        raise ModelAnswerBad(f"an answer of more than {DOCUMENT} bytes")
    return json.loads(document)


def _text(content: Any) -> str:
    """The text of a message's content: a string, or the text parts of a list."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = [part for part in cast("list[Any]", content) if isinstance(part, dict)]
    texts = [cast("dict[str, Any]", part).get("text") for part in parts]
    return "".join(text for text in texts if isinstance(text, str))


def _made(text: str, finish: Any, usage: Any) -> ModelReply:
    details = _part(usage, "prompt_tokens_details")
    return ModelReply(
        text=text,
        finish=_FINISH.get(finish, "stop") if isinstance(finish, str) else "stop",
        tokens_in=counted(_part(usage, "prompt_tokens")),
        tokens_out=counted(_part(usage, "completion_tokens")),
        tokens_cached=counted(_part(details, "cached_tokens")),
    )


def _part(of: Any, name: str) -> Any:
    return cast("dict[str, Any]", of).get(name) if isinstance(of, dict) else None
