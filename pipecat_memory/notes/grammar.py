"""What to listen for: a schema's own words and one language's cues, as one phrasebook.

The cues stand in `data/`, one file a language. A new language is a new file.
"""

from __future__ import annotations

import json
from collections import deque
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources
from typing import Any

from pipecat_memory.notes.choice_words import forms, parted, telling_parts
from pipecat_memory.notes.personal import is_birthday, names_a_person
from pipecat_memory.notes.spoken.language import TABLED, language_of
from pipecat_memory.notes.tokens import Phrasebook, key, keys
from pipecat_memory.records.schema import MemorySchema, Slot

LANGUAGES = ("en", "es", "zh", "de", "fr")

CUES = [
    "correction",
    "no",
    "yes",
    "negation",
    "nothing",
    "withdrawal",
    "hedge",
    "suggest",
    "question",
    "request",
    "or",
    "after_all",
    "settling",
    "and",
    "but",
    "any",
    "weak_any",
    "denied_after",
    "name",
    "name_after",
    "weak_name",
    "being_name",
    "booked_name",
    "asked_name",
    "booking_nouns",
    "family_name",
    "family_name_after",
    "name_goes_on",
    "given_name",
    "given_name_after",
    "preferred_name",
    "asks_given",
    "asks_family",
    "asks_whole",
    "asks_spelling",
    "dont_know",
    "wh",
    "ask_for",
    "restart",
    "confirm",
    "people_nouns",
    "people_frames",
    "part_of",
    "persons",
    "tails",
    "ends_in",
    "self",
    "range",
    "early",
    "late",
    "no_half",
    "dining",
    "is",
    "contrast",
    "self_question",
    "whether",
    "recalled",
    "recalled_last",
    "being",
    "suppose",
    "others",
    "says",
    "own_subject",
    "somebody_else",
    "not_me",
    "another",
    "right_after_all",
    "fine_after_all",
    "asks_anew",
    "tag",
    "keep",
    "bound",
    "former",
    "no_negation",
    "located",
    "courtesy",
    "past",
    "asks_clock",
    "calls_again",
    "of_other",
    "ending",
    "opening",
    "excepting",
    "event",
    "limit",
    "asks_past",
    "having",
]
"""Groups of a language file that are listened for."""

NAMED_BY_TYPE = frozenset({"phone", "email", "address", "postcode"})
"""Types whose common words name a slot of that type, whatever the app calls it."""

NAMING = ("full", "given", "family", "preferred")


@lru_cache(maxsize=len(LANGUAGES))
def table(language: str) -> dict[str, Any]:
    """The cues of a language; English where there is no file."""
    known = language if language in LANGUAGES else "en"
    return json.loads((resources.files("pipecat_memory.notes") / "data" / f"{known}.json").read_text("utf-8"))


@lru_cache(maxsize=256)
def words_of(language: str, group: str) -> frozenset[tuple[str, ...]]:
    """The phrases of one group, for a look-up by tokens."""
    return frozenset(keys(phrase) for phrase in table(language)[group])


@lru_cache(maxsize=256)
def single_words_of(language: str, group: str) -> frozenset[str]:
    """The one-word phrases of one group."""
    return frozenset(phrase[0] for phrase in words_of(language, group) if len(phrase) == 1)


@lru_cache(maxsize=256)
def between_kin(language: str, group: str) -> frozenset[str]:
    """Words that come before people of one's own (`determiners`) and between them (`joins`)."""
    return frozenset(key(word) for word in table(language)["kin"][group])


@lru_cache(maxsize=16)
def shift_words(language: str) -> frozenset[str]:
    """Words that may stand around a relative change ("could we make it an hour later, please")."""
    return frozenset(key(word) for word in table(language)["shift"]["around"])


@dataclass(frozen=True, repr=False)
class Grammar:
    """A schema with its phrasebooks, one a language, built when first needed."""

    schema: MemorySchema
    _books: dict[str, Phrasebook] = field(default_factory=dict[str, Phrasebook])
    _roles: dict[str, str | None] = field(default_factory=dict[str, "str | None"])
    _any: dict[str, str | None] = field(default_factory=dict[str, "str | None"])

    def book(self, language: str) -> Phrasebook:
        """The phrasebook for a language: cues, values of choices, labels of slots."""
        known = language if language in LANGUAGES else "en"
        if known not in self._books:
            self._books[known] = _book(self.schema, known)
        return self._books[known]

    def any_value(self, slot: Slot) -> str | None:
        """The slot's own value for "no preference", where it has one."""
        if slot.name not in self._any:
            wanted = frozenset[tuple[str, ...]]().union(*(words_of(one, "any_values") for one in LANGUAGES))
            self._any[slot.name] = next((value for value in slot.values if keys(value) in wanted), None)
        return self._any[slot.name]

    def naming(self, slot: Slot) -> str | None:
        """Whose name part a slot holds: one of `NAMING`, "other" (somebody else's), None (no name)."""
        if slot.name not in self._roles:
            self._roles[slot.name] = self._role(slot)
        return self._roles[slot.name]

    def _role(self, slot: Slot) -> str | None:
        if slot.type not in ("name", "text"):
            return None
        label = key(slot.label)
        if slot.type == "text" and not names_a_person(label):
            return None  # a pet's or a product's
        for part in ("given", "family", "preferred", "full"):
            named = any(_holds(label, language, f"{part}_words") for language in LANGUAGES)
            if named and (slot.type == "name" or part != "preferred"):
                return part
        return "other" if slot.type == "name" else None

    def __repr__(self) -> str:
        return f"<Grammar slots={len(self.schema.slots)}>"


_made: deque[Grammar] = deque(maxlen=8)


def grammar_of(schema: MemorySchema) -> Grammar:
    """The grammar of a schema. Calls of one app share it: a phrasebook takes milliseconds of the loop."""
    found = next((grammar for grammar in _made if grammar.schema == schema), None)
    if found is None:
        found = Grammar(schema)
        _made.append(found)
    return found


def _holds(label: str, language: str, group: str) -> bool:
    words = label.split()
    return any(
        key(word) in words or (not word.isascii() and key(word) in label) for word in table(language)[group]
    )


def _book(schema: MemorySchema, language: str) -> Phrasebook:
    book = Phrasebook()
    data = table(language)
    for group in CUES:
        book.add_all(data[group], group)
    compounds = language_of(language).compounds if language in TABLED else {"am": [], "pm": []}
    book.add_all(compounds["am"], "early")
    book.add_all(compounds["pm"], "late")
    _add_by_meaning(book, data, language)
    for phrases in data["slot_words"].values():
        for phrase in map(keys, phrases):
            book.add(phrase if len(phrase) > 1 else (), "label")  # of a slot that may not be ours
    for slot in schema.slots:
        _add_values(book, slot, language)
        for part, value in telling_parts(slot, schema).items():
            book.add((part,), f"part:{slot.name}", value)
        for phrase in labels(slot, data["slot_words"]):
            book.add(phrase, "label", slot.name)
            if language == "fr" and phrase[0][0] in "aeiouh":  # "l'adresse" is one word
                for article in "ld":
                    book.add((article + phrase[0], *phrase[1:]), "label", slot.name)
    return book


def _add_by_meaning(book: Phrasebook, data: dict[str, Any], language: str) -> None:
    """The cues that stand in a table by what they mean."""
    for kind, cues in data["list_cues"].items():
        for place in ("before", "after", "denied", "only"):
            book.add_all(cues[place], place, kind)
    for phrase, place in data["alternative"].items():
        book.add(keys(phrase), "alternative", str(place))
    for number in ("self", "one", "two"):
        book.add_all(data["kin"][number], "kin", number)
        whose = language == "en" and number != "self"  # "my son's"
        book.add_all((f"{word}s" for word in data["kin"][number] if whose), "kin", "whose")
    if language == "en":  # "my wife's number"
        book.add_all((f"{word}s" for word in data["kin"]["one"]), "others")
    if language == "zh":  # 我婆婆
        kin = [*data["kin"]["one"], *data["kin"]["two"]]
        book.add_all((f"{whose}{one}" for whose in ("我", "我的") for one in kin), "others")
    for place in ("before", "after"):
        for way, phrases in data["shift"][place].items():
            book.add_all(phrases, f"shift_{place}", way)
    for phrase, size in data["party"].items():
        book.add(keys(phrase), "party", str(size))
    book.add_all(data["shift"]["vague"], "shift_vague")
    for phrase, days in data["shift"]["days"].items():
        book.add(keys(phrase), "shift_days", str(days))


def _add_values(book: Phrasebook, slot: Slot, language: str) -> None:
    """The values of a choice, as they may be said."""
    for value in slot.values:
        for way in slot.ways(value):
            if keys(way) in words_of(language, "weak_any"):
                continue  # "any" in a sentence is seldom that value; `choices` knows when
            for form in forms(keys(way)):
                book.add(form, f"choice:{slot.name}", value)
        if keys(value) not in words_of(language, "any_values"):
            for halves in parted(keys(value)):
                book.add(halves, f"choice:{slot.name}", value)


def labels(slot: Slot, slot_words: dict[str, list[str]]) -> set[tuple[str, ...]]:
    """The phrases that name a slot."""
    label = key(slot.label)
    found = {keys(slot.label)}
    for word, phrases in slot_words.items():
        if word == "name" and any(_holds(label, language, "preferred_words") for language in LANGUAGES):
            continue  # "your name" asks for the name, not for what to call the caller
        if word == "name" and slot.type == "text" and not names_a_person(label):
            continue  # nor for a pet's
        if word == "date" and is_birthday(slot):
            continue  # "when would you like to come?" asks for no birthday
        if word in label or (word == slot.type and word in NAMED_BY_TYPE):
            found.update(keys(phrase) for phrase in phrases)
    found -= {()}
    return found | {(*phrase[:-1], phrase[-1] + "s") for phrase in found if phrase[-1].isascii()}
