"""The agent's tool calls: told as they begin, and once more when each is over."""

from __future__ import annotations

import json
from typing import Any, Literal

from livekit.agents import AgentSession, llm
from livekit.agents.voice.events import (
    FunctionToolsExecutedEvent,
    ToolCallEnded,
    ToolCallStarted,
    ToolExecutionUpdatedEvent,
)

from pipecat_memory import CallMemory
from pipecat_memory import events as ev
from pipecat_memory.own_tools import OWN_TOOLS


class ToolCalls:
    """Follows the tool calls of one session, but not those of memory's own tools.

    A call that LiveKit refuses (an unknown tool, a duplicate) never begins and is told with its answer.
    """

    def __init__(self, session: AgentSession[Any], call: CallMemory) -> None:
        self._session = session
        self._call = call
        self._called: set[str] = set()
        self._running: set[str] = set()
        self._over: set[str] = set()
        self._ended: dict[str, tuple[Literal["ok", "error"], str]] = {}

    def updated(self, event: ToolExecutionUpdatedEvent) -> None:
        """A tool began, or is over; its progress is no result."""
        match event.update:
            case ToolCallStarted(function_call=called) if called.name not in OWN_TOOLS:
                self._running.add(called.call_id)
                self._begun(called)
            case ToolCallEnded(call_id=id, status=status) if id in self._called:
                self._running.discard(id)
                if status == "cancelled":
                    self._returned(id, "cancelled")
                elif event.update.id != id:
                    self._finished_later(id, event.update.id)
                else:
                    done = status == "done"
                    self._ended[id] = ("ok", event.update.message or "") if done else ("error", "")
            case _:
                pass

    def executed(self, event: FunctionToolsExecutedEvent) -> None:
        """What the model is told of its calls."""
        for called, output in event.zipped():
            if called.name in OWN_TOOLS:
                continue
            self._begun(called)
            # A tool that told of its progress goes on behind it; what counts is how it ends.
            if called.call_id not in self._running:
                self._returned(called.call_id, "error" if output.is_error else "ok", output.output)

    def settle(self) -> None:
        """Take tools that ended and of which no more was told: LiveKit had given up their reply."""
        for id, (status, result) in tuple(self._ended.items()):
            self._returned(id, status, result)

    def _finished_later(self, id: str, entry: str) -> None:
        """A tool that had told of its progress: the event holds the raw result, the history what was told."""
        for item in reversed(self._session.history.items):
            if isinstance(item, llm.FunctionCallOutput) and item.call_id == entry:
                self._returned(id, "error" if item.is_error else "ok", item.output)
                return
        self._returned(id, "ok")

    def _begun(self, called: llm.FunctionCall) -> None:
        if called.call_id not in self._called:
            self._called.add(called.call_id)
            self._call.apply(
                ev.ToolCalled(
                    t=self._call.elapsed, id=called.call_id, name=called.name, args=_args(called.arguments)
                )
            )

    def _returned(self, id: str, status: Literal["ok", "error", "cancelled"], result: str = "") -> None:
        self._ended.pop(id, None)
        if id not in self._over:
            self._over.add(id)
            self._call.apply(ev.ToolReturned(t=self._call.elapsed, id=id, status=status, result=result))


def _args(raw: str) -> dict[str, Any]:
    try:
        decoded = json.loads(raw) if raw else {}
    except (ValueError, RecursionError):
        return {}
    return decoded if isinstance(decoded, dict) else {}
