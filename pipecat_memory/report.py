"""A call as the replay report shows it (design: the replay format)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .call import CallMemory
    from .calls.stay import Stay
    from .records.summary import Summary
    from .writing.parting import Parting


def call_report(
    call: CallMemory, caller: str | None, *, usage: dict[str, dict[str, int]] | None = None
) -> dict[str, Any]:
    """One entry of the report's `calls`: of who is on the line."""
    used = call.writer.usage.by_purpose if usage is None else usage
    return _report(call.id, call.stay, caller, call.summary, used)


async def parting_report(left: Parting) -> dict[str, Any]:
    """The same of who left the line before; their part was settled by itself."""
    name = left.meta.call
    meta = (await left.file.load()).calls.get(name) if left.file is not None else None
    summary = meta.summaries[-1] if meta is not None and meta.summaries else None
    return _report(name, left.stay, left.caller.id, summary, meta.usage if meta is not None else {})


def _report(
    call: str, stay: Stay, caller: str | None, summary: Summary | None, usage: dict[str, dict[str, int]]
) -> dict[str, Any]:
    course = stay.course
    return {
        "call": call,
        "caller": caller,
        "outcome": course.outcome,
        "history": [item.report() for item in course.history()],
        "state": course.state_report(),
        "changes": [change.report() for change in course.notes.changes],
        "next": [step.report() for step in course.next_log],
        "briefings": list(stay.briefings),
        "tools": [tool.report() for tool in course.ledger.tools],
        "summary": summary.report() if summary else None,
        "usage": usage,
    }
