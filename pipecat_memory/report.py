"""A call as the replay report shows it (design: the replay format)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .call import CallMemory


def call_report(
    call: CallMemory, caller: str | None, *, usage: dict[str, dict[str, int]] | None = None
) -> dict[str, Any]:
    """One entry of the report's `calls`."""
    course = call.course
    used = call.writer.usage.by_purpose if usage is None else usage
    return {
        "call": call.id,
        "caller": caller,
        "outcome": course.outcome,
        "history": [item.report() for item in course.history()],
        "state": course.state_report(),
        "changes": [change.report() for change in course.notes.changes],
        "next": [step.report() for step in course.next_log],
        "briefings": list(call.telling.briefings),
        "tools": [tool.report() for tool in course.ledger.tools],
        "summary": call.summary.report() if call.summary else None,
        "usage": used,
    }
