"""Digits, e-mail addresses, phone numbers, spelled words and postcodes as they are said."""

from __future__ import annotations

import pytest

from pipecat_memory.notes.spoken import find
from tests.notes.spoken import LONDON, MADRID, NEW_YORK, SHANGHAI, WEDNESDAY, values

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
