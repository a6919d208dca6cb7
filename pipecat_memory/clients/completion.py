"""What an endpoint answered. Those that only look compatible leave half of it out, or write it otherwise."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, cast

from ..errors import ModelUnavailable
from .base import Finish, ModelReply

_FINISH: dict[str, Finish] = {"length": "length", "content_filter": "error"}

_MOST = 10_000_000
"""Tokens of one request, beyond which a count is a fault of the endpoint: no model takes as many."""


def reply_of(completion: Any) -> ModelReply:
    """The reply in a chat completion as the SDK gives it.

    Raises:
        ModelUnavailable: there is none in it.
    """
    if isinstance(completion, str):
        return _streamed(completion)
    choices = getattr(completion, "choices", None)
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = getattr(choice, "message", None)
    if message is None:
        raise ModelUnavailable("answer without choices")
    return _made(
        _text(getattr(message, "content", None)),
        getattr(choice, "finish_reason", None),
        getattr(completion, "usage", None),
    )


def _streamed(body: str) -> ModelReply:
    """A reply from an endpoint that streams whether it was asked to or not: its events, put together."""
    text, finish, usage, any_choice = "", None, None, False
    for event in _events(body):
        usage = event.get("usage") or usage
        choices = event.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if not isinstance(choice, dict):
            continue
        found = cast("dict[str, Any]", choice)
        any_choice = True
        finish = found.get("finish_reason") or finish
        delta = found.get("delta") or found.get("message")
        text += _text(cast("dict[str, Any]", delta).get("content")) if isinstance(delta, dict) else ""
    if not any_choice:
        raise ModelUnavailable("answer without choices")
    # A stream that broke off has no reason: what came of it is not whole.
    return _made(text, finish or "length", usage)


def _events(body: str) -> Iterator[dict[str, Any]]:
    for line in body.splitlines():
        if line.startswith("data:"):
            try:
                event = json.loads(line[5:])
            except (ValueError, RecursionError):
                continue  # "[DONE]", a comment, a piece of a page
            if isinstance(event, dict):
                yield cast("dict[str, Any]", event)


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
        tokens_in=_count(_part(usage, "prompt_tokens")),
        tokens_out=_count(_part(usage, "completion_tokens")),
        tokens_cached=_count(_part(details, "cached_tokens")),
    )


def _part(of: Any, name: str) -> Any:
    return cast("dict[str, Any]", of).get(name) if isinstance(of, dict) else getattr(of, name, None)


def _count(value: Any) -> int:
    """Tokens as an endpoint counts them; what can be no count is none, and spends no budget."""
    sound = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST
    return value if sound else 0
