"""A day or a time said in part: the part that was not said stands as it was."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date, time
from zoneinfo import ZoneInfo

from pipecat_memory.notes.mention import Mention, Moment
from pipecat_memory.notes.personal import is_birthday
from pipecat_memory.notes.spoken import calendar_days
from pipecat_memory.notes.spoken.moments import stamp
from pipecat_memory.records.call_state import SlotValue
from pipecat_memory.records.schema import Slot

_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_CLOCK = re.compile(r"\d\d:\d\d")


def completed(said: Mention, slot: Slot, held: SlotValue | None, moment: Moment) -> Mention:
    """The mention with what was not said taken from what stands: the month, the day or the time."""
    if slot.type not in ("date", "datetime") or held is None or not isinstance(said.value, str):
        return said
    standing = str(held.value)
    day, clock = _DAY.match(standing), _CLOCK.search(standing)
    if said.day_part == "day" and day:
        said = _in_month(said, day.group(), moment, past=is_birthday(slot))
    elif is_birthday(slot) and day and said.value >= moment.today.isoformat():
        said = _in_year(said, day.group())
    if slot.type == "date":
        return said
    if _CLOCK.fullmatch(said.value) and day:
        on, at = date.fromisoformat(day.group()), time.fromisoformat(said.value)
        return replace(said, value=stamp(on, at, moment.at.astimezone(ZoneInfo(moment.timezone))))
    if _DAY.fullmatch(said.value) and clock:
        return replace(said, value=f"{said.value}T{standing[clock.start() :]}")
    return said


def _in_month(said: Mention, standing: str, moment: Moment, *, past: bool) -> Mention:
    """A day of the month ("the 15th") in the month of the date that stands; of one to come unless over."""
    month, named = date.fromisoformat(standing), date.fromisoformat(said.value[:10])
    meant = calendar_days.make(month.year, month.month, named.day)
    if meant is None or (meant < moment.today and not past):
        return said
    return replace(said, value=meant.isoformat() + said.value[10:])


def _in_year(said: Mention, standing: str) -> Mention:
    """A birthday told without its year ("the 14th of March") in the year of the one that stands."""
    meant = calendar_days.make(int(standing[:4]), int(said.value[5:7]), int(said.value[8:10]))
    return said if meant is None else replace(said, value=meant.isoformat())
