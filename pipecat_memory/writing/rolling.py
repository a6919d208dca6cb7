"""A window that rolls: older turns leave the model's view, and a summary of them stands in their place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Generic, TypeVar

from ..config import Settings
from ..reading.briefing import Line, plain, stable_block
from ..reading.window import Mode, Read, leaving, select
from ..records.turn import HistoryItem
from .summary import compress

if TYPE_CHECKING:
    from ..call import CallMemory

M = TypeVar("M")


def earlier_block(text: str, settings: Settings) -> str:
    """The memory element that holds a rolling summary; "" for an empty one."""
    if not text:
        return ""
    lines = [Line(f"window.{i}", "summary", plain(part)) for i, part in enumerate(text.split("\n"))]
    return stable_block(lines, settings.stable_budget, settings.count_tokens).text


class RollingWindow(Generic[M]):
    """Lets older turns leave; under `summary` and `hybrid` only once a summary stands for them.

    The summary is made in the background, between turns; it takes effect with the next turn, never in the
    middle of one. The conversation itself stays whole.

    Args:
        call: whose settings, model and budget count.
        read: reads a message's role and tool calls, see `reading.window.select`.
        text: a message's text, "" where it has none.
    """

    def __init__(self, call: CallMemory, *, read: Read[M], text: Callable[[M], str]) -> None:
        self._call = call
        self._read = read
        self._text_of = text
        self._mode: Mode = call.settings.window
        self._turns = call.settings.window_turns
        self._stay = call.stay
        self._count = 0
        self._covered = 0
        self._text = ""
        self._made: tuple[int, str] | None = None
        self._rolling = False

    def select(self, messages: Sequence[M]) -> list[M]:
        """What the model still gets of `messages`; `block` stands for the rest."""
        if self._mode == "off":
            return list(messages)
        count = sum(self._role(message) == "user" for message in messages)
        if self._call.stay is not self._stay:  # what was said with somebody else is told to nobody
            self._stay, self._covered, self._text, self._made = self._call.stay, self._count, "", None
        if count < self._count:
            self._covered, self._made = 0, None  # the conversation was reset
        if count != self._count and self._made is not None:
            (self._covered, self._text), self._made = self._made, None
        self._count = count
        return select(messages, mode=self._mode, turns=self._turns, covered=self._covered, read=self._read)

    @property
    def block(self) -> str:
        """The memory element that stands for the turns that left; "" while none has."""
        return earlier_block(self._text, self._call.settings)

    async def roll(self, messages: Sequence[M]) -> None:
        """Sum up the turns that should leave next, if any do. Off the reply path."""
        if self._mode not in ("summary", "hybrid") or self._made is not None or self._rolling:
            return
        gone = leaving(messages, mode=self._mode, turns=self._turns, read=self._read)
        starts = [i for i, message in enumerate(messages) if self._role(message) == "user"]
        if gone <= self._covered:
            return
        heard = {item.text: item for item in self._call.course.history() if item.role == "user"}
        items = [
            heard.get(text, HistoryItem("user", text, started=0.0, turn=0))
            if self._role(m) == "user"
            else HistoryItem("assistant", text, started=0.0, turn=0)
            for m in messages[starts[self._covered] : starts[gone]]
            if self._role(m) in ("user", "assistant") and (text := self._text_of(m))
        ]
        self._rolling, stay = True, self._call.stay
        try:
            text = await compress(
                self._call.memory.model,
                call=self._call.id,
                clock=self._call.memory.clock,
                settings=self._call.settings,
                items=items,
                earlier=self._text,
                usage=self._call.writer.usage,
                who=self._call.course.ledger.who,
                aside=self._call.memory.aside,
            )
        finally:
            self._rolling = False
        if stay is self._call.stay:
            self._made = (gone, text)

    def _role(self, message: M) -> str:
        return str((self._read(message) or {}).get("role") or "")
