"""A date and a time said together, in the caller's zone."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from functools import partial

from pipecat_memory.notes.spoken.span import Span

_JOINT = 16
"""Characters that may stand between a date and its time: "on Friday, say, at three"."""


def joined(text: str, dates: list[Span], times: list[Span], waits: list[Span], now: datetime) -> list[Span]:
    """Dates with the time that belongs to them; what has no partner stays as it is.

    Args:
        text: the utterance.
        dates: its dates, in order.
        times: its times, in order.
        waits: moments counted from now.
        now: the moment of speaking, in the caller's zone.
    """
    spans = list(waits)
    free = [span for span in times if not any(_overlap(span, wait) for wait in waits)]
    for on in dates:
        if any(_overlap(on, wait) for wait in waits):
            continue
        free = [span for span in free if span.start >= on.end or span.end <= on.start]
        near = [span for span in free if _gap(on, span) <= _JOINT and span.certainty >= 0.5]
        if not near:
            spans.append(on)
            continue
        partner = min(near, key=partial(_gap, on))
        free.remove(partner)
        moment = _moment(text, on, partner, now)
        free = [span for span in free if not _overlap(span, moment)]
        spans.append(moment)
    return sorted([*spans, *free], key=lambda span: span.start)


def _moment(text: str, on: Span, at: Span, now: datetime) -> Span:
    start, end = min(on.start, at.start), max(on.end, at.end)
    when = stamp(date.fromisoformat(on.value), time.fromisoformat(at.value), now)
    sure = min(on.certainty, at.certainty)
    return Span(start, end, text[start:end], when, "datetime", sure, either_half=at.either_half)


def stamp(on: date, at: time, now: datetime) -> str:
    """ISO moment to the minute with the zone's offset on that day."""
    return datetime.combine(on, at, tzinfo=now.tzinfo).isoformat(timespec="minutes")


def wait(start: int, end: int, text: str, length: timedelta, now: datetime) -> Span | None:
    """The moment `length` from now; None beyond the calendar."""
    try:
        when = now + length
    except OverflowError:
        return None
    return Span(start, end, text[start:end], when.isoformat(timespec="minutes"), "datetime", 0.9)


def merge(old: str | None, span: Span, now: datetime) -> str:
    """A moment changed in part: a new day keeps the old time, a new time the old day.

    Args:
        old: the value that stands: ISO moment, date, `HH:MM`, or None.
        span: what was just said, of kind `date`, `time` or `datetime`.
        now: the moment of speaking, in the caller's zone.
    """
    if span.kind == "datetime" or not old:
        return span.value
    old_date, _, old_time = old.partition("T")
    if ":" in old_date:
        old_date, old_time = "", old_date
    if span.kind == "date":
        return (
            stamp(date.fromisoformat(span.value), time.fromisoformat(old_time[:5]), now)
            if old_time
            else span.value
        )
    return (
        stamp(date.fromisoformat(old_date), time.fromisoformat(span.value), now) if old_date else span.value
    )


def _gap(a: Span, b: Span) -> int:
    return max(a.start - b.end, b.start - a.end)


def _overlap(a: Span, b: Span) -> bool:
    return a.start < b.end and b.start < a.end
