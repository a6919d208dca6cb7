"""The agent's tool calls as records: which caller turn each serves, how it ended, whether that was told."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ..records.turn import HistoryItem, ToolRecord
from .agent_side import AgentSide
from .caller_side import CallerSide
from .effects import ToolFinished
from .tools import Tool


class ToolRecords:
    """Looks at the tool calls of the agent's side, in the light of the caller's."""

    def __init__(self, caller: CallerSide, agent: AgentSide) -> None:
        self._caller = caller
        self._agent = agent

    def all(self, last_heard: Callable[[], HistoryItem | None]) -> tuple[ToolRecord, ...]:
        """All on the record, by when they were made.

        Args:
            last_heard: gives the last item of the agent's.
        """
        if not self._agent.tools:
            return ()
        last = last_heard()
        told_at = last.started if last is not None else None
        rows = [self._record(tool, told_at) for tool in self._agent.tools.values()]
        return tuple(sorted((r for r in rows if r is not None), key=lambda r: r.called))

    def finished(self, tools: Iterable[Tool]) -> list[ToolFinished]:
        """Those of these that ended, or ended otherwise than was said."""
        effects: list[ToolFinished] = []
        for tool in list(tools):
            record = self._record(tool, None)
            if record is not None and record.status is not None and record != tool.reported:
                tool.reported = record
                effects.append(ToolFinished(record))
                self._agent.running.pop(tool.id, None)
        return effects

    def _record(self, tool: Tool, told_at: float | None) -> ToolRecord | None:
        if tool.place is None or self._caller.off_record.drops(tool.place):
            return None
        turn = self._caller.before(tool.place)
        return tool.record(turn=turn, given_up=self._agent.given_up(tool), told_at=told_at)
