"""Long texts are masked as short ones are; what nobody says, such as digits without end, goes unseen."""

from __future__ import annotations

import pytest

from pipecat_memory.stores.digit_runs import digit_runs, stretches
from pipecat_memory.stores.masking import CARD, CODE, HIDDEN, Masker

PROSE = "the boiler rattles whenever the tap is open and number 12 of the garden wants it moved to week 34. "
PAN = "4242 4242 4242 4242"
SPOKEN = "four two four two " * 4


def mask(text: str, before: str = "", after: str = "") -> tuple[str, int]:
    return Masker().mask(text, before, after)


@pytest.mark.parametrize("card", [PAN, SPOKEN.strip()], ids=["written", "spoken"])
@pytest.mark.parametrize(("ahead", "behind"), [(0, 900), (450, 450), (900, 0)])
def test_a_card_anywhere_in_a_long_text_goes(card: str, ahead: int, behind: int) -> None:
    whole, count = mask(f"{PROSE * ahead}my card is {card}, code 123. {PROSE * behind}")
    assert whole == f"{PROSE * ahead}my card is {CARD}, code {CODE}. {PROSE * behind}"
    assert count == 2


def test_every_card_of_a_long_list_goes_and_other_numbers_stay() -> None:
    lines = [f"order {n}: paid with {PAN}, delivered to box {n}\n" for n in range(50)]
    assert mask("".join(lines)) == ("".join(lines).replace(PAN, CARD), 50)


def test_digits_without_end_are_hidden_and_a_card_behind_them_is_still_found() -> None:
    endless = "7 1 " * 600
    text = f"readings {endless}end. My card is {PAN}, 123 it says. {PROSE}"
    kept, count = mask(text)
    assert kept == f"readings {HIDDEN} end. My card is {CARD}, {CODE} it says. {PROSE}"
    assert count == 3
    assert mask("1234567890" * 200) == (HIDDEN, 1)
    assert mask("四二" * 600) == (HIDDEN, 1)
    assert mask(f"{'four two ' * 600}and out") == (f"{HIDDEN} and out", 1)


def test_of_very_many_long_numbers_the_last_are_hidden_unseen() -> None:
    phones = [f"755 123 0{n:03} 22 11;" for n in range(100)]
    kept, count = mask(" call ".join(phones))
    assert 0 < count < 100
    assert kept.count(HIDDEN) == count
    assert kept.startswith(phones[0])
    assert kept.endswith(f"{HIDDEN};")


def test_behind_very_many_words_for_a_code_all_digits_go() -> None:
    kept, count = mask("the cvv is 123 and " * 200)
    assert "123" not in kept
    assert count == 200
    assert kept.startswith(f"the cvv is {CODE} and ")
    assert kept.endswith(f"the cvv is {HIDDEN} and ")


def test_what_stands_far_before_or_behind_does_not_bear_on_a_text() -> None:
    assert mask("123", before=f"and the security code? {PROSE * 50}") == ("123", 0)
    assert mask("123", before=f"{PROSE * 50} and the security code?") == (CODE, 1)
    assert mask("it is 4242 4242", after=f" 4242 4242 {PROSE * 50}") == (f"it is {CARD}", 1)


@pytest.mark.parametrize("code", ["nineteen four", "nineteen forty", "forty two one", "double forty"])
def test_a_code_may_be_said_in_two_words(code: str) -> None:
    assert mask(f"the security code is {code} thanks")[0].endswith(f"{CODE} thanks")


def test_stretches_hold_every_run() -> None:
    text = f"{PROSE} call five five five 12 and um 34, double oh seven. {PROSE} at FORTY two 7"
    there = stretches(text)
    assert [text[one.start : one.end] for one in there] == [
        "12",
        "34",
        "five five five 12 and um 34, double oh seven",
        "12",
        "34",
        "FORTY two 7",
    ]
    for run in digit_runs(text):
        around = [one for one in there if one.start <= run[0].start and run[-1].end <= one.end]
        assert len(around) == 1
        assert sum(len(one.value) for one in run) <= around[0].most
    assert stretches(PROSE.replace("12", "").replace("34", "")) == []
    assert stretches("") == []
