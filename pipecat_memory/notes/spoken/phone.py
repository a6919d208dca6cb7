"""Phone numbers as dictated or keyed."""

from __future__ import annotations

from functools import cache
from importlib import resources

import phonenumbers

from pipecat_memory.notes.spoken.span import Span


@cache
def _regions() -> dict[str, str]:
    """Zone name to ISO country, from the zone database."""
    table = (resources.files("tzdata") / "zoneinfo" / "zone.tab").read_text("utf-8")
    rows = (line.split("\t") for line in table.splitlines() if line and not line.startswith("#"))
    return {row[2]: row[0] for row in rows}


def region_of(timezone: str) -> str | None:
    """The country of a zone such as `Europe/London`, or None where it names none."""
    return _regions().get(timezone)


def find_phones(text: str, digits: list[Span], timezone: str) -> list[Span]:
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
        if not 7 <= len(span.value) <= 16:
            continue
        head = text[: span.start].rstrip()
        plus = head.endswith("+") or head.lower().endswith((" plus", "加", " más")) or head.lower() == "plus"
        number, sure = _normal(span.value, plus, region_of(timezone))
        spans.append(Span(span.start, span.end, span.text, number, "phone", sure))
    return spans


def _normal(digits: str, plus: bool, region: str | None) -> tuple[str, float]:
    international = plus or digits.startswith("00")
    number = "+" + digits.removeprefix("00") if international else digits
    try:
        parsed = phonenumbers.parse(number, None if international else region)
    except phonenumbers.NumberParseException:
        return digits, 0.6
    if not phonenumbers.is_possible_number(parsed):
        return digits, 0.5
    sure = 0.95 if phonenumbers.is_valid_number(parsed) else 0.7
    return phonenumbers.format_number(parsed, phonenumbers.PhoneNumberFormat.E164), sure
