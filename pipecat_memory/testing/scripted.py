"""A language model that answers from a script. It proves mechanics, never quality."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..clients.base import Finish, ModelReply, ModelRequest, Purpose
from ..clock import Clock
from ..errors import ModelUnavailable


@dataclass(slots=True)
class ScriptedAnswer:
    """One answer: for a caller turn (`extract`) or the whole call (`turn` None).

    A callable `turn` is asked at each request: late words may fill a turn that was empty when it ended.

    `t` is the earliest moment (clock seconds) it can be given, `delay` seconds it takes.
    """

    call: str
    purpose: Purpose
    text: str
    turn: int | Callable[[], int | None] | None = None
    finish: Finish = "stop"
    t: float = 0.0
    delay: float = 0.0
    used: bool = False


class ScriptedModel:
    """A fake `LanguageModel`: a request takes the first unused answer that fits it."""

    name = "scripted"

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._answers: list[ScriptedAnswer] = []
        self.requests: list[ModelRequest] = []

    def add(self, answer: ScriptedAnswer) -> None:
        self._answers.append(answer)

    @property
    def unused(self) -> int:
        return sum(not answer.used for answer in self._answers)

    def wants(self, call: str, purpose: Purpose, turns: tuple[int, ...] = ()) -> bool:
        """Whether the script holds any answer for this; a turn without one is not sent."""
        return any(self._fits(answer, call, purpose, turns) for answer in self._answers)

    async def answer(self, request: ModelRequest) -> ModelReply:
        self.requests.append(request)
        found = next(
            (
                a
                for a in self._answers
                if not a.used and self._fits(a, request.call, request.purpose, request.turns)
            ),
            None,
        )
        if found is None:
            await self._clock.sleep(3600.0)
            raise ModelUnavailable("the script has no answer for this request")
        found.used = True
        await self._clock.sleep(max(0.0, found.t - self._clock.monotonic()) + found.delay)
        if found.finish == "error":
            raise ModelUnavailable("scripted error")
        if found.finish == "timeout":
            await self._clock.sleep(3600.0)
            raise ModelUnavailable("scripted time-out")
        size = len(request.fixed) + len(request.text)
        return ModelReply(
            text=found.text,
            finish=found.finish,
            tokens_in=size // 4,
            tokens_out=len(found.text) // 4,
        )

    @staticmethod
    def _fits(answer: ScriptedAnswer, call: str, purpose: Purpose, turns: tuple[int, ...]) -> bool:
        if answer.call != call or answer.purpose != purpose:
            return False
        turn = answer.turn() if callable(answer.turn) else answer.turn
        return answer.turn is None or turn in turns
