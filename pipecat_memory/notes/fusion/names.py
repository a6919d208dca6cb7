"""A person's name over several attempts: spoken, spelled, or both.

Every part of a name that comes out stands in a hypothesis, as a word or as the letters that were
spelled. The list of common names only weighs them: a name that is in no list wins where it is what
was heard, and nothing is ever "corrected" to a commoner spelling that was not. Listed names that
sound like what was heard are weighed too, but only to tell how sure the heard one is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from math import log

import numpy as np

from pipecat_memory.notes.fusion.align import Floats
from pipecat_memory.notes.fusion.channel import Sound, prefix_tables, sounds, suffix_tables
from pipecat_memory.notes.fusion.evidence import Attempt, mixtures
from pipecat_memory.notes.fusion.sounding import distance, distances, plain, skeleton, table

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
ALONE = -3.0
"""Log prior of a name that has one part only."""
LONGEST_PART = 12
"""Letters of a spelled part at most."""
LONGEST_WORD = 20
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
    """One hypothesis: the ways to cut it into two names, and its letters if it may be spelled.

    `written` are the parts as they were heard, by their plain letters.
    """

    __slots__ = ("alphabet", "spelled", "splits", "written")

    def __init__(
        self, splits: list[Split], written: dict[str, str], spelled: tuple[Sound, ...], *, alphabet: bool
    ) -> None:
        self.alphabet = alphabet
        self.splits = splits
        self.spelled = spelled
        self.written = written

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
        words = [word for word in _WORD.findall(text.replace("’", "'")) if word.lower() not in lead_ins]
        said = " ".join(words).lower()
        if not words or said in found:
            continue
        short = sum(len(word) <= 2 for word in words)
        looks_spelled = short >= 2 or len(words) >= 4
        heard: tuple[Sound, ...] = ()
        alphabet = short < len(words) / 3 and len(words) >= 4
        if looks_spelled and spelled < SPELLED_HYPOTHESES:
            heard = sounds(text, spell_words=not alphabet)[:40]
            spelled += 1
        splits, written = _splits(words) if len(words) <= 4 else ([], {})
        found[said] = Spoken(splits, written, heard, alphabet=alphabet)
    return list(found.values())


def _splits(words: list[str]) -> tuple[list[Split], dict[str, str]]:
    """The ways to cut words into two names, in plain letters, and each name as it was heard."""
    if len(words) == 1:
        cuts = [(words, words[:0]), (words[:0], words)]
    else:
        cuts = [(words[:k], words[k:]) for k in range(1, len(words))]
    written = {plain("".join(part)): _as_heard(part) for cut in cuts for part in cut if part}
    return [(plain("".join(head)), plain("".join(tail))) for head, tail in cuts], written


def _as_heard(words: list[str]) -> str:
    if any(len(word) == 1 for word in words):
        return _written(plain("".join(words)))
    if any(word != word.lower() for word in words):
        return " ".join(words)
    return " ".join(map(_capital, words))


def _capital(word: str) -> str:
    return _written(word) if word.isascii() and word.isalpha() else word[:1].upper() + word[1:]


@dataclass(frozen=True, slots=True, repr=False)
class Scores:
    """Log scores of names: of those that were heard, and of those that only sound like them."""

    heard: dict[str, float]
    alike: dict[str, float]


def name_scores(heard: list[list[Spoken]]) -> Scores:
    """Log score of every name the attempts hold, given names crossed with surnames or none."""
    firsts, lasts = _proposed(heard, 0), {"": True} | _proposed(heard, 1)
    found = Scores({}, {})
    if not firsts:
        return found
    leading, ending = list(firsts), list(lasts)
    first_costs, last_costs = _costs(leading, heard, 0), _costs(ending, heard, 1)
    pairs = [
        (n, m)
        for n in _fitting(leading, first_costs, heard, 0)
        for m in dict.fromkeys([*_fitting(ending, last_costs, heard, 1), 0])
    ]
    scores = _together(first_costs, last_costs, pairs, heard)
    written = _all_written(heard)
    for (n, m), score in zip(pairs, scores, strict=True):
        first, last = leading[n], ending[m]
        name = " ".join(written.get(part) or _written(part) for part in (first, last) if part)
        whole = float(score) + _prior(first, 0) + _prior(last, 1)
        kind = found.heard if firsts[first] and lasts[last] else found.alike
        kind[name] = max(whole, kind.get(name, whole))
    return found


def _all_written(heard: list[list[Spoken]]) -> dict[str, str]:
    """Each part as it was first heard."""
    found: dict[str, str] = {}
    for attempt in heard:
        for hypothesis in attempt:
            found = hypothesis.written | found
    return found


def known_name_scores(heard: list[list[Spoken]], names: Iterable[str]) -> dict[str, float]:
    """Log likelihood of full names that an app or a profile holds possible, as they are written."""
    parts = {
        name: (plain(name.split()[0]), plain("".join(name.split()[1:]))) for name in names if name.split()
    }
    if not parts:
        return {}
    firsts, lasts = (list(dict.fromkeys(pair[side] for pair in parts.values())) for side in (0, 1))
    pairs = [(firsts.index(first), lasts.index(last)) for first, last in parts.values()]
    scores = _together(_costs(firsts, heard, 0), _costs(lasts, heard, 1), pairs, heard)
    return dict(zip(parts, map(float, scores), strict=True))


def _proposed(heard: list[list[Spoken]], side: int) -> dict[str, bool]:
    """Names for one side, likeliest first, each with whether it was heard."""
    found: dict[str, float] = {}
    real: set[str] = set()
    whole = [any(h.spelled or any(map(all, h.splits)) for h in attempt) for attempt in heard]
    for n, attempt in enumerate(heard):
        # A word that comes alone is a surname only where another attempt has both names.
        alone = side == 0 or any(whole[:n] + whole[n + 1 :])
        for rank, hypothesis in enumerate(attempt):
            held = _held(hypothesis, side, alone=alone)
            real.update(name for name, _ in held)
            near = _near(hypothesis, side, alone=alone) if rank < LOOKED_UP else []
            for name, price in (*held, *near):
                found[name] = min(price + RANK * rank, found.get(name, UNKNOWN))
    prices = {name: price - _prior(name, side) for name, price in found.items()}
    likeliest = sorted(found, key=lambda name: (prices[name], name))[:PROPOSED]
    return {name: name in real for name in likeliest}


@lru_cache(maxsize=2048)
def _held(hypothesis: Spoken, side: int, *, alone: bool) -> list[tuple[str, float]]:
    """What a hypothesis holds of one side of a name: its words, and what its letters spell."""
    found = [(word, 0.0) for word in _words(hypothesis, side, alone=alone)]
    # Where a name ends is heard only in names that are known, or in alphabet words.
    found += [
        (part, 1.0) for part in _spelled(hypothesis, side) if hypothesis.alphabet or part in listed()[side]
    ]
    return found


@lru_cache(maxsize=2048)
def _near(hypothesis: Spoken, side: int, *, alone: bool) -> list[tuple[str, float]]:
    """Listed names that sound like what a hypothesis holds."""
    alike = _alike()[side]
    found: list[tuple[str, float]] = []
    for word in _words(hypothesis, side, alone=alone):
        near = [name for name in alike.get(skeleton(word), ()) if abs(len(name) - len(word)) <= 3]
        found += [(name, far) for name in near if (far := distance(name, word, 4.0)) < 4.0]
    for part in _spelled(hypothesis, side):
        near = [name for name in alike.get(skeleton(part), ()) if abs(len(name) - len(part)) <= 1]
        found += [(name, 1.0) for name in near if distance(name, part, 3.0) < 3.0]
    return found


def _words(hypothesis: Spoken, side: int, *, alone: bool) -> list[str]:
    """The words that may be one side of the name, `alone` those too that came without another."""
    splits = [split for split in hypothesis.splits if alone or split[0]]
    return [split[side] for split in splits if 1 < len(split[side]) <= LONGEST_WORD]


def _spelled(hypothesis: Spoken, side: int) -> list[str]:
    """What the letters of a hypothesis begin with, or end with."""
    letters = plain("".join(_likeliest(sound) for sound in hypothesis.spelled).replace("0", "o"))
    return [letters[-k:] if side else letters[:k] for k in range(3, min(len(letters), LONGEST_PART) + 1)]


def _likeliest(sound: Sound) -> str:
    return min(sound.row, key=sound.row.__getitem__)


@dataclass(frozen=True, slots=True, repr=False)
class Costs:
    """What some parts of a name cost: by word that was heard (row 0: none), by spelled string and cut."""

    words: dict[str, int]
    spoken: Floats
    spelled: Floats


def _costs(parts: list[str], heard: list[list[Spoken]], side: int) -> Costs:
    said = dict.fromkeys(
        split[side] for attempt in heard for h in attempt for split in h.splits if split[side]
    )
    reach = suffix_tables if side else prefix_tables
    spoken = np.concatenate([np.full((1, len(parts)), PART_LOST), distances(parts, list(said))])
    for n in (n for n, part in enumerate(parts) if not part):
        spoken[:, n] = FLOOR  # a word was heard where no such part was said
        spoken[0, n] = 0.0
    return Costs(
        {word: n for n, word in enumerate(["", *said])},
        spoken,
        reach(parts, [h.spelled for attempt in heard for h in attempt if h.spelled]),
    )


def _fitting(parts: list[str], costs: Costs, heard: list[list[Spoken]], side: int) -> list[int]:
    """The places of the parts that fit best by themselves."""
    prices: list[Floats] = []
    spelled = iter(costs.spelled)
    for attempt in heard:
        for hypothesis in attempt:
            price = np.full(len(parts), FLOOR)
            if hypothesis.splits:
                rows = [costs.words[split[side]] for split in hypothesis.splits]
                price = costs.spoken[rows].min(axis=0)
            if hypothesis.spelled:
                price = np.minimum(price, np.minimum(PART_LOST + SPELLING, next(spelled).min(axis=0)))
            prices.append(price)
    scores = mixtures(np.array(prices).reshape(-1, len(parts)), [len(attempt) for attempt in heard], FLOOR)
    ranked = {part: scores[n] + _prior(part, side) for n, part in enumerate(parts)}
    return sorted(range(len(parts)), key=lambda n: (-ranked[parts[n]], parts[n]))[:PARTS]


def _together(firsts: Costs, lasts: Costs, pairs: list[tuple[int, int]], heard: list[list[Spoken]]) -> Floats:
    """Log likelihood of pairs of parts."""
    first, last = (list(side) for side in zip(*pairs, strict=True))
    heads, tails = firsts.spelled[:, :, first], lasts.spelled[:, :, last]
    heard_heads, heard_tails = firsts.spoken[:, first], lasts.spoken[:, last]
    whole = (heads + tails).min(axis=1)
    prices: list[Floats] = []
    spelled = 0
    for attempt in heard:
        for hypothesis in attempt:
            price = np.full(len(pairs), FLOOR)
            for head, tail in hypothesis.splits:
                price = np.minimum(price, heard_heads[firsts.words[head]] + heard_tails[lasts.words[tail]])
            if hypothesis.spelled:
                length = len(hypothesis.spelled)
                one = PART_LOST + np.minimum(heads[spelled, length], tails[spelled, 0])
                price = np.minimum(price, SPELLING + np.minimum(whole[spelled], one))
                spelled += 1
            prices.append(price)
    return mixtures(np.array(prices).reshape(-1, len(pairs)), [len(attempt) for attempt in heard], FLOOR)


@lru_cache(maxsize=4096)
def _prior(part: str, side: int) -> float:
    return ALONE if not part else PRIOR * log(listed()[side].get(part, UNLISTED))


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
