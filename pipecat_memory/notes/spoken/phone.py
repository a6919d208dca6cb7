"""Phone numbers as dictated or keyed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import resources

import phonenumbers

from pipecat_memory.notes.spoken.span import Span

SHORTEST, LONGEST = 7, 15
"""Digits of a phone number, without 00 before its country code (at most by ITU E.164)."""
VALID = 0.95
"""Certainty of a number as its country gives them out."""


@cache
def _regions() -> dict[str, str]:
    """Zone name to ISO country, from the zone database."""
    table = (resources.files("tzdata") / "zoneinfo" / "zone.tab").read_text("utf-8")
    rows = (line.split("\t") for line in table.splitlines() if line and not line.startswith("#"))
    return {row[2]: row[0] for row in rows}


def region_of(timezone: str) -> str | None:
    """The country of a zone such as `Europe/London`, or None where it names none."""
    return _regions().get(timezone)


def find_phones(text: str, digits: Sequence[Span], timezone: str) -> list[Span]:
    """Every string of digits that is long enough to be a phone number.

    Args:
        text: the utterance.
        digits: its strings of digits, in order.
        timezone: the caller's zone, whose country reads numbers without a plus sign.

    Returns:
        Spans valued E.164 where the number is possible in that country, else its digits.
    """
    spans: list[Span] = []
    for span in digits:
        if not SHORTEST <= len(span.value.removeprefix("00")) <= LONGEST:
            continue
        head = text[: span.start].rstrip()
        plus = head.endswith("+") or head.lower().endswith((" plus", "加", " más")) or head.lower() == "plus"
        number, sure = dialled(span.value, region_of(timezone), plus=plus)
        spans.append(Span(span.start, span.end, span.text, number, "phone", sure))
    return spans


def dialled(digits: str, region: str | None, *, plus: bool = False) -> tuple[str, float]:
    """E.164 of some digits where that country has such numbers, else the digits; and how surely.

    Args:
        digits: as dialled.
        region: ISO country that reads a number without its country code, or None.
        plus: whether the digits begin with a country code.
    """
    international = plus or digits.startswith("00")
    number = "+" + digits.removeprefix("00") if international else digits
    try:
        parsed = phonenumbers.parse(number, None if international else region)
    except phonenumbers.NumberParseException:
        return digits, 0.6
    match phonenumbers.is_possible_number_with_reason(parsed):
        case phonenumbers.ValidationResult.IS_POSSIBLE:
            sure = VALID if phonenumbers.is_valid_number(parsed) else 0.7
            return phonenumbers.format_number(parsed, phonenumbers.PhoneNumberFormat.E164), sure
        case phonenumbers.ValidationResult.IS_POSSIBLE_LOCAL_ONLY:
            return digits, 0.6  # it lacks its area, so abroad it would be another number
        case _:
            return digits, 0.5
