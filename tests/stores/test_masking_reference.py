"""The masker against a plain one, digit by digit and slow, on random texts."""

from __future__ import annotations

import re
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from pipecat_memory.stores.card_numbers import BRANDS
from pipecat_memory.stores.digit_words import DIGITS, HAN, SMALL, TENS, TIMES
from pipecat_memory.stores.masking import CARD, _card_spots  # pyright: ignore[reportPrivateUsage]

Token = tuple[str, int, int, bool]
"""Digits, where they stand, whether they were a word."""


def cards(text: str) -> list[tuple[int, int]]:
    """Where card numbers stand, by the rules as they are told in `masking`."""
    spots: list[tuple[int, int]] = []
    for run in runs(text):
        first = 0
        while first < len(run):
            ends = [
                last
                for last in range(first, len(run))
                if begins(text, run, first)
                and stands_apart(run, last + 1)
                and is_card(run[first : last + 1], alone=first == 0 and last + 1 == len(run))
            ]
            if ends and not text[: run[0][1]].rstrip().lower().endswith(("+", "plus", "más", "mas")):
                spots.append((run[first][1], run[ends[-1]][2]))
                first = ends[-1]
            first += 1
    return spots


def runs(text: str) -> list[list[Token]]:
    """Every digit and digit word of a stretch, one by one."""
    found: list[list[Token]] = [[]]
    times, reach = 1, 0
    for word, start, end in words(text.lower()):
        run = found[-1]
        joined = not run or re.fullmatch(r"[\s\-‐‑–—.,;:、，。·/()]{0,4}", text[reach:start]) is not None
        value = str(int(word)) if word.isdecimal() else TENS.get(word) or DIGITS.get(word)
        if joined and value is None and (word in TIMES or (word in SMALL and run)):
            times, reach = TIMES.get(word, times), end
            continue
        unit = joined and run and run[-1][3] and run[-1][0] in TENS_ALONE and word in DIGITS and value != "0"
        if unit and text[run[-1][2] : start] in (" ", "-", " y "):
            run[-1] = (run[-1][0][0] + str(value), run[-1][1], end, True)
        elif joined and value is not None:
            run.append((value * times, start, end, not word.isdecimal()))
        else:
            times = TIMES.get(word, 1)
            found.append([] if value is None else [(value * times, start, end, not word.isdecimal())])
        times = times if value is None else 1
        reach = end
    return [run for run in found if run]


TENS_ALONE = frozenset(value for value in TENS.values() if value[1] == "0" and value != "10")


def words(text: str) -> list[tuple[str, int, int]]:
    """Words; digits and Chinese digits one by one."""
    found: list[tuple[str, int, int]] = []
    for place, char in enumerate(text):
        single = char.isdecimal() or char in HAN
        letter = char.isalnum() and not single
        if letter and found and found[-1][2] == place and not re.fullmatch(r"\d", found[-1][0]):
            before = found[-1]
            if before[0] not in HAN:
                found[-1] = (before[0] + char, before[1], place + 1)
                continue
        if single or letter:
            found.append((char, place, place + 1))
    return found


def stands_apart(run: list[Token], at: int) -> bool:
    return at in (0, len(run)) or run[at][1] > run[at - 1][2] or run[at][3]


def begins(text: str, run: list[Token], at: int) -> bool:
    if at and run[at][3] and run[at - 1][3]:
        return text[run[at - 1][2] : run[at][1]].strip(" ") != ""
    return stands_apart(run, at)


def is_card(run: list[Token], *, alone: bool) -> bool:
    digits = "".join(token[0] for token in run)
    steps = {int(b[0]) - int(a[0]) for a, b in pairwise(run)}
    counted = len(steps) == 1 and steps != {0}
    if not 13 <= len(digits) <= 19 or digits[0] == "0" or len(set(digits)) == 1 or counted:
        return False
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + place % 2)
        total += value - 9 if value > 9 else value
    if total % 10:
        return False
    return (alone and (len(digits) == 16 or digits[0] in "3456")) or bool(BRANDS.fullmatch(digits))


CARDS = ("4242424242424242", "4222222222222", "378282246310005", "6200000000000000003", "5555555555554444")
SPOKEN = "zero one two three four five six seven eight nine".split()
GAPS = st.sampled_from((" ", " ", " ", ", ", "-", "", ". ", "\n", "      "))


@st.composite
def numbers(draw: st.DrawFn) -> str:
    """A card number, or nearly one, as people write and say it."""
    digits = draw(st.sampled_from(CARDS) | st.text("0123456789", min_size=1, max_size=20))
    pieces: list[str] = []
    while digits:
        size = draw(st.sampled_from((1, 1, 2, 4, 6, 20)))
        piece, digits = digits[:size], digits[size:]
        spoken = draw(st.booleans())
        pieces.append(" ".join(SPOKEN[int(d)] for d in piece) if spoken else piece)
        pieces.append(draw(GAPS))
    return "".join(pieces)


WORDS = st.sampled_from(
    "forty twenty double triple and then um dash uno cuarenta y zweiundvierzig 四 二 ４ plus + hello a_1 "
    "phone Straße ten eleven oh nineteen".split()
)


@given(st.lists(st.tuples(numbers() | WORDS, GAPS), max_size=8))
@settings(max_examples=300, deadline=None)
def test_cards_go_as_a_plain_masker_takes_them(pieces: list[tuple[str, str]]) -> None:
    text = "".join(word + gap for word, gap in pieces)
    found = [(start, end) for start, end, label in _card_spots(text, 0) if label == CARD]
    assert found == cards(text)
