"""Whether words look like a person's name: by capitals, by a list of names, by what they are otherwise."""

from __future__ import annotations

from collections.abc import Iterable

from pipecat_memory.notes.fusion.name_list import listed
from pipecat_memory.notes.grammar import single_words_of, table, words_of
from pipecat_memory.notes.spoken.language import language_of
from pipecat_memory.notes.spoken.numbers import is_number_word
from pipecat_memory.notes.utterance import Utterance
from pipecat_memory.notes.whole_name import sounds_like

CHINESE = 3
"""Characters of a Chinese name, of which the first is the surname; a surname of two has one more."""


def cased(said: Utterance) -> bool:
    """Whether the transcript writes names with capitals."""
    return any(c.isupper() for c in said.text) and not said.text.isupper()


def is_listed(said: Utterance, i: int) -> bool:
    """Whether a word is a known given name: the sign left where nothing is written with capitals."""
    return said.words[i].key in listed()[0]


def possessive(said: Utterance, i: int) -> bool:
    """Whether a word is "Mary's": then it speaks of somebody else."""
    written = said.text[said.words[i].start : said.words[i].end]
    return written.lower().endswith(("'s", "’s"))


def a_name(said: Utterance, start: int, end: int, *, capitals: bool) -> bool:
    """Whether the words after a weak cue ("I'm ...") name a person rather than say what one is.

    Args:
        said: the utterance.
        start: the first word.
        end: one past the last.
        capitals: whether capitals tell: in German every noun has one.
    """
    if said.language == "zh":
        return _chinese(said, start, end)
    if end < len(said.words) and not said.words[end - 1].stop and _counts(said, end):
        return False  # "Type 2"
    if any(_described(said, i) for i in {start, end - 1}):
        return False
    return (capitals and cased(said)) or is_listed(said, start)


def surname_described(words: str) -> str | None:
    """The Chinese surname that words describe: 弓长张 (by its parts), 王三横王; None for a plain name."""
    described: dict[str, str] = table("zh")["surname_parts"]
    if words in described:
        return described[words]
    return words[0] if len(words) > 2 and words[0] == words[-1] and words[1:] in described else None


def hearing_of(words: str, names: Iterable[str]) -> bool:
    """Whether a word sounds like a part of one of the names."""
    return any(sounds_like(words, part) for name in names for part in (name, *name.split()))


def _counts(said: Utterance, i: int) -> bool:
    word = said.words[i].key
    return word[:1].isdigit() or is_number_word(word, language_of(said.language))


def _described(said: Utterance, i: int) -> bool:
    """Whether a word says what somebody is: a nationality, a profession, a state."""
    word = said.words[i].key
    if word in single_words_of(said.language, "descriptions"):
        return True
    endings = tuple(single_words_of(said.language, "description_endings"))
    return word not in listed()[0] and len(word) > 4 and bool(endings) and word.endswith(endings)


def _chinese(said: Utterance, start: int, end: int) -> bool:
    """A surname and one or two characters, a surname after 小 or 老; and then nothing but a request."""
    name = said.span(start, end)
    after = single_words_of("zh", "after_name")
    if end < len(said.words) and not said.words[end - 1].stop and said.words[end].key not in after:
        return False
    if any(name.startswith("".join(words)) for words in words_of("zh", "descriptions")):
        return False
    surnames = words_of("zh", "surnames")
    if name[0] in single_words_of("zh", "familiar"):
        return (name[1:],) in surnames
    if tuple(name[:2]) in surnames:
        return 2 < len(name) <= CHINESE + 1
    return 1 < len(name) <= CHINESE and (name[0],) in surnames
