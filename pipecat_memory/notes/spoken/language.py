"""The words of a language, read from `tables/`."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any

from pipecat_memory.notes.spoken.words import Word, split

TABLED = ("en", "es", "de", "fr")
_HAN = re.compile(r"[\u4e00-\u9fff]")


class Phrases:
    """Phrases of a table and what they mean; the longest one at a place wins."""

    def __init__(self, entries: dict[str, Any]) -> None:
        self.entries = entries
        self._by_first: dict[str, list[tuple[tuple[str, ...], Any]]] = {}
        for phrase, value in entries.items():
            words = tuple(word.text for word in split(phrase))
            if words:
                self._by_first.setdefault(words[0], []).append((words, value))
        for options in self._by_first.values():
            options.sort(key=lambda option: -len(option[0]))

    def at(self, words: tuple[Word, ...], i: int) -> tuple[Any, int] | None:
        """The meaning of the phrase that starts at word `i`, and the word after it."""
        if i >= len(words):
            return None
        for phrase, value in self._by_first.get(words[i].text, ()):
            end = i + len(phrase)
            if end <= len(words) and all(words[i + k].text == part for k, part in enumerate(phrase)):
                return value, end
        return None

    def before(self, words: tuple[Word, ...], end: int) -> tuple[Any, int] | None:
        """The meaning of a phrase that ends just before word `end`, and its first word."""
        for start in range(max(0, end - 4), end):
            found = self.at(words, start)
            if found and found[1] == end:
                return found[0], start
        return None

    def skip(self, words: tuple[Word, ...], i: int) -> int:
        """The place after an optional phrase at `i`."""
        found = self.at(words, i)
        return found[1] if found else i

    @property
    def first_words(self) -> frozenset[str]:
        """The words a phrase can begin with."""
        return frozenset(self._by_first)


@dataclass(frozen=True, eq=False, repr=False)
class Language:
    """One language's table.

    `compounds` are words for a weekday with a part of the day ("Freitagabend"), by `am` and `pm`.
    """

    code: str
    number_words: frozenset[str]
    number_pattern: re.Pattern[str] | None
    number_joins: frozenset[str]
    digit_words: dict[str, int]
    repeats: dict[str, int]
    ordinal_endings: frozenset[str]
    letters_common_words: frozenset[str]
    email_stops: frozenset[str]
    fillers: frozenset[str]
    units: dict[str, str]
    next_weekday: str
    compounds: dict[str, list[str]]
    phrases: dict[str, Phrases]

    def __getitem__(self, category: str) -> Phrases:
        return self.phrases[category]

    def __repr__(self) -> str:
        return f"<Language {self.code}>"


_CATEGORIES = (
    *(
        "amounts",
        "and_half",
        "ordinals",
        "months",
        "weekdays",
        "weekdays_short",
        "days",
        "this",
        "next",
        "next_after",
    ),
    *("last", "last_after", "week_after", "after", "from_now", "ago", "ago_before", "one", "the", "of"),
    *("on", "at", "around", "hour_words", "am", "pm", "past", "to", "half", "quarter", "half_before"),
    *(
        "hour_parts",
        "hour_marks",
        "ordinal_nouns",
        "after_hour",
        "minutes_join",
        "named_times",
        "currencies",
        "cents",
        "yes",
        "no",
    ),
    *("at_sign", "dot", "underscore", "dash", "plus", "letters", "alphabet", "as_in", "accents", "units"),
    *("nth", "in_month", "months_from_now", "day_of_month", "feasts", "a_week_from", "in_a_week"),
    *("since", "until"),
)


@lru_cache(maxsize=16)
def language_of(code: str) -> Language:
    """The table of a language code such as `en` or `en-GB`; English where there is none."""
    base = code.lower().replace("_", "-").split("-")[0]
    if base not in TABLED:
        base = "en"
    table = json.loads(
        (resources.files("pipecat_memory.notes.spoken") / "tables" / f"{base}.json").read_text("utf-8")
    )
    compounds: dict[str, list[str]] = {"am": [], "pm": []}
    for day, weekday in list(table["weekdays"].items()):
        for part, half in table.get("day_parts", {}).items():
            table["weekdays"][day + part] = weekday
            compounds[half].append(day + part)
    for half, words in compounds.items():
        table[half] += words
    pattern = table.get("number_pattern")
    return Language(
        code=base,
        number_words=frozenset(table["number_words"]),
        number_pattern=re.compile(pattern) if pattern else None,
        number_joins=frozenset(table["number_joins"]),
        digit_words=table["digit_words"],
        repeats=table["repeats"],
        ordinal_endings=frozenset(table["ordinal_endings"]),
        letters_common_words=frozenset(table["letters_common_words"]),
        email_stops=frozenset(table["email_stops"]),
        fillers=frozenset(table["fillers"]),
        units=table["units"],
        next_weekday=table["next_weekday"],
        compounds=compounds,
        phrases={name: Phrases(_as_entries(table.get(name, {}))) for name in _CATEGORIES},
    )


def _as_entries(raw: dict[str, Any] | list[str]) -> dict[str, Any]:
    return raw if isinstance(raw, dict) else dict.fromkeys(raw, True)


# The commonest words of a language that hardly stand in another table ("am", "an", "in", "um" do).
_COMMON = {
    "en": "the is it i my on at to and of for yes next you please i'm it's that hi hello name not",
    "es": "el los las una por para con tarde mi qué está sí tres día correo arroba del que su número llamo "
    "soy somos hola gracias buenos buenas quiero quisiera nombre apellido apellidos tengo perdón llámame "
    "llámeme cuál cuáles quién dónde cómo la estoy cuántos cuántas personas",
    "de": "der die das und ist nicht ich mein meine uhr bitte für ein nein ja wir sind sie ihre heiße "
    "heisse bin hallo danke guten nachname vorname habe möchte hätte kein keine hier nennen mit auch "
    "tag monat monats woche personen vor dem zum zur beim einen einem",
    "fr": "le les une et est je mon ma heures à pour non oui du c'est nous votre vous m'appelle suis bonjour "
    "merci j'ai voudrais la quel quelle combien personnes juste moi nom prénom appelez "
    "appelle pas numéro ai ne aux sera sommes ici",
}


@lru_cache(maxsize=1)
def _vocabularies() -> dict[str, frozenset[str]]:
    """Each language's common words, numbers, months and weekdays, without those of English.

    What English shortens ("mon") is no English where another language says it all the time.
    """
    found: dict[str, frozenset[str]] = {}
    theirs = frozenset(word for code, common in _COMMON.items() if code != "en" for word in common.split())
    for code, common in _COMMON.items():
        table = language_of(code)
        words = table.number_words | set(common.split())
        for category in ("months", "weekdays", "days", "ordinals", "feasts"):
            words |= table[category].first_words
        found[code] = words - (found["en"] if found else theirs)
    return found


@lru_cache(maxsize=256)
def tell(text: str, rather: str | None = None) -> str:
    """The language of an utterance by its commonest words; English where there are none.

    Of languages that have as many of them, it is `rather`.
    """
    if "¿" in text or "¡" in text:
        return "es"
    texts = frozenset(word.text for word in split(text))
    found = {code: len(texts & words) for code, words in _vocabularies().items()}
    return max(found, key=lambda code: (found[code], bool(found[code]) and code == rather))


def base_of(language: str | None, text: str, rather: str | None = None) -> str:
    """The table to use for an utterance: its script first, then what the recogniser said, then its words."""
    if _HAN.search(text):
        return "zh"
    base = (language or "").lower().replace("_", "-").split("-")[0]
    return base if base in TABLED else tell(text, rather)
