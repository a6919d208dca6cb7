"""Amounts of money in figures, with separators, signs and codes: "$1,250.50", "1.250,50 Euro", "EUR 80"."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from pipecat_memory.notes.spoken.span import Span

SIGNS = {
    "US$": "USD", "A$": "AUD", "C$": "CAD", "HK$": "HKD", "S$": "SGD", "$": "USD", "£": "GBP",
    "€": "EUR", "¥": "CNY", "￥": "CNY", "₹": "INR",
}  # fmt: skip
"""Signs of currencies; a longer one goes first."""

CODES = (
    "EUR USD GBP CHF JPY CNY INR AUD CAD NZD HKD SGD SEK NOK DKK PLN CZK HUF MXN BRL KRW TRY RUB THB AED SAR "
    "ZAR ILS"
).split()
"""ISO 4217 codes of the currencies that people name by their code."""

_GROUPED = r"\d{1,3}(?:(?P<by>[.,'’\u00a0\u202f ])\d{3})(?:(?P=by)\d{3})*(?:(?!(?P=by))[.,]\d{1,2})?"
_AMOUNT = rf"(?<![\d.,:])(?P<amount>{_GROUPED}|\d+(?:[.,]\d{{1,2}})?)(?![\d]|[.,:]\d)"


def find_figures(text: str, words: Mapping[str, str]) -> list[Span]:
    """Every amount in figures with its currency, in order; `unit` is the ISO code.

    Args:
        text: the utterance.
        words: the language's names of currencies, and the code of each.
    """
    spans: list[Span] = []
    for match in _pattern(frozenset(words)).finditer(text):
        name = match["before"] or match["after"]
        if name is None or (match["amount"].isdigit() and name.casefold() in words):
            continue  # "80 euros" is read as it is spoken, with the cents that may follow
        unit = SIGNS.get(name) or words.get(name.casefold()) or name.upper().replace("RMB", "CNY")
        value = amount_of(match["amount"])
        spans.append(Span(*match.span(), match.group(), value, "money", 0.95, unit))
    return spans


def amount_of(written: str) -> int | float:
    """A number in figures: the last mark before one or two digits is its point, any other parts thousands."""
    head, mark, tail = written, "", ""
    last = max(written.rfind("."), written.rfind(","))
    if last >= 0 and len(written) - last - 1 in (1, 2):
        head, mark, tail = written[:last], ".", written[last + 1 :]
    whole = "".join(filter(str.isdigit, head))
    return float(f"{whole}.{tail}") if mark else int(whole)


@lru_cache(maxsize=8)
def _pattern(words: frozenset[str]) -> re.Pattern[str]:
    signs = "|".join(re.escape(sign) for sign in SIGNS)
    # Only the commonest codes are written small: "try" and "all" are words.
    codes = "|".join([*CODES, "RMB", *(code.lower() for code in CODES[:4])])
    names = "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
    edge = r"(?![^\W\d_])"
    han = r"(?<=[\u4e00-\u9fff])"  # 1,250元的 goes on without a break
    before = rf"(?:(?P<before>{signs}|(?<![^\W_])(?:{codes}))\s?)?"
    after = rf"(?:\s?(?P<after>{signs}|(?:{codes}){edge}|(?i:{names})(?:{edge}|{han})))?"
    return re.compile(before + _AMOUNT + after)
