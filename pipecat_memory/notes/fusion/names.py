"""A person's name over several attempts: spoken, spelled, or both.

The list of common names only weighs and proposes: a name that is in no list wins where it is
what was heard, and nothing is ever "corrected" to a commoner spelling that was not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from importlib import resources
from math import log

from pipecat_memory.notes.fusion.channel import Sound, prefix_costs, sounds, suffix_costs
from pipecat_memory.notes.fusion.evidence import Attempt, mixture, rank_weights
from pipecat_memory.notes.fusion.sounding import distance, plain, skeleton, table

HYPOTHESES = 8
SPELLED_HYPOTHESES = 3
"""Hypotheses of an attempt that are read, and of those the ones read letter by letter."""
LOOKED_UP = 3
"""Hypotheses of an attempt that near-sounding listed names are looked up for."""
ALIKE = 12
"""Listed names looked up by one sound, the commonest."""
PROPOSED = 24
"""Given names, and surnames, that are weighed alone."""
RANK = 0.35
"""Cost of a hypothesis for each rank that it stands lower."""
UNKNOWN = 99.0
PARTS = 8
"""Given names, and surnames, that are tried together."""
FLOOR = 13.0
PART_LOST = 2.5
"""Cost of hearing only one of the two names, spoken or spelled."""
SPELLING = 0.5
"""Cost of spelling at all where a name was asked for."""
PRIOR = 0.3
"""Weight of how common a name is: under 1 since the app's callers are not the list's people."""
UNLISTED = 0.05
"""Frequency per 100,000 given to a name in no list."""
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")


@lru_cache(maxsize=1)
def listed() -> tuple[dict[str, float], dict[str, float]]:
    """Given names and surnames with their frequency per 100,000."""
    path = resources.files("pipecat_memory.notes.fusion") / "tables" / "names_us_census_1990.txt"
    lines = [line for line in path.read_text("utf-8").splitlines() if not line.startswith("#")]
    first, last = (
        {
            name: float(run.partition(":")[0])
            for run in line.split()
            for name in run.partition(":")[2].split(",")
        }
        for line in lines
    )
    return first, last


@lru_cache(maxsize=1)
def _alike() -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    found: tuple[dict[str, list[str]], dict[str, list[str]]] = ({}, {})
    for index, names in zip(found, listed(), strict=True):
        for name in sorted(names, key=lambda name: -names[name]):
            alike = index.setdefault(skeleton(name), [])
            if len(alike) < ALIKE:
                alike.append(name)
    return found


def prewarm() -> None:
    """Read the list now: it takes a few hundred milliseconds, which no call should pay."""
    _alike()


Split = tuple[str, str]


class Spoken:
    """One hypothesis: the ways to cut it into two names, and its letters if it may be spelled."""

    __slots__ = ("alphabet", "spelled", "splits")

    def __init__(self, splits: list[Split], spelled: tuple[Sound, ...], *, alphabet: bool) -> None:
        self.alphabet = alphabet
        self.splits = splits
        self.spelled = spelled

    def __repr__(self) -> str:
        return "<Spoken>"


def heard_names(attempts: Sequence[Attempt]) -> list[list[Spoken]]:
    """Each attempt as its distinct hypotheses."""
    return [_hypotheses(attempt) for attempt in attempts]


@lru_cache(maxsize=128)
def _hypotheses(attempt: Attempt) -> list[Spoken]:
    found: dict[str, Spoken] = {}
    spelled = 0
    lead_ins = table()["lead_ins"]
    for text in attempt.texts[:HYPOTHESES]:
        words = [word for word in _WORD.findall(text.lower().replace("’", "'")) if word not in lead_ins]
        if not words or " ".join(words) in found:
            continue
        short = sum(len(word) <= 2 for word in words)
        looks_spelled = short >= 2 or len(words) >= 4
        heard: tuple[Sound, ...] = ()
        alphabet = short < len(words) / 3 and len(words) >= 4
        if looks_spelled and spelled < SPELLED_HYPOTHESES:
            heard = sounds(text, spell_words=not alphabet)[:40]
            spelled += 1
        splits = _splits([plain(word) for word in words]) if len(words) <= 4 else []
        found[" ".join(words)] = Spoken(splits, heard, alphabet=alphabet)
    return list(found.values())


def _splits(words: list[str]) -> list[Split]:
    if len(words) == 1:
        return [(words[0], ""), ("", words[0])]
    return [("".join(words[:k]), "".join(words[k:])) for k in range(1, len(words))]


def name_scores(heard: list[list[Spoken]]) -> dict[str, float]:
    """Log score of every name the attempts propose, given names crossed with surnames."""
    firsts = _proposed(heard, 0)
    lasts = _proposed(heard, 1)
    firsts = _fitting(firsts, heard, 0)
    lasts = _fitting(lasts, heard, 1)
    return _crossed([(first, last) for first in firsts for last in lasts], heard, prior=True)


def known_name_scores(heard: list[list[Spoken]], names: Iterable[str]) -> dict[str, float]:
    """Log likelihood of full names that an app or a profile holds possible, as they are written."""
    parts = {
        name: (plain(name.split()[0]), plain("".join(name.split()[1:]))) for name in names if name.split()
    }
    scores = _crossed(list(parts.values()), heard, prior=False)
    return {name: scores[_shown(*pair)] for name, pair in parts.items()}


def _proposed(heard: list[list[Spoken]], side: int) -> list[str]:
    found: dict[str, float] = {}
    for attempt in heard:
        for rank, hypothesis in enumerate(attempt):
            for name, price in _near(hypothesis, side, looked_up=rank < LOOKED_UP):
                found[name] = min(price + RANK * rank, found.get(name, UNKNOWN))
    prices = {name: price - _prior(name, side) for name, price in found.items()}
    return sorted(found, key=lambda name: (prices[name], name))[:PROPOSED]


@lru_cache(maxsize=2048)
def _near(hypothesis: Spoken, side: int, *, looked_up: bool) -> list[tuple[str, float]]:
    """What a hypothesis proposes: its words, listed names that sound like them, spelled ones."""
    alike = _alike()[side]
    found: list[tuple[str, float]] = []
    for split in hypothesis.splits:
        word = split[side]
        if not 1 < len(word) <= 20:
            continue
        found.append((word, 0.0))
        if looked_up:
            near = [name for name in alike.get(skeleton(word), ()) if abs(len(name) - len(word)) <= 3]
            found += [(name, far) for name in near if (far := distance(name, word)) < 4]
    if hypothesis.spelled and looked_up:
        letters = plain("".join(_likeliest(sound) for sound in hypothesis.spelled).replace("0", "o"))
        found += [(name, 1.0) for name in _in_letters(letters, side)]
        if hypothesis.alphabet:
            found += [(name, 1.0) for name in _unlisted(letters, side)]
    return found


def _likeliest(sound: Sound) -> str:
    return min(sound.row, key=lambda mark: sound.row[mark])


def _in_letters(letters: str, side: int) -> list[str]:
    """Listed names that the spelled letters begin (or end) with, and what is left of them."""
    alike = _alike()[side]
    found: list[str] = []
    for k in range(3, min(len(letters), 12) + 1):
        part = letters[-k:] if side else letters[:k]
        found += [
            name
            for name in alike.get(skeleton(part), ())
            if abs(len(name) - k) <= 1 and distance(name, part) < 3
        ]
    return found


def _unlisted(letters: str, side: int) -> list[str]:
    """Letters spelled by alphabet words, cut where a name may end: rare names are in no list."""
    return [letters[-k:] if side else letters[:k] for k in range(3, min(len(letters), 12) + 1)]


def _fitting(parts: list[str], heard: list[list[Spoken]], side: int) -> list[str]:
    alone = {part: _alone(part, heard, side) + _prior(part, side) for part in parts}
    return sorted(parts, key=lambda part: (-alone[part], part))[:PARTS]


def _alone(part: str, heard: list[list[Spoken]], side: int) -> float:
    total = 0.0
    reach = suffix_costs if side else prefix_costs
    for attempt in heard:
        costs = [
            min(
                min(
                    (
                        distance(part, split[side]) if split[side] else PART_LOST
                        for split in hypothesis.splits
                    ),
                    default=FLOOR,
                ),
                min(PART_LOST + SPELLING, *reach(part, hypothesis.spelled)) if hypothesis.spelled else FLOOR,
            )
            for hypothesis in attempt
        ]
        total += mixture(costs, rank_weights(len(attempt)), FLOOR)
    return total


def _prior(part: str, side: int) -> float:
    return PRIOR * log(listed()[side].get(part, UNLISTED))


def _crossed(pairs: list[Split], heard: list[list[Spoken]], *, prior: bool) -> dict[str, float]:
    firsts, lasts = {pair[0] for pair in pairs}, {pair[1] for pair in pairs}
    heads = {
        id(h): {part: prefix_costs(part, h.spelled) for part in firsts} for a in heard for h in a if h.spelled
    }
    tails = {
        id(h): {part: suffix_costs(part, h.spelled) for part in lasts} for a in heard for h in a if h.spelled
    }
    weights = [rank_weights(len(attempt)) for attempt in heard]
    scores: dict[str, float] = {}
    for first, last in pairs:
        total = _prior(first, 0) + _prior(last, 1) if prior else 0.0
        for attempt, shares in zip(heard, weights, strict=True):
            costs: list[float] = []
            for hypothesis in attempt:
                price = _spoken(first, last, hypothesis.splits)
                if hypothesis.spelled:
                    head, tail = heads[id(hypothesis)][first], tails[id(hypothesis)][last]
                    both = min(a + b for a, b in zip(head, tail, strict=True))
                    price = min(price, SPELLING + min(both, PART_LOST + head[-1], PART_LOST + tail[0]))
                costs.append(price)
            total += mixture(costs, shares, FLOOR)
        scores[_shown(first, last)] = total
    return scores


def _spoken(first: str, last: str, splits: list[Split]) -> float:
    best = FLOOR
    for head, tail in splits:
        price = (distance(first, head) if head else PART_LOST) + (distance(last, tail) if tail else PART_LOST)
        if price < best:
            best = price
    return best


def _shown(first: str, last: str) -> str:
    return f"{_written(first)} {_written(last)}".strip()


def _written(part: str) -> str:
    """A name as it is usually written; Irish and Scots prefixes keep theirs."""
    if (
        len(part) > 3
        and part[0] == "o"
        and part[1] not in "aeiouy"
        and part[1:] in listed()[1]
        and part not in listed()[0]
    ):
        return f"O'{part[1:].capitalize()}"
    if len(part) > 4 and part.startswith("mc"):
        return f"Mc{part[2:].capitalize()}"
    return part.capitalize()
