"""Rows of digits that are said again because they were wrong."""

from __future__ import annotations

from typing import Any

import pytest

from tests.notes.talk import BOOKING, held, talk, values

Line = str | tuple[str, str]

CORRECTED: list[tuple[tuple[Line, ...], dict[str, Any]]] = [
    (("my order number is 4471", "no, it's 4417"), {"order_number": "4417"}),
    (("my order number is 4471", "no, 4 4 1 7"), {"order_number": "4417"}),
    (("my order number is 4471", "no, four four one seven"), {"order_number": "4417"}),
    (("my order number is 4471", "I mean 4417"), {"order_number": "4417"}),
    (("my order number is 4471", "sorry, that's 4417"), {"order_number": "4417"}),
    (("my order number is 4471", "sorry, 9926"), {"order_number": "9926"}),
    (("my order number is 4471", "no, it's 44171"), {"order_number": "44171"}),
    (("my order number is 4471", "not 4471 but 4417"), {"order_number": "4417"}),
    (("my order number is 4471", ("Order 4471?", "no, 4417")), {"order_number": "4417"}),
    (("meine Bestellnummer ist 4471", "nein, 4417"), {"order_number": "4417"}),
    (("meine Bestellnummer ist 4471", "ich meine 4417"), {"order_number": "4417"}),
    (("mi número de pedido es 4471", "no, es 4417"), {"order_number": "4417"}),
    (("mi número de pedido es 4471", "perdón, 4417"), {"order_number": "4417"}),
    (("mon numéro de commande est 4471", "non, c'est 4417"), {"order_number": "4417"}),
    (("mon numéro de commande est 4471", "je veux dire 4417"), {"order_number": "4417"}),
    (("我的订单号是4471", "不对，是4417"), {"order_number": "4417"}),
    (("我的订单号是4471", "说错了，4417"), {"order_number": "4417"}),
    # As long as a number to call, and none.
    (("my account number is 12345678", "sorry, that's 12345687"), {"account_number": "12345687"}),
    (("my account number is 12345678", "no, the number is 12345687"), {"account_number": "12345687"}),
    (("meine Kontonummer ist 12345678", "nein, 12345687"), {"account_number": "12345687"}),
    (("meine Kontonummer ist 12345678", "nein, die Nummer ist 12345687"), {"account_number": "12345687"}),
    (("mi número de cuenta es 12345678", "no, es 12345687"), {"account_number": "12345687"}),
    (("mon numéro de compte est 12345678", "pardon, c'est 12345687"), {"account_number": "12345687"}),
    (("我的账号是12345678", "不对，是12345687"), {"account_number": "12345687"}),
    ((("What's your account number?", "12345678"), "sorry, it's 12345687"), {"account_number": "12345687"}),
    # The one it is most like, not the one said last.
    (
        ("my account number is 12345678, my order number is 4471", "sorry, 12345687"),
        {"account_number": "12345687", "order_number": "4471"},
    ),
    (
        ("my order number is 4471, a table for four people at 7 pm", "no, at 7 30"),
        {"order_number": "4471", "time": "19:30", "party_size": 4},
    ),
    (
        ("a table for four people, my order number is 4471", "no, five"),
        {"order_number": "4471", "party_size": 5},
    ),
    (("my phone number is 020 7946 0958", "sorry, 020 7946 0985"), {"phone": "02079460985"}),
    # With its own label it is what the label says.
    (
        ("my account number is 12345678", "no, my phone number is 12345687"),
        {"account_number": "12345678", "phone": "12345687"},
    ),
    # Its end alone.
    (("my number is 555 123 4567 sorry 4568",), {"phone": "5551234568"}),
    (("my phone number is 555 123 4567", "no the last digit is 8"), {"phone": "5551234568"}),
    (("my phone number is 555 123 4567", "sorry the last four digits are 9999"), {"phone": "5551239999"}),
    (
        ("my account number is 440921", "sorry it ends in two two not two one"),
        {"account_number": "440922"},
    ),
    (("mi número de pedido es 4471", "no el último dígito es nueve"), {"order_number": "4479"}),
    (("meine Bestellnummer ist 4471", "nein die letzte Ziffer ist zwei"), {"order_number": "4472"}),
    (("mon numéro de commande est 4471", "non le dernier chiffre est neuf"), {"order_number": "4479"}),
    (("我的订单号是4471", "不对最后两位是八八"), {"order_number": "4488"}),
    (("my phone number is 555 123 4567", "no my card ends in 4111"), {"phone": "5551234567"}),
    (("my phone number is 555 123 4567", "my extension ends in 11"), {"phone": "5551234567"}),
    # Digits count no people.
    (("不对最后一位是九",), {}),
    # The article is nobody else.
    (("el teléfono es seis uno dos tres cuatro cinco seis siete ocho",), {"phone": "612345678"}),
]


@pytest.mark.parametrize(("lines", "expected"), CORRECTED, ids=[str(one[0]) for one in CORRECTED])
def test_a_row_of_digits_is_corrected(lines: tuple[Line, ...], expected: dict[str, Any]) -> None:
    notes = talk(*lines)
    assert values(notes) == expected
    assert all(h.confidence == "confirmed" for h in notes.state.slots.values())


def test_a_row_that_does_not_fit_the_slot_replaces_nothing() -> None:
    notes = talk("my account is 123456", "no, 12345", schema=BOOKING)
    assert held(notes, "account").value == "123456"
