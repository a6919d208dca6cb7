"""Days and times as they are said, in their written form."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from pipecat_memory.notes.spoken import find
from tests.notes.spoken import BERLIN, LONDON, MADRID, NEW_YORK, SHANGHAI, WEDNESDAY, values

DATES = [
    ("tomorrow", "2026-12-03"),
    ("the day after tomorrow", "2026-12-04"),
    ("on Friday", "2026-12-04"),
    ("this Friday", "2026-12-04"),
    ("next Friday", "2026-12-11"),
    ("Friday next week", "2026-12-11"),
    ("next week Friday", "2026-12-11"),
    ("last Monday", "2026-11-30"),
    ("in two weeks", "2026-12-16"),
    ("three days ago", "2026-11-29"),
    ("two weeks from now", "2026-12-16"),
    ("the 5th of May", "2027-05-05"),
    ("May the fifth 2027", "2027-05-05"),
    ("December 12th", "2026-12-12"),
    ("27th of the 9th 1979", "1979-09-27"),
    ("the twenty first of June nineteen eighty four", "1984-06-21"),
    ("3rd of March two thousand and five", "2005-03-03"),
    ("March 3rd nineteen oh five", "1905-03-03"),
    ("on the 5th", "2026-12-05"),
    ("Friday the 11th", "2026-12-11"),
    ("2026-12-24", "2026-12-24"),
    ("24/12/2026", "2026-12-24"),
    ("29th of February", "2028-02-29"),
    ("el 5 de mayo", "2027-05-05"),
    ("pasado mañana", "2026-12-04"),
    ("el viernes que viene", "2026-12-04"),
    ("hace dos días", "2026-11-30"),
    ("übermorgen", "2026-12-04"),
    ("am dritten Mai", "2027-05-03"),
    ("le 5 mai", "2027-05-05"),
    ("demain", "2026-12-03"),
    ("后天", "2026-12-04"),
    ("大后天", "2026-12-05"),
    ("下周五", "2026-12-11"),
    ("周五", "2026-12-04"),
    ("五月五号", "2027-05-05"),
    ("一九八四年六月二十一日", "1984-06-21"),
    ("三天后", "2026-12-05"),
    ("下个月八号", "2027-01-08"),
]


@pytest.mark.parametrize(("text", "expected"), DATES)
def test_dates(text: str, expected: str) -> None:
    assert values(text, "date") == [expected]


@pytest.mark.parametrize("text", ["the 31st of February", "february 30 2026", "31/02/2026", "二月三十号"])
def test_no_such_day(text: str) -> None:
    assert values(text, "date") == []


def test_the_day_is_the_callers() -> None:
    late = datetime(2026, 12, 2, 23, 30, tzinfo=UTC)
    found = find("tomorrow", "date", at=late, timezone=SHANGHAI)
    assert [span.value for span in found] == ["2026-12-04"]


@pytest.mark.parametrize(("zone", "expected"), [(NEW_YORK, "2026-12-05"), (LONDON, "2027-05-12")])
def test_the_order_of_day_and_month_is_the_countrys(zone: str, expected: str) -> None:
    found = find("12/5", "date", at=WEDNESDAY, timezone=zone, language="en")
    assert [span.value for span in found] == [expected]


TIMES = [
    ("um dreiviertel acht abends", "19:45"),
    ("um halb acht abends", "19:30"),
    ("明天中午", "12:00"),
    ("中午一点", "13:00"),
    ("中午十二点半", "12:30"),
    ("at three pm", "15:00"),
    ("half past nine", "09:30"),
    ("half nine", "09:30"),
    ("quarter to ten", "09:45"),
    ("ten past eleven", "11:10"),
    ("seven thirty in the evening", "19:30"),
    ("nine oh five am", "09:05"),
    ("10:45", "10:45"),
    ("9am", "09:00"),
    ("5 p.m.", "17:00"),
    ("noon", "12:00"),
    ("at four o'clock", "16:00"),
    ("at 12 am", "00:00"),
    ("a las tres y media de la tarde", "15:30"),
    ("a las diez menos cuarto", "09:45"),
    ("um halb zehn", "09:30"),
    ("um drei Uhr nachmittags", "15:00"),
    ("à quinze heures trente", "15:30"),
    ("下午三点", "15:00"),
    ("上午九点半", "09:30"),
    ("晚上八点一刻", "20:15"),
    ("中午十二点", "12:00"),
]


@pytest.mark.parametrize(("text", "expected"), TIMES)
def test_times(text: str, expected: str) -> None:
    assert values(text, "time") == [expected]


@pytest.mark.parametrize("text", ["for four people", "in five minutes", "twenty days", "room two"])
def test_no_time(text: str) -> None:
    assert values(text, "time") == []


MOMENTS = [
    ("tomorrow at three pm", LONDON, "2026-12-03T15:00+00:00"),
    ("next Friday at half past nine", LONDON, "2026-12-11T09:30+00:00"),
    ("quarter to ten tomorrow morning", LONDON, "2026-12-03T09:45+00:00"),
    ("tomorrow afternoon at three", LONDON, "2026-12-03T15:00+00:00"),
    ("tonight at eight", LONDON, "2026-12-02T20:00+00:00"),
    ("in half an hour", LONDON, "2026-12-02T10:30+00:00"),
    ("mañana a las tres de la tarde", MADRID, "2026-12-03T15:00+01:00"),
    ("pasado mañana por la mañana a las diez y media", MADRID, "2026-12-04T10:30+01:00"),
    ("dentro de dos horas", MADRID, "2026-12-02T13:00+01:00"),
    ("morgen um halb zehn", BERLIN, "2026-12-03T09:30+01:00"),
    ("明天下午三点", SHANGHAI, "2026-12-03T15:00+08:00"),
    ("后天下午三点", SHANGHAI, "2026-12-04T15:00+08:00"),
    ("下周五上午九点半", SHANGHAI, "2026-12-11T09:30+08:00"),
    ("今晚八点", SHANGHAI, "2026-12-02T20:00+08:00"),
    ("两个小时后", SHANGHAI, "2026-12-02T20:00+08:00"),
]


@pytest.mark.parametrize(("text", "zone", "expected"), MOMENTS)
def test_moments(text: str, zone: str, expected: str) -> None:
    (span,) = find(text, "datetime", at=WEDNESDAY, timezone=zone)
    assert (span.value, span.kind) == (expected, "datetime")


def test_a_lone_day_or_time_stays_what_it_is() -> None:
    kinds = [span.kind for span in find("Thursday, no, at six pm", "datetime", at=WEDNESDAY)]
    assert kinds == ["datetime"]
    assert [span.kind for span in find("on Thursday", "datetime", at=WEDNESDAY)] == ["date"]
    assert [span.kind for span in find("at six pm", "datetime", at=WEDNESDAY)] == ["time"]
