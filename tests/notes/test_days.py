"""Days and times as they are said together, and days that are put right."""

from __future__ import annotations

from typing import Any

import pytest

from tests.notes.talk import talk, values

Line = str | tuple[str, str]

FRIDAY, SATURDAY, TOMORROW = "2026-12-04", "2026-12-05", "2026-12-01"

SAID: list[tuple[tuple[Line, ...], dict[str, Any]]] = [
    # The half of the day stands behind the day.
    (("a table at eight tomorrow evening",), {"date": TOMORROW, "time": "20:00"}),
    (("at quarter past eight tomorrow evening",), {"date": TOMORROW, "time": "20:15"}),
    (("at half past seven on Friday evening",), {"date": FRIDAY, "time": "19:30"}),
    (("at seven on Saturday night",), {"date": SATURDAY, "time": "19:00"}),
    (("at eight on Friday morning",), {"date": FRIDAY, "time": "08:00"}),
    (("8 o'clock tomorrow evening",), {"date": TOMORROW, "time": "20:00"}),
    (("um acht am Freitagabend",), {"date": FRIDAY, "time": "20:00"}),
    (("am Freitagabend um acht",), {"date": FRIDAY, "time": "20:00"}),
    (("am Freitagmorgen um acht",), {"date": FRIDAY, "time": "08:00"}),
    (("Freitagabend, für vier Personen, so um acht",), {"date": FRIDAY, "time": "20:00", "party_size": 4}),
    (("um acht Uhr morgen Abend",), {"date": TOMORROW, "time": "20:00"}),
    (("à neuf heures vendredi soir",), {"date": FRIDAY, "time": "21:00"}),
    (("à huit heures demain soir",), {"date": TOMORROW, "time": "20:00"}),
    (("a las nueve el viernes por la noche",), {"date": FRIDAY, "time": "21:00"}),
    (("a las ocho mañana por la noche",), {"date": TOMORROW, "time": "20:00"}),
    (("周五晚上八点",), {"date": FRIDAY, "time": "20:00"}),
    # A day of the month keeps the month that stands, and is no time.
    (("July 14th at noon", "no, the 15th"), {"date": "2027-07-15", "time": "12:00"}),
    (
        ("July 14th at noon", ("July 14th at noon?", "no, the 15th")),
        {"date": "2027-07-15", "time": "12:00"},
    ),
    (("am 14. Juli um zwölf", "nein, am 15."), {"date": "2027-07-15", "time": "12:00"}),
    (
        ("am 14. Juli um zwölf", ("14. Juli um zwölf Uhr?", "nein, am fünfzehnten")),
        {"date": "2027-07-15", "time": "12:00"},
    ),
    (("el 14 de julio a mediodía", "no, el 15"), {"date": "2027-07-15", "time": "12:00"}),
    (("le 14 juillet à midi", "non, le 15"), {"date": "2027-07-15", "time": "12:00"}),
    (("7月14号中午十二点", "不对，15号"), {"date": "2027-07-15", "time": "12:00"}),
    (("on December 30th", "no, the 2nd"), {"date": "2026-12-02"}),
    # A weekday of a month.
    (("on the last Friday of March",), {"date": "2027-03-26"}),
    (("the first Monday in April",), {"date": "2027-04-05"}),
    (("the second Tuesday of May 2028",), {"date": "2028-05-09"}),
    (("the first Monday of next month",), {"date": "2026-12-07"}),
    (("am letzten Freitag im März",), {"date": "2027-03-26"}),
    (("el último viernes de marzo",), {"date": "2027-03-26"}),
    (("le dernier vendredi de mars",), {"date": "2027-03-26"}),
    (("三月最后一个周五",), {"date": "2027-03-26"}),
    ((("On which date was it?", "last Friday"),), {"date": "2026-11-27"}),
    (("the fifth friday of february",), {}),
    (("the fifth friday of january",), {"date": "2027-01-29"}),
    (("am fünften freitag im februar",), {}),
    # A week on from a day.
    (("a week from saturday",), {"date": "2026-12-12"}),
    (("saturday week at noon",), {"date": "2026-12-12", "time": "12:00"}),
    (("heute in einer woche",), {"date": "2026-12-07"}),
    (("samstag in einer woche",), {"date": "2026-12-12"}),
    (("samedi en huit",), {"date": "2026-12-12"}),
    # Days with a name.
    (("on christmas eve",), {"date": "2026-12-24"}),
    (("on new year's day",), {"date": "2027-01-01"}),
    (("for our christmas party",), {}),
    (("en nochebuena",), {"date": "2026-12-24"}),
    (("an heiligabend",), {"date": "2026-12-24"}),
    (("le jour de noël",), {"date": "2026-12-25"}),
    (("平安夜",), {"date": "2026-12-24"}),
    # A year of two figures, at the end.
    (("i was born on the eighth of march eighty three",), {"date": "1983-03-08"}),
    (("el 8 de marzo del ochenta y tres",), {"date": "1983-03-08"}),
    (("on march 8 for 45 people",), {"date": "2027-03-08", "party_size": 45}),
    # As recognisers write it.
    (("après demain à midi et demi",), {"date": "2026-12-02", "time": "12:30"}),
    (("人民路12号",), {}),
    # Words of one language that another shortens or shares.
    (("mon fils est allergique aux noix",), {}),
    (("mon mari s'appelle paul",), {}),
    (("am samstag",), {"date": SATURDAY}),
    (("on tue at 9am",), {"date": TOMORROW, "time": "09:00"}),
]


@pytest.mark.parametrize(("lines", "expected"), SAID, ids=[str(one[0]) for one in SAID])
def test_a_day_and_its_time(lines: tuple[Line, ...], expected: dict[str, Any]) -> None:
    notes = talk(*lines)
    assert values(notes) == expected
    assert all(h.confidence == "confirmed" for h in notes.state.slots.values())
