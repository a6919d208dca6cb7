"""A code of two parts spelled over the line, such as a British postcode, over several attempts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter

from pipecat_memory.notes.fusion.align import Floats
from pipecat_memory.notes.fusion.channel import (
    SAME,
    Sound,
    prefix_costs,
    prefix_tables,
    sounds,
    suffix_tables,
)
from pipecat_memory.notes.fusion.evidence import Attempt, mixture, mixtures, rank_weights

LETTERS, DIGITS = "abcdefghijklmnopqrstuvwxyz", "0123456789"
HYPOTHESES = 4
"""Distinct hypotheses of an attempt that are read; later ones add time and little else."""
FLOOR = 11.0
"""Cost at which an attempt is taken to be about something else."""
PROPOSED = 36
"""First parts, and second parts, that are weighed."""
CROSSED = 8
"""First and second parts that are tried together."""
UNLIKELY = 9.0
"""Cost of a first part that is in no list of areas."""
UNREAD = 99.0
"""Over any price of a reading."""
UNCLEAR = 0.4
"""Cost, over that of hearing every mark, from which a code was not heard mark for mark."""

_AREAS = frozenset(
    (
        "AB AL B BA BB BD BH BL BN BR BS BT CA CB CF CH CM CO CR CT CV CW DA DD DE DG DH DL DN DT DY E EC EH "
        "EN EX FK FY G GL GU GY HA HD HG HP HR HS HU HX IG IM IP IV JE KA KT KW KY L LA LD LE LL LN LS LU M "
        "ME MK ML N NE NG NN NP NR NW OL OX PA PE PH PL PO PR RG RH RM S SA SE SG SK SL SM SN SO SP SR SS ST "
        "SW SY TA TD TF TN TQ TR TS TW UB W WA WC WD WF WN WR WS WV YO ZE"
    )
    .lower()
    .split()
)
"""Postcode areas of the United Kingdom and the Crown dependencies (Royal Mail)."""


@dataclass(frozen=True)
class Country:
    """A country's code: the shapes of its two parts (A a letter, 9 a digit), its known areas."""

    firsts: tuple[str, ...]
    seconds: tuple[str, ...]
    areas: frozenset[str] = frozenset()


COUNTRIES = {
    # The last letters are those that the standard (BS 7666) allows there: B, C and D are its sets.
    "GB": Country(("A9", "A99", "AA9", "AA99", "A9B", "AA9C"), ("9DD",), _AREAS),
    "CA": Country(("E9E",), ("9E9",)),
    "NL": Country(("9999",), ("AA",)),
}

_PLACES = {
    "A": LETTERS,
    "9": DIGITS,
    "B": "abcdefghjkpstuw",
    "C": "abehmnprvwxy",
    "D": "abdefghjlnpqrstuwxyz",
    "E": "abceghjklmnprstvwxyz",
}
"""What may stand at a place of a shape."""

Heard = list[list[tuple[Sound, ...]]]


def heard_codes(attempts: Sequence[Attempt]) -> Heard:
    """Each attempt as the distinct sound strings of its best hypotheses."""
    found: Heard = []
    for attempt in attempts:
        kept: dict[tuple[str, ...], tuple[Sound, ...]] = {}
        for text in attempt.texts:
            heard = sounds(text)[:24]
            if heard:
                kept.setdefault(tuple(sound.text for sound in heard), heard)
            if len(kept) == HYPOTHESES:
                break
        found.append(list(kept.values()))
    return found


def clear_readings(attempts: Sequence[Attempt], code: str) -> int:
    """In how many attempts some hypothesis holds the code mark for mark."""
    tight = _tight(code)
    limit = SAME * len(tight) + UNCLEAR
    return sum(
        any(prefix_costs(tight, string)[-1] < limit for string in attempt)
        for attempt in heard_codes(attempts)
    )


def code_scores(heard: Heard, country: Country) -> dict[str, float]:
    """Log likelihood of every code that the attempts propose, first parts crossed with second parts."""
    firsts, seconds = _proposals((sounds_ for attempt in heard for sounds_ in attempt), country)
    if not firsts or not seconds:
        return {}
    strings = [string for attempt in heard for string in attempt]
    counts = [len(attempt) for attempt in heard]
    heads, tails = prefix_tables(firsts, strings), suffix_tables(seconds, strings)
    # Only the parts that fit well with the best of the others are crossed.
    least_head, least_tail = heads.min(axis=2, keepdims=True), tails.min(axis=2, keepdims=True)
    leading = _fitting(firsts, mixtures((heads + least_tail).min(axis=1), counts, FLOOR))
    ending = _fitting(seconds, mixtures((tails + least_head).min(axis=1), counts, FLOOR))
    both = heads[:, :, leading, None] + tails[:, :, None, ending]
    crossed = mixtures(both.min(axis=1), counts, FLOOR)
    return {
        f"{firsts[n]} {seconds[m]}".upper(): float(crossed[i, j]) - _prior(firsts[n], country)
        for i, n in enumerate(leading)
        for j, m in enumerate(ending)
    }


def _fitting(parts: list[str], scores: Floats) -> list[int]:
    """The places of the parts that fit best."""
    return sorted(range(len(parts)), key=lambda n: (-scores[n], parts[n]))[:CROSSED]


def _prior(first: str, country: Country) -> float:
    return UNLIKELY if country.areas and not _known(first, country) else 0.0


def known_code_scores(heard: Heard, codes: Iterable[str]) -> dict[str, float]:
    """Log likelihood of codes that an app or a profile holds possible."""
    scores: dict[str, float] = {}
    for code in codes:
        tight = _tight(code)
        scores[code] = sum(
            mixture((prefix_costs(tight, s)[-1] for s in attempt), rank_weights(len(attempt)), FLOOR)
            for attempt in heard
        )
    return scores


def _tight(code: str) -> str:
    return "".join(mark for mark in code.lower() if mark.isascii() and mark.isalnum())


def _known(first: str, country: Country) -> bool:
    area = first[:2] if first[1:2].isalpha() else first[:1]
    return area in country.areas


def _proposals(heard: Iterable[tuple[Sound, ...]], country: Country) -> tuple[list[str], list[str]]:
    """First and second parts that some hypothesis could hold."""
    found: tuple[dict[str, float], dict[str, float]] = {}, {}
    for string in heard:
        for into, parts in zip(found, _read(string, country), strict=True):
            for text, price in parts:
                if price < into.get(text, UNREAD):
                    into[text] = price
    firsts, seconds = found
    return _best(firsts, PROPOSED), _best(seconds, PROPOSED)


@lru_cache(maxsize=256)
def _read(string: tuple[Sound, ...], country: Country) -> tuple[list[tuple[str, float]], ...]:
    """The windows of a string of sounds read into the shapes; later attempts find them again."""
    firsts: dict[str, float] = {}
    seconds: dict[str, float] = {}
    for shape in country.firsts:
        for start in range(min(4, max(0, len(string) - len(shape) + 1))):
            _propose(firsts, string[start : start + len(shape)], shape, 1.0 * start)
    for shape in country.seconds:
        last = len(string) - len(shape)
        for start in range(max(0, last - 3), last + 1):
            _propose(seconds, string[start : start + len(shape)], shape, 1.0 * (last - start))
    return list(firsts.items()), list(seconds.items())


def _propose(into: dict[str, float], window: tuple[Sound, ...], shape: str, price: float) -> None:
    for text, total in _read_as(window, shape):
        into[text] = min(total + price, into.get(text, total + price))


@lru_cache(maxsize=4096)
def _read_as(window: tuple[Sound, ...], shape: str) -> list[tuple[str, float]]:
    """The likeliest ways to read some sounds into a shape, from those of one sound less."""
    if not window:
        return [("", 0.0)]
    options = _options(window[-1], shape[-1])
    beams = [
        (text + mark, total + extra)
        for text, total in _read_as(window[:-1], shape[:-1])
        for mark, extra in options
    ]
    beams.sort(key=itemgetter(1))
    return beams[:6]


@lru_cache(maxsize=4096)
def _options(sound: Sound, place: str) -> list[tuple[str, float]]:
    """The likeliest letters (or digits) behind a sound."""
    marks = ((mark, sound.row[mark]) for mark in _PLACES[place])
    return sorted(marks, key=lambda option: option[1])[:4]


def _best(proposed: dict[str, float], count: int) -> list[str]:
    return sorted(proposed, key=lambda part: (proposed[part], part))[:count]
