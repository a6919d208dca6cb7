"""What an earlier call left open, told later than it was due."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from pipecat_memory.reading.lines import stable_lines
from pipecat_memory.reading.preload import Known, visible
from pipecat_memory.records.caller import Caller, How
from pipecat_memory.records.profile import Profile
from pipecat_memory.records.summary import OpenItem

NOW = datetime(2026, 5, 2, 12, tzinfo=UTC)

TITLE = "date 2026-03-04, time 19:00"


def told_of(item: OpenItem, how: How) -> list[str]:
    known = Known(profile=Profile(open_items=(item,)))
    seen = visible(known, Caller.phone("+15551230001", how=how), now=NOW, resume_within=0)
    return [line.text for line in stable_lines(seen, now=NOW, dump_below=25)]


@pytest.mark.parametrize(
    ("item", "told"),
    [
        (OpenItem(title=TITLE, due="2026-03-04"), f"Left open: {TITLE} (in the past)"),
        (OpenItem(title=TITLE, slots={"date": "2026-03-04"}), f"Left open: {TITLE} (in the past)"),
        (OpenItem(title=TITLE, due="2026-05-02T11:00+00:00"), f"Left open: {TITLE} (in the past)"),
        (OpenItem(title=TITLE, due="2026-05-02"), f"Left open: {TITLE}"),
        (OpenItem(title="date 2026-05-09", slots={"date": "2026-05-09"}), "Left open: date 2026-05-09"),
        (OpenItem(title="ring back", slots={"party_size": 4}), "Left open: ring back"),
    ],
    ids=["due", "noted", "an hour ago", "today", "to come", "no day"],
)
def test_an_open_item_whose_day_has_gone_by_is_told_as_past(item: OpenItem, told: str) -> None:
    assert told_of(item, "verified") == [told]


def test_a_weaker_caller_is_told_it_too() -> None:
    item = OpenItem(title=TITLE, slots={"date": "2026-03-04"}, due="2026-03-04")
    [line] = told_of(item, "number")
    assert line.startswith("Left open: ")
    assert line.endswith(" (in the past)")
