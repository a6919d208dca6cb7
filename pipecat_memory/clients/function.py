"""Any callable as a `LanguageModel`: another SDK, a model in the process, a test."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from ..errors import ModelAnswerBad
from ..tasks import called
from .base import LanguageModel, ModelReply, ModelRequest
from .openai import OpenAIModel

Answer = str | ModelReply
ModelFunction = Callable[[ModelRequest], Answer | Awaitable[Answer]]


class FunctionModel:
    """Wraps `function(request)`, sync or async, returning text or a `ModelReply`.

    Sync functions run in a worker thread. To report a failure, raise `ModelUnavailable`.
    """

    def __init__(self, function: ModelFunction, name: str | None = None) -> None:
        self._function = function
        self.name = name or getattr(function, "__name__", type(function).__name__)

    async def answer(self, request: ModelRequest) -> ModelReply:
        """Ask the function; see `LanguageModel.answer`."""
        result = await called(self._function, request)
        if isinstance(result, ModelReply):
            return result
        if not isinstance(result, str):
            raise ModelAnswerBad(f"the app's model gave {type(result).__name__}, not a text or a ModelReply")
        return ModelReply(
            text=result, tokens_in=_estimate(request.fixed + request.text), tokens_out=_estimate(result)
        )


def language_model(
    model: str | LanguageModel | ModelFunction | None,
    *,
    base_url: str | None = None,
    api_key: str | None = None,
    timeout: float = 8.0,
    max_requests: int = 4,
) -> LanguageModel | None:
    """What an app hands in as its model, as a `LanguageModel`; None stays None.

    Args:
        model: a name at an OpenAI-compatible endpoint, a `LanguageModel`, or a callable.
        base_url: see `OpenAIModel`.
        api_key: see `OpenAIModel`.
        timeout: seconds for one answer of an endpoint, all in.
        max_requests: requests at once per endpoint and process.
    """
    if model is None or (not isinstance(model, str) and hasattr(model, "answer")):
        return model  # pyright: ignore[reportReturnType]  # hasattr narrows no protocol
    if isinstance(model, str):
        return OpenAIModel(
            model, base_url=base_url, api_key=api_key, timeout=timeout, max_requests=max_requests
        )
    return FunctionModel(model)  # pyright: ignore[reportArgumentType]  # same


def _estimate(text: str) -> int:
    """Tokens, by the rule of thumb of four characters each."""
    return (len(text) + 3) // 4
