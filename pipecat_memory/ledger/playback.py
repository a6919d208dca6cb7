"""How much of a reply was heard, in the written form of its text."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from .script import unspaced, wordlike

_LOOKAHEAD = 12
"""Words a spoken form may run on before it meets the written form again ("twelve thirty four")."""


@dataclass(frozen=True, slots=True, repr=False)
class Word:
    """One word of a text, folded for comparison; `end` is the place behind its last letter."""

    folded: str
    end: int
    units: int
    """Spoken words it takes at least: letters and digits of a code are said one by one."""


def collapse(text: str) -> str:
    return " ".join(text.split())


def share(text: str, played: float) -> str:
    """The first `played` (0..1) of a text, back to a whole word."""
    size = int(played * len(text) + 1e-9)
    if size >= len(text):
        return text
    cut = text[:size]
    if cut and text[size] != " " and not (unspaced(text[size]) or unspaced(cut[-1])):
        cut = cut[: cut.rfind(" ") + 1]
    cut = cut.rstrip()
    return cut if any(wordlike(c) for c in cut) else ""


def written(plan: str, heard: str, *, whole: bool) -> str:
    """The part of `plan` that `heard` proves, in the plan's own spelling.

    Args:
        plan: the generated text, white space collapsed.
        heard: the pieces confirmed by playback, joined; may be in the synthesiser's spelling.
        whole: the reply was not interrupted, so a respelled ending was heard to its end.
    """
    if not plan:
        return heard
    if heard == plan and any(map(wordlike, plan)):
        return plan  # the same by letters too, of which a long reply has many
    place, said = _letters(plan), [c for c, _ in _letters(heard)]
    if not said:
        return ""
    if [c for c, _ in place[: len(said)]] == said:
        if len(said) == len(place):
            return plan
        reached = place[len(said) - 1][1] + 1
    else:
        planned = words(plan)
        reached = _follow(planned, words(heard), whole=whole)
        if whole and planned and reached == planned[-1].end:
            return plan
    if reached and not wordlike(heard.rstrip()[-1]):
        reached = _over_marks(plan, reached)
    return plan[:reached]


def follows(plan: str, heard: str, *, chars: bool) -> bool:
    """Whether `heard` runs along the plan from its start, by words or by characters."""
    if chars:
        place = "".join(c for c, _ in _letters(plan))
        return place.startswith("".join(c for c, _ in _letters(heard)))
    said = [word.folded for word in words(heard)]
    return [word.folded for word in words(plan)][: len(said)] == said


def words(text: str) -> list[Word]:
    """The words of a text; characters of unspaced scripts are a word each."""
    out: list[Word] = []
    start = 0
    for place in range(len(text) + 1):
        at_end = place == len(text) or text[place] == " "
        if at_end or unspaced(text[place]):
            _add(out, text[start:place], place)
            if not at_end:
                _add(out, text[place], place + 1)
            start = place + 1
    return out


def _add(out: list[Word], token: str, end: int) -> None:
    letters = _letters(token)
    folded = "".join(c for c, _ in letters)
    if folded:
        end += letters[-1][1] + 1 - len(token)
        code = any(c.isdigit() for c in folded)
        out.append(Word(folded, end, len(folded) if code else 1))


def _letters(text: str) -> list[tuple[str, int]]:
    """The comparable characters of a text with their places."""
    return [(folded, place) for place, char in enumerate(text) for folded in _compared(char)]


@lru_cache(4096)
def _compared(char: str) -> str:
    """The comparable characters that one character stands for."""
    return "".join(filter(wordlike, unicodedata.normalize("NFKC", char).casefold()))


def _over_marks(text: str, end: int) -> int:
    while end < len(text) and text[end] != " " and not wordlike(text[end]):
        end += 1
    return end


def _follow(plan: list[Word], heard: list[Word], *, whole: bool) -> int:
    """Walk both texts word by word, past respelled stretches; returns the place reached in the plan."""
    i = j = 0
    while i < len(heard) and j < len(plan):
        if heard[i].folded == plan[j].folded:
            i, j = i + 1, j + 1
            continue
        meeting = _meeting(plan, heard, j, i)
        if meeting is None:
            break
        j, i = meeting
    before = {w.folded for w in plan[:j]}
    # A word that was said before is a piece delivered twice, not a respelled next one.
    left = sum(w.folded not in before for w in heard[i:])
    if whole and left and 0 < len(plan) - j <= left:
        return plan[-1].end
    while j < len(plan) and left >= plan[j].units:
        left, j = left - plan[j].units, j + 1
    return plan[j - 1].end if j else 0


def _meeting(plan: list[Word], heard: list[Word], j: int, i: int) -> tuple[int, int] | None:
    """The nearest place after (j, i) where both texts agree for two words, or one at the end."""
    for apart in range(1, 2 * _LOOKAHEAD):
        for skip in range(max(0, apart - _LOOKAHEAD), min(apart, _LOOKAHEAD) + 1):
            p, h = j + skip, i + apart - skip
            if p >= len(plan) or h >= len(heard) or plan[p].folded != heard[h].folded:
                continue
            if h + 1 == len(heard):
                # One last word without a respelled one before it may be a piece delivered twice.
                agreed = h > i
            else:
                agreed = p + 1 == len(plan) or plan[p + 1].folded == heard[h + 1].folded
            if agreed:
                return p, h
    return None
