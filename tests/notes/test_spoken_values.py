"""Spoken values, one row a saying: what it is in its written form."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from pipecat_memory.notes.spoken import Kind, find

WEDNESDAY = datetime(2026, 12, 2, 10, 0, tzinfo=UTC)
LONDON, MADRID, BERLIN, SHANGHAI, NEW_YORK = (
    "Europe/London",
    "Europe/Madrid",
    "Europe/Berlin",
    "Asia/Shanghai",
    "America/New_York",
)


def values(text: str, kind: Kind, zone: str = LONDON, language: str | None = None) -> list[Any]:
    found = find(text, kind, language=language, at=WEDNESDAY, timezone=zone)
    return [span.value for span in found if span.certainty >= 0.5]


NUMBERS: list[tuple[str, list[float]]] = [
    ("we are three", [3]),
    ("twenty-one hundred", [2100]),
    ("three hundred and five", [305]),
    ("1,250", [1250]),
    ("3.5", [3.5]),
    ("two and a half", [2.5]),
    ("three point one four", [3.14]),
    ("3 thousand", [3000]),
    ("half a dozen", [6]),
    ("a couple of rooms", [2]),
    ("that one please", []),
    ("cuarenta y dos personas", [42]),
    ("quatre-vingt-dix-sept", [97]),
    ("wir sind zweiundzwanzig", [22]),
    ("两千三百", [2300]),
    ("三万五", [35000]),
    ("两百零五个", [205]),
    ("十五个人", [15]),
    ("一共二十一位", [21]),
    ("等一下", []),
]


@pytest.mark.parametrize(("text", "expected"), NUMBERS)
def test_numbers(text: str, expected: list[float]) -> None:
    assert values(text, "number") == expected
    assert values(text, "quantity") == expected


def test_a_number_inside_a_time_is_hardly_a_number() -> None:
    assert values("a table for four at seven thirty", "number") == [4]


DIGITS = [
    ("my account is double four oh two one", ["44021"]),
    ("four eight two one", ["4821"]),
    ("triple seven three", ["7773"]),
    ("nineteen oh five", ["1905"]),
    ("it's 48 21", ["4821"]),
    ("4-8-2-1", ["4821"]),
    ("cuatro ocho dos uno", ["4821"]),
    ("vier acht zwo eins", ["4821"]),
    ("四八二一", ["4821"]),
    ("幺三八零零", ["13800"]),
]


@pytest.mark.parametrize(("text", "expected"), DIGITS)
def test_digits(text: str, expected: list[str]) -> None:
    assert values(text, "digits") == expected


def test_digits_that_fit_the_apps_pattern() -> None:
    found = find("two of us, order four eight two one", "digits", at=WEDNESDAY, pattern=r"\d{4}")
    assert [(span.value, span.certainty) for span in found] == [("4821", 0.95)]


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


EMAILS = [
    ("my email is john dot smith at gmail dot com", "john.smith@gmail.com"),
    ("anna underscore m 7 at mail dot co dot uk please", "anna_m7@mail.co.uk"),
    ("it's j o e at acme dot com", "joe@acme.com"),
    ("Ana.Lopez@Example.org", "ana.lopez@example.org"),
    ("mi correo es juan punto perez arroba gmail punto com", "juan.perez@gmail.com"),
    ("zhang 点 wei 艾特 qq 点 com", "zhang.wei@qq.com"),
]


@pytest.mark.parametrize(("text", "expected"), EMAILS)
def test_emails(text: str, expected: str) -> None:
    assert values(text, "email") == [expected]


@pytest.mark.parametrize("text", ["meet me at the station", "at three dot", "look at that point"])
def test_no_email(text: str) -> None:
    assert values(text, "email") == []


PHONES = [
    ("oh seven seven double oh nine hundred one two three four", LONDON, "+447700901234"),
    ("plus four four seven seven double oh nine double oh one two three", LONDON, "+447700900123"),
    ("two one two five five five oh one double nine", NEW_YORK, "+12125550199"),
    ("seis uno dos tres cuatro cinco seis siete ocho", MADRID, "+34612345678"),
    ("幺三八零零一三八零零零", SHANGHAI, "+8613800138000"),
    ("1234567", "UTC", "1234567"),
]


@pytest.mark.parametrize(("text", "zone", "expected"), PHONES)
def test_phones(text: str, zone: str, expected: str) -> None:
    assert values(text, "phone", zone) == [expected]


MONEY = [
    ("forty dollars and fifty cents", 40.5, "USD"),
    ("£12.50", 12.5, "GBP"),
    ("twenty quid", 20, "GBP"),
    ("treinta euros", 30, "EUR"),
    ("三百块", 300, "CNY"),
    ("十二块五", 12.5, "CNY"),
]


@pytest.mark.parametrize(("text", "amount", "unit"), MONEY)
def test_money(text: str, amount: float, unit: str) -> None:
    assert [(span.value, span.unit) for span in find(text, "money", at=WEDNESDAY)] == [(amount, unit)]


SPELLED = [
    ("j as in john, o, n, e, s", "JONES"),
    ("m for mother double l", "MLL"),
    ("bravo romeo echo tango", "BRET"),
    ("w c 2 b", "WC2B"),
]


@pytest.mark.parametrize(("text", "expected"), SPELLED)
def test_spelled(text: str, expected: str) -> None:
    assert values(text, "spelled") == [expected]


def test_spelled_in_spanish() -> None:
    assert values("eme a ere", "spelled", language="es") == ["MAR"]


def test_words_that_are_also_letter_names_are_not_spelling() -> None:
    assert values("why are you", "spelled") == []


POSTCODES = [
    ("w c 2 b 4 a b", LONDON, ["WC2B 4AB"]),
    ("whiskey one alpha 2 bravo charlie", LONDON, []),  # no British postcode ends in C
    ("whiskey 1 a 2 b d", LONDON, ["W1A 2BD"]),
    ("k one a oh b one", "America/Toronto", ["K1A 0B1"]),
    ("nine four one oh three", "America/Los_Angeles", ["94103"]),
]


@pytest.mark.parametrize(("text", "zone", "expected"), POSTCODES)
def test_postcodes(text: str, zone: str, expected: list[str]) -> None:
    assert values(text, "postcode", zone) == expected


YES_NO = [
    ("yes", True),
    ("yeah that's right", True),
    ("no that's wrong", False),
    ("nope", False),
    ("sí, claro", True),
    ("nein", False),
    ("不对", False),
    ("是的", True),
]


@pytest.mark.parametrize(("text", "expected"), YES_NO)
def test_yes_and_no(text: str, expected: bool) -> None:
    assert find(text, "boolean", at=WEDNESDAY)[0].value is expected


def test_a_repr_shows_no_words() -> None:
    (span,) = find("tomorrow", "date", at=WEDNESDAY)
    assert "tomorrow" not in repr(span)
    assert "2026" not in repr(span)
