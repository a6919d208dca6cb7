from __future__ import annotations

import random
import sys
from typing import Any

import pytest

from pipecat_memory.events import ToolCalled, ToolReturned
from pipecat_memory.stores.card_parts import CardParts
from pipecat_memory.stores.masking import CARD, CODE, HIDDEN, Masker
from pipecat_memory.writing.masked import masked

mask = Masker().mask

CARDS = {
    "plain": ("it is 4242424242424242 thanks", "it is [card] thanks"),
    "groups": ("4242 4242 4242 4242", "[card]"),
    "dashes": ("card: 5555-5555-5555-4444.", "card: [card]."),
    "commas": ("4000, 0566, 5566, 5556", "[card]"),
    "amex": ("3782 822463 10005", "[card]"),
    "thirteen": ("4222222222222", "[card]"),
    "nineteen": ("6200 0000 0000 0000 000", "[card]"),
    "spoken": ("four two four two four two four two four two four two four two four two", "[card]"),
    "spoken, commas": (
        "It's Four, two four two, four two four two. Four two four two, four two four two, ok?",
        "It's [card], ok?",
    ),
    "double": ("double five " * 6 + "double four double four please", None),
    "tens": ("forty two forty-two forty two forty two forty two forty two forty two forty two", "[card]"),
    "mixed": ("4242 four two four two and then 4242 um 4242 is the card", "[card] is the card"),
    "oh": ("six oh one one oh oh oh oh oh oh oh oh oh oh oh four", "[card]"),
    "spanish": ("es cuatro dos cuatro dos cuatro dos cuatro dos cuatro dos cuatro dos cuatro dos cuatro dos",
                "es [card]"),
    "spanish tens": ("cuarenta y dos " * 8, "[card] "),
    "german": ("Die Nummer: vier zwei vier zwei vier zwei vier zwei vier zwei vier zwei vier zwei vier zwei!",
               "Die Nummer: [card]!"),
    "german tens": ("zweiundvierzig " * 8, "[card] "),
    "chinese": ("卡号是四二四二四二四二四二四二四二四二对吧", "卡号是[card]对吧"),
    "full width": ("卡号４２４２４２４２４２４２４２４２", "卡号[card]"),
    "key pad": ("4242424242424242#", "[card]#"),
    "among others": ("order 1234567890, card 4242 4242 4242 4242", None),
    "spoken, after others": ("seven seven, then" + " four two" * 8,
                             "seven seven, then [card]"),
    "spoken, with its date": ("four two " * 8 + "twelve thirty",
                              "[card] twelve thirty"),
    "two": ("4242424242424242 and 5555555555554444", "[card] and [card]"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "kept"), CARDS.values(), ids=CARDS)
def test_cards_go(text: str, kept: str | None) -> None:
    masked, count = mask(text)
    assert count >= 1
    if kept is not None:
        assert masked == kept
    assert "4242" not in masked
    assert "four two four two" not in masked


CODES = {
    "behind": ("the cvv is 123", "the cvv is [security code]"),
    "before": ("123 is my security code", "[security code] is my security code"),
    "spoken": ("security code one two three", "security code [security code]"),
    "spelled": ("C V V four five six", "C V V [security code]"),
    "amex": ("CVC: 1234", "CVC: [security code]"),
    "back": ("the three digits on the back are 907", "the three digits on the back are [security code]"),
    "spanish": ("el código de seguridad es uno dos tres", "el código de seguridad es [security code]"),
    "german": ("Die Prüfnummer lautet 789", "Die Prüfnummer lautet [security code]"),
    "german word": ("Sicherheitscode sieben acht neun", "Sicherheitscode [security code]"),
    "chinese": ("安全码是一二三", "安全码是[security code]"),
    "after the card": (
        "4242 4242 4242 4242, expires 12 27, 123",
        "[card], expires 12 27, [security code]",
    ),
    "right after": ("4242424242424242 321", "[card] [security code]"),
    "one by one": ("cvv is 1 2 3", "cvv is [security code]"),
    "one by one, without a verb": ("CVV 1 2 3", "CVV [security code]"),
    "one by one, in words": ("security code 1 2 3", "security code [security code]"),
    "hyphens": ("cvv: 1-2-3", "cvv: [security code]"),
    "written and spoken": ("the cvc is 1 two 3 4", "the cvc is [security code]"),
    "possessive": ("my cvv's 1 2 3 okay", "my cvv's [security code] okay"),
    "one by one, before": ("1 2 3 is my security code", "[security code] is my security code"),
    "one by one, after the card": ("4242 4242 4242 4242, 1 2 3", "[card], [security code]"),
    "only the first": ("cvv 123 and I live at 456 Elm", "cvv [security code] and I live at 456 Elm"),
}


@pytest.mark.parametrize(("text", "kept"), CODES.values(), ids=CODES)
def test_security_codes_go(text: str, kept: str) -> None:
    assert mask(text)[0] == kept


STAY = {
    "phone": "call me on 415 555 0132",
    "phone, plus": "+86 138 0013 8000 or +49 30 901820 1234567",
    "plus, spoken": "plus four two four two four two four two four two four two four two four two",
    "phone, spoken": "four one five five five five oh one three two",
    "two phones": "415 555 0132, 415 555 0199",
    "order": "order 4242424242",
    "not Luhn": "4242 4242 4242 4243",
    "too short": "424242424242",
    "too long": "42424242424242424242",
    "zeros": "0000 0000 0000 0000",
    "inside a longer number": "9994242424242424242",
    "ssn": "my social security number ends in 6789",
    "no digits by the word": "where is the security code?",
    "other sentence": "I told you my CVV already. My house is number 123.",
    "date": "2026-11-30 at 12:45, table for 4",
    "time stamp": "at 20261130124500",
    "counting": "one two three four five six seven eight nine ten eleven twelve thirteen",
    "counting on": "two three four five six seven eight nine ten eleven twelve thirteen",
    "counting down": "twenty nineteen eighteen seventeen sixteen fifteen fourteen thirteen",
    "counting in tens": "ten twenty thirty forty fifty sixty seventy eighty ninety",
    "counting in Chinese": "一二三四五六七八九",
    "counting in German": "eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn",
    "inside spoken digits": "nine nine nine" + " four two" * 8,
    "small words": "one or two of the six or seven",
    "too many one by one": "my cvv? it is 1 2 3 4 5 people",
    "empty": "",
}


@pytest.mark.parametrize("text", STAY.values(), ids=STAY)
def test_the_rest_stays(text: str) -> None:
    assert mask(text) == (text, 0)


def test_ten_digit_numbers_are_never_cards() -> None:
    draw = random.Random(3)
    for _ in range(2000):
        digits = "".join(draw.choice("0123456789") for _ in range(10))
        for text in (digits, f"{digits[:3]} {digits[3:6]} {digits[6:]}", f"order {digits} please"):
            assert mask(text) == (text, 0)


def test_what_was_said_before_explains_bare_digits() -> None:
    assert mask("one two three", before="And the security code on the back?") == (CODE, 1)
    assert mask("it's 123", before="Thanks. Your CVV, please.") == (f"it's {CODE}", 1)
    assert mask("4242 4242 ok", before="4242 4242") == (f"{CARD} ok", 1)
    assert mask("one two three", before="And the house number?") == ("one two three", 0)


def test_patterns_of_the_app_are_hidden_too() -> None:
    masker = Masker(patterns=(r"\bPOL-\d+\b", r"\d{4} \d{4} \d{4} \d{4}", r"x*"))
    assert masker.mask("policy POL-777 and 4242 4242 4242 4242") == (f"policy {HIDDEN} and {CARD}", 2)
    assert Masker(cards=False).mask("4242 4242 4242 4242")[1] == 0


def test_masking_twice_changes_nothing() -> None:
    once, _ = mask("4242 4242 4242 4242 cvv 123")
    assert mask(once) == (once, 0)


NAMED = {
    "number": ({"pan": 4242424242424242}, {"pan": CARD}),
    "no check digit": ({"card_number": "4242 4242 4242 4243"}, {"card_number": CARD}),
    "camel": ({"cardNumber": "4242424242424242"}, {"cardNumber": CARD}),
    "code": ({"cvv": 123, "CVC2": "321"}, {"cvv": CODE, "CVC2": CODE}),
    "one by one": ({"security-code": "1 2 3 4"}, {"security-code": CODE}),
    "spoken code": ({"cvv": "one two three"}, {"cvv": CODE}),
    "nested": ({"card": {"number": "4242 424242424243"}}, {"card": {"number": CARD}}),
    "nested code": ({"card": {"code": 123}}, {"card": {"code": CODE}}),
    "beside": ([{"name": "cvv", "value": 123}], [{"name": "cvv", "value": CODE}]),
    "any name": ({"x": [4242424242424242, {"y": 4242424242424242.0}]}, {"x": [CARD, {"y": f"{CARD}.0"}]}),
    "in JSON text": ({"raw": '{"cvv": "123", "a": 1}'}, {"raw": f'{{"cvv": "{CODE}", "a": 1}}'}),
}  # fmt: skip


@pytest.mark.parametrize(("given", "kept"), NAMED.values(), ids=NAMED)
def test_values_of_tools_by_their_form_and_by_their_name(given: Any, kept: Any) -> None:
    called, _ = masked(ToolCalled(t=0, id="t", name="pay", args={"args": given}), Masker())
    returned, hits = masked(ToolReturned(t=0, id="t", status="ok", result=given), Masker())
    assert isinstance(called, ToolCalled)
    assert isinstance(returned, ToolReturned)
    assert called.args == {"args": kept}
    assert returned.result == kept
    assert hits >= 1


@pytest.mark.parametrize(
    "given",
    [
        {"cvv": None, "pan": True, "card": "visa", "number": 12, "code": 200, "amount": 123, "card_id": 4471},
        123,
        [1.5],
    ],
)
def test_other_values_of_tools_stay(given: Any) -> None:
    assert masked(ToolReturned(t=0, id="t", status="ok", result=given), Masker())[1] == 0


PARTS = {
    "halves": ["4242 4242", "4242 4242"],
    "halves, and a nod": ["4242 4242", "mhm", "yes", "4242 4242 thanks"],
    "quarters": ["4242", "4242", "4242", "4242"],
    "words": ["four two four two four two four two", "four two four two four two four two"],
    "named": ["my card is 3782 82", "2463 10005"],
    "with its date": ["my card is 4242 4242", "4242 4242 and it expires 12 27"],
    "by the agent": ["378282", "246310005"],
}


@pytest.mark.parametrize("case", PARTS)
def test_a_card_over_several_turns(case: str) -> None:
    said = PARTS[case]
    found = CardParts().completed(said, "Your card number?" if case == "by the agent" else "Go on.")
    assert "".join(part.digits for part in found) in ("4242" * 4, "378282246310005")
    for part in found:
        assert said[part.entry][part.start : part.end].strip().casefold() not in ("", "thanks")


@pytest.mark.parametrize(
    "said",
    [
        ["415 555 0132", "424242"],
        ["4242 4242", "4242 4243"],
        ["4242 4242", "well no", "let me see", "one moment", "4242 4242"],
        ["378282", "246310005"],
        ["4242 4242"],
        ["for 4", "at 7"],
        [],
    ],
)
def test_numbers_over_several_turns_that_are_no_card(said: list[str]) -> None:
    assert CardParts().completed(said, "Go on.") == []


@pytest.mark.parametrize(
    "text", ["4 " * 5000, "cvv " * 5000, "four " * 5000, "1-" * 5000 + "cvv", "4242 " * 4000]
)
def test_long_texts_cost_no_more_than_their_length(text: str) -> None:
    """Twice the text takes about twice the steps: counted, since a clock would measure the machine."""
    steps = [_steps(text[: len(text) // 2]), _steps(text)]
    assert steps[1] < 3 * steps[0] + 1000


def _steps(text: str) -> int:
    count = 0

    def step(*_: Any) -> None:
        nonlocal count
        count += 1

    sys.setprofile(step)
    try:
        mask(text)
    finally:
        sys.setprofile(None)
    return count
