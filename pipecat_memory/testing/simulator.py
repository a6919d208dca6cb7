"""A call told in a few words: what a caller and an agent do, as a front door would report it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import events as ev
from .clock import ManualClock

if TYPE_CHECKING:
    from ..call import CallMemory
    from ..records.summary import Summary


class CallSimulator:
    """Tells a `CallMemory` of a call on a clock that is held: nothing takes longer than it is said to.

    Args:
        call: the call, of a memory that was opened with this clock.
        clock: the held clock.

    Example::

        clock = ManualClock()
        memory = await Memory.open("memory://", clock=clock, embedder=None)
        line = CallSimulator(memory.call(Caller.phone("+15551230001"), call_id="c1"), clock)
        await line.say("my name is Wren Okafor")
        await line.reply("Hello Wren, how can I help?", heard="Hello Wren")
        await line.hang_up()
    """

    def __init__(self, call: CallMemory, clock: ManualClock) -> None:
        self.call = call
        self.clock = clock
        self._replies = 0

    async def say(self, text: str, *, seconds: float = 1.0, **more: Any) -> None:
        """One caller turn.

        Args:
            text: what the recogniser made of it.
            seconds: how long it is spoken.
            **more: other fields of `events.UserFinal`, such as `nbest`, `speaker` or `language`.
        """
        started = self.call.elapsed
        await self.clock.advance(seconds)
        self.call.apply(ev.UserFinal(t=self.call.elapsed, text=text, started=started, **more))
        self.call.apply(ev.TurnEnded(t=self.call.elapsed))
        await self.clock.settle()

    async def press(self, digits: str) -> None:
        """One entry on the keypad."""
        self.call.apply(ev.Dtmf(t=self.call.elapsed, digits=digits, done=True))
        self.call.apply(ev.TurnEnded(t=self.call.elapsed))
        await self.clock.settle()

    async def reply(
        self, text: str, *, heard: str | None = None, seconds: float = 1.0, id: str | None = None
    ) -> None:
        """One reply of the agent.

        Args:
            text: what was generated.
            heard: how much of it the caller heard before cutting in; None = all of it.
            seconds: how long it is spoken.
            id: its id; None counts.
        """
        self._replies += 1
        reply = id or f"reply-{self._replies}"
        self.call.apply(ev.ReplyStarted(t=self.call.elapsed, reply=reply))
        self.call.apply(ev.ReplyText(t=self.call.elapsed, reply=reply, text=text))
        await self.clock.advance(seconds)
        words = text if heard is None else heard
        if words:
            self.call.apply(ev.ReplyHeard(t=self.call.elapsed, reply=reply, text=words))
        cut = heard is not None
        self.call.apply(ev.ReplyEnded(t=self.call.elapsed, reply=reply, interrupted=cut, played=None))
        await self.clock.settle()

    async def hang_up(self, reason: str = "hangup") -> Summary | None:
        """End the call and move the clock until all that follows from it is done.

        Args:
            reason: one of `events.CallEnded.reason`.

        Returns:
            The summary; None where nothing may be kept.
        """
        memory = self.call.memory
        closing = memory.tasks.spawn(self.call.close(reason), "simulated close")
        await self.clock.settle()
        while not closing.done() or memory.busy:
            await self.clock.next()
        return await closing
