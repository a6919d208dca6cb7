"""The words of a language that carry disfluency, read from `tables/`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

from pipecat_memory.notes.spoken.language import Phrases, base_of, language_of

TABLED = frozenset({"en", "es", "de"})


@dataclass(frozen=True, eq=False, repr=False)
class Speech:
    """One language's fillers, edit phrases and function words."""

    code: str
    fillers: frozenset[str]
    asides: Phrases
    openers: frozenset[str]
    strong: Phrases
    weak: Phrases
    glue: Phrases
    tag: Phrases
    meant: Phrases
    guards: dict[str, frozenset[str]]
    classes: dict[str, frozenset[str]]
    doubled: frozenset[str]
    number_words: frozenset[str]
    weekdays_and_months: frozenset[str]
    figures: frozenset[str]

    def __repr__(self) -> str:
        return f"<Speech {self.code}>"

    def figure(self, word: str) -> bool:
        """Whether a word is one figure, or repeats one."""
        return len(word) == 1 or word in self.figures

    def kind(self, word: str) -> str | None:
        """The class of a word that a repair is matched by: a wh-word, determiner, number, ..."""
        if word.isdigit() or word in self.number_words:
            return "number"
        if word in self.weekdays_and_months:
            return "day"
        for name in ("wh", "articles", "determiners", "prepositions", "auxiliaries"):
            if word in self.classes[name]:
                return "determiners" if name == "articles" else name
        return None


@lru_cache(maxsize=8)
def speech_of(language: str | None, text: str = "") -> Speech:
    """The table for an utterance; English where there is none for its language."""
    base = base_of(language, text)
    return _speech(base if base in TABLED else "en")


@lru_cache(maxsize=4)
def _speech(base: str) -> Speech:
    raw = read(base)
    spoken = language_of(base)
    return Speech(
        code=base,
        fillers=frozenset(raw["fillers"]),
        asides=Phrases(dict.fromkeys(raw["asides"], True)),
        openers=frozenset(raw["openers"]),
        strong=Phrases(dict.fromkeys(raw["strong"], True)),
        weak=Phrases(dict.fromkeys(raw["weak"], True)),
        glue=Phrases(dict.fromkeys(raw["glue"], True)),
        tag=Phrases(dict.fromkeys(raw["tag"], True)),
        meant=Phrases(dict.fromkeys(raw["meant"], True)),
        guards={name: frozenset(words) for name, words in raw.items() if name.startswith("no_repair")},
        classes={
            name: frozenset(raw[name])
            for name in (
                "wh",
                "articles",
                "determiners",
                "prepositions",
                "auxiliaries",
                "pronouns",
                "conjunctions",
                "negations",
                "well_after",
                "before_question",
            )
        },
        doubled=frozenset(raw["doubled"]),
        number_words=frozenset(raw["number_words"]) | spoken.number_words,
        weekdays_and_months=spoken["weekdays"].first_words | spoken["months"].first_words,
        figures=frozenset(spoken.digit_words) | frozenset(spoken.repeats),
    )


@lru_cache(maxsize=4)
def read(base: str) -> dict[str, list[str]]:
    """A table as it is written."""
    path = resources.files("pipecat_memory.notes.disfluency") / "tables" / f"{base}.json"
    return json.loads(path.read_text("utf-8"))
