"""What a slot for a number of things counts, by its name and description."""

from __future__ import annotations

from functools import lru_cache

from pipecat_memory.notes.grammar import LANGUAGES, single_words_of, table
from pipecat_memory.notes.spoken.language import language_of
from pipecat_memory.notes.spoken.numbers import is_number_word
from pipecat_memory.notes.tokens import key
from pipecat_memory.notes.utterance import Utterance
from pipecat_memory.records.schema import Slot

PEOPLE = ("people_nouns", "persons", "tails")
"""Groups of words for the people of a party."""

NAMED = ("people", "party", "guests")
"""Rows of `slot_words` that are for how many people."""

PLAIN = frozenset("quantity number count size total anzahl cantidad nombre quantité".split())
"""Names of slots that count anything."""


def counts_people(slot: Slot) -> bool:
    """Whether a slot's name or description says that it counts people, in any of our languages."""
    return _speaks_of_people(f"{key(slot.label)} {key(slot.description)}")


@lru_cache(maxsize=1024)
def _speaks_of_people(told: str) -> bool:
    return not _people_words().isdisjoint(told.split()) or any(
        key(word) in told for word in single_words_of("zh", "people_nouns")
    )


def takes_people(slot: Slot) -> bool:
    """Whether people may be what a slot counts: its name says so, or says nothing of what it counts."""
    words = key(slot.label).split()
    return counts_people(slot) or not PLAIN.isdisjoint(words)


def is_number(said: Utterance, i: int) -> bool:
    """Whether a word is a number."""
    word = said.words[i].key
    return word.isdigit() or is_number_word(word, language_of(said.language))


@lru_cache(maxsize=1)
def _people_words() -> frozenset[str]:
    words = {word for code in LANGUAGES for group in PEOPLE for word in single_words_of(code, group)}
    for code in LANGUAGES:
        phrases = (phrase for row in NAMED for phrase in table(code)["slot_words"].get(row, ()))
        words |= {key(phrase) for phrase in phrases if " " not in phrase}
    return frozenset({*words, "party", "people", "guests", "pax", "personas", "attendees"})
