"""Where a name begins and ends among the words."""

from __future__ import annotations

from pipecat_memory.notes.grammar import single_words_of
from pipecat_memory.notes.letter_aside import letter_aside
from pipecat_memory.notes.name_likeness import cased, possessive
from pipecat_memory.notes.utterance import Utterance

LONGEST = 4
"""Words of a name at most, particles apart, or characters of a Chinese one."""


def _plain(said: Utterance, i: int, capital: bool) -> bool:
    """Whether word `i` can be part of a name."""
    word = said.words[i]
    if not word.key.isalpha() or word.key in single_words_of(said.language, "not_a_name"):
        return False
    if possessive(said, i):
        return False
    written = said.text[word.start : word.end]
    return not (cased(said) and word.key.isascii()) or written[:1].isupper() or not capital


def untitled(said: Utterance, start: int) -> int:
    """The word after a title such as "doctor"."""
    titles = single_words_of(said.language, "titles")
    return start + 1 if 0 <= start < len(said.words) - 1 and said.words[start].key in titles else start


def extent(said: Utterance, start: int, *, capital: bool) -> int:
    """One past the last word of a name that starts at `start`."""
    end, words = start, 0
    while end < len(said.words) and words < LONGEST and _plain(said, end, capital):
        written = said.text[said.words[end].start]
        if end > start and written.islower() and _capital(said, start):
            break
        if end > start and spelled_from(said, end):
            break  # from here on the name is spelled
        if end > start and letter_aside(said, end):
            break
        end, words = end + 1, words + 1
        if said.words[end - 1].stop:
            break
        end = _past_particles(said, end, capital)
    return end


def restated(said: Utterance, start: int, *, capital: bool) -> tuple[int, int]:
    """The words of a name from `start`; of "Margaret, Margaret Hill" the whole one."""
    end = extent(said, start, capital=capital)
    whole = extent(said, end, capital=capital) if start < end < len(said.words) else end
    if end - start > 2 and not cased(said):
        # "Hill Margaret Hill", "Leo Leo Hill": told again without a pause.
        first = said.words[start].key
        start += first in (said.words[start + 1].key, said.words[end - 1].key)
    told = {word.key for word in said.words[start:end]}
    again = {word.key for word in said.words[end:whole]}
    return (end, whole) if told < again else (start, end)


def _past_particles(said: Utterance, start: int, capital: bool) -> int:
    """The word after "de la" between two words of a name; `start` where there are none."""
    end = start
    particles = single_words_of(said.language, "name_particles")
    while end < len(said.words) and said.words[end].key in particles and not said.words[end].stop:
        end += 1
    goes_on = end < len(said.words) and _plain(said, end, capital)
    # Where nothing has capitals, "soy Juan de ..." may say where from.
    return end if goes_on and (not capital or _capital(said, end)) else start


def _capital(said: Utterance, i: int) -> bool:
    return said.text[said.words[i].start].isupper()


def spelled_from(said: Utterance, i: int) -> bool:
    """Whether letters begin at word `i`."""
    return _letter(said, i) and _letter(said, i + 1)


def _letter(said: Utterance, i: int) -> bool:
    return i < len(said.words) and len(said.words[i].key) == 1 and said.words[i].key.isascii()


def backward(said: Utterance, end: int) -> int:
    """The first word of a name that ends before `end`."""
    start = end
    while start > 0 and end - start < LONGEST and not (start < end and said.words[start - 1].stop):
        if said.words[start - 1].stop or not _plain(said, start - 1, True):
            break
        start -= 1
    return untitled(said, start) if start + 1 < end else start
