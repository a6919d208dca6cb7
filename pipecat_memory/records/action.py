"""What the agent did: one small record a reply or tool call (at most 2 kB)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Action:
    """One step of the agent. `sources` are ids of briefing lines it was told before it spoke."""

    step: str
    call: str
    turn: int
    reply: str | None = None
    heard: str = ""
    tools: tuple[dict[str, Any], ...] = ()
    sources: tuple[str, ...] = ()
    error: str = "none"
    corrections: tuple[dict[str, Any], ...] = ()

    def __repr__(self) -> str:
        return f"<Action {self.step}>"

    def report(self) -> dict[str, Any]:
        body: dict[str, Any] = {"step": self.step, "call": self.call, "turn": self.turn}
        if self.reply is not None:
            body["reply"] = self.reply
        return body | {
            "heard": self.heard,
            "tools": list(self.tools),
            "sources": list(self.sources),
            "error": self.error,
            "corrections": list(self.corrections),
        }
