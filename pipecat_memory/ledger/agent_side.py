"""What the agent said and did: its replies and tool calls, and where the caller cut in."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Iterable

from ..events import (
    Event,
    Interrupted,
    ReplyEnded,
    ReplyHeard,
    ReplyStarted,
    ReplyText,
    ToolCalled,
    ToolReturned,
)
from .replies import Reply
from .speech import Place
from .tools import Tool


class AgentSide:
    """Replies and tools by id. Pieces that come before their opening event wait for it."""

    def __init__(self) -> None:
        self.replies: dict[str, Reply] = {}
        self.order: list[tuple[Place, str]] = []
        """Started replies, by when they started."""
        self.tools: dict[str, Tool] = {}
        self.running: dict[str, Tool] = {}
        """Tools without a terminal state yet."""
        self._cuts: list[Place] = []
        self._ends: list[Place] = []
        self._over: float | None = None

    def take(self, event: Event, at: Place) -> Reply | Tool | None:
        """Put one event where it belongs; returns what it touched."""
        match event:
            case ReplyStarted():
                return self._start(event, at)
            case ReplyText(reply=id) | ReplyHeard(reply=id) | ReplyEnded(reply=id):
                return self._grow(self.replies.setdefault(id, Reply(id)), event)
            case ToolCalled(id=id):
                tool = self._tool(id)
                tool.called(event, at)
                return tool
            case ToolReturned(id=id):
                tool = self._tool(id)
                tool.came_back(event)
                return tool
            case Interrupted():
                insort(self._cuts, at)
            case _:
                pass
        return None

    def cut(self, at: Place) -> list[Reply]:
        """The caller cut in there: the replies that were running and had not ended."""
        cut = [r for r in self._latest(at) if not r.ended and not r.cut]
        for reply in cut:
            reply.cut = True
        return cut

    def cut_after(self, place: Place) -> bool:
        """Whether the caller cut in at any time after that."""
        return bool(self._cuts) and self._cuts[-1] > place

    def side_ended(self, at: Place) -> None:
        """A turn ended or a reply started: an interruption before it is over."""
        insort(self._ends, at)

    def given_up(self, tool: Tool) -> float | None:
        """When a tool call without a result was given up: at the end of the interruption that
        followed it, or of the call; None while it runs.
        """
        if tool.place is not None:
            after = bisect_right(self._cuts, tool.place)
            if after < len(self._cuts):
                end = bisect_right(self._ends, self._cuts[after])
                if end < len(self._ends):
                    return self._ends[end][0]
        return self._over

    def finish(self, at: Place) -> list[Reply]:
        """The call is over: nothing that runs now will end by itself."""
        self._over = at[0]
        return self.cut((float("inf"), 0))

    def holds(self, event: Event) -> bool:
        """Whether the reply or tool call that an event tells of is known here."""
        match event:
            case ReplyStarted(reply=id) | ReplyText(reply=id) | ReplyHeard(reply=id) | ReplyEnded(reply=id):
                return id in self.replies
            case ToolCalled(id=id) | ToolReturned(id=id):
                return id in self.tools
            case _:
                return False

    def unknown(self) -> Iterable[str]:
        """Ids whose opening event never came."""
        yield from (r.id for r in self.replies.values() if r.place is None)
        yield from (t.id for t in self.tools.values() if t.call is None)

    def discard(self, id: str) -> None:
        """Forget pieces that have no opening event."""
        if (reply := self.replies.get(id)) is not None and reply.place is None:
            del self.replies[id]
        if (tool := self.tools.get(id)) is not None and tool.call is None:
            del self.tools[id]
            self.running.pop(id, None)

    def _start(self, event: ReplyStarted, at: Place) -> Reply:
        reply = self.replies.setdefault(event.reply, Reply(event.reply))
        reply.record = reply.record and event.record
        if reply.place is None or at < reply.place:
            if reply.place is not None:
                self.order.remove((reply.place, reply.id))
            reply.place = at
            insort(self.order, (at, reply.id))
        reply.cut = reply.cut or self._over is not None or self.cut_after(reply.place)
        return reply

    def _grow(self, reply: Reply, event: ReplyText | ReplyHeard | ReplyEnded) -> Reply:
        match event:
            case ReplyText():
                reply.text(event)
            case ReplyHeard():
                reply.hear(event)
            case ReplyEnded():
                reply.end(event)
        return reply

    def _tool(self, id: str) -> Tool:
        if id not in self.tools:
            self.tools[id] = self.running[id] = Tool(id)
        return self.tools[id]

    def _latest(self, at: Place) -> list[Reply]:
        """Replies started before that; those long over are not looked at again."""
        found: list[Reply] = []
        for place, name in reversed(self.order):
            reply = self.replies[name]
            if place < at:
                found.append(reply)
            if len(found) > _AT_ONCE and reply.ended:
                break
        return found


_AT_ONCE = 16
"""More replies than ever run at once."""
