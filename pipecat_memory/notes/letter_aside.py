"""A name told with one of its letters: "Catherine with a C", "Meyer mit y", "catia con k"."""

from __future__ import annotations

from dataclasses import dataclass

from pipecat_memory.notes.grammar import words_of
from pipecat_memory.notes.utterance import Utterance

ALIKE = ("ck", "gj", "iy", "sz", "fv")
"""Letters that are written for one sound."""

LETTERS = 2
"""Letters told at once ("mit dt")."""


@dataclass(frozen=True, slots=True)
class LetterAside:
    """A letter told of the name before it, and the word after it."""

    letter: str
    end: int


def letter_aside(said: Utterance, at: int) -> LetterAside | None:
    """The letter told at word `at`, right behind a name."""
    for phrase in words_of(said.language, "with_letter"):
        after = at + len(phrase)
        if after < len(said.words) and tuple(word.key for word in said.words[at:after]) == phrase:
            letter = said.words[after].key
            if len(letter) <= LETTERS and letter.isascii() and letter.isalpha():
                return LetterAside(letter, after + 1)
    return None


def written_with(name: str, letter: str) -> str | None:
    """The name as it is written with the letter; None where it has no letter for that sound."""
    plain = name.casefold()
    twins = "".join(pair for pair in ALIKE if letter in pair).replace(letter, "")
    if plain[:1] in twins and plain[:1]:  # of "Katherine with a C" it is the first letter that is told
        return _in_place(name, 0, letter)
    if letter in plain:
        return name
    places = [k for k, mark in enumerate(plain) if mark in twins]
    return _in_place(name, places[0], letter) if len(places) == 1 else None


def _in_place(name: str, k: int, letter: str) -> str:
    return name[:k] + (letter.upper() if name[k].isupper() else letter) + name[k + 1 :]
