"""What the demo's callers say: drawn from a seed, so that nothing of it can stand in the program."""

from __future__ import annotations

import calendar
import functools
import random
import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import islice
from pathlib import Path

import jellyfish
from faker import Faker
from text_to_num import alpha2digit

SOURCES = ("pipecat_memory", "examples")
LOCALES = ["en_IE", "sv_SE", "es_ES", "it_IT"]
"""Names of these; the usual English ones stand in the package's table of names."""
ALIKE = 0.6
"""Share of an utterance's words that must come back. A swapped clip shares under a third."""


@dataclass(frozen=True, slots=True)
class Script:
    """Three calls. `lines` are the first caller's, `again` the second call's."""

    name: str
    party: int
    before: date
    after: date
    hour: int
    interrupt: float
    """Seconds into the bot's answer at which the caller cuts in."""
    cut: float
    """Share of the last sentence that is said before the caller hangs up."""
    numbers: tuple[str, str]

    @property
    def lines(self) -> dict[str, str]:
        """By label, in the order they are said."""
        first, second = weekday(self.before), weekday(self.after)
        return {
            "name": f"Hi, my name is {self.name}.",
            "booking": f"I'd like to book a table for {self.party} people on {first}.",
            "correction": f"Actually no, make that {second}, not {first}.",
            "interruption": "Sorry, please wait.",
            "broken off": "And could you also tell me whether there is any parking near the house?",
            "yes": "Yes please, let us finish that.",
            "time": f"At {self.hour} o'clock in the evening.",
            "stranger": "What do you know about my booking?",
        }


def draw(seed: int, root: Path, skip: int = 0) -> Script:
    """Draw a script.

    Args:
        seed: the same seed draws the same on the same day.
        root: of the project; a name that stands in its sources is drawn again.
        skip: names to pass over.
    """
    chance = random.Random(seed)  # noqa: S311 - a reproducible draw, no secret
    fake = Faker(LOCALES)
    fake.seed_instance(seed)
    written = words_of(root)
    names = (
        n
        for n in iter(fake.first_name, None)
        if 4 < len(n) < 9 and n.isascii() and n.isalpha() and n.lower() not in written
    )
    name = next(islice(names, skip, None))
    today = datetime.now(UTC).date()
    before, after = (today + timedelta(days=d) for d in chance.sample(range(2, 7), 2))
    area = chance.randint(200, 899)
    numbers = tuple(f"+1{area}555{n}" for n in chance.sample(range(1000, 9999), 2))
    return Script(
        name=name,
        party=chance.randint(3, 9),
        before=before,
        after=after,
        hour=chance.randint(6, 9),
        interrupt=round(chance.uniform(0.9, 2.0), 2),
        cut=round(chance.uniform(0.55, 0.75), 2),
        numbers=(numbers[0], numbers[1]),
    )


@functools.cache
def words_of(root: Path) -> set[str]:
    """Every word in the sources."""
    words: set[str] = set()
    for folder in SOURCES:
        for path in (root / folder).rglob("*"):
            if path.suffix in (".py", ".json", ".yaml", ".md", ".xml", ".txt"):
                words |= set(re.findall(r"[a-z]+", path.read_text(encoding="utf-8", errors="ignore").lower()))
    return words


def weekday(day: date) -> str:
    """The day's name in English."""
    return calendar.day_name[day.weekday()]


def folded(text: str) -> list[str]:
    """The words of a text as one would compare them: lower case, numbers as digits."""
    return re.findall(r"[a-z0-9]+", alpha2digit(text.lower().replace("'", ""), "en", threshold=0))


def same_utterance(said: str, heard: str, *, share: float = 1.0) -> bool:
    """Whether `heard` is what was said, as a recogniser spells it.

    Args:
        said: the words spoken.
        heard: the words that came back.
        share: how much of it was said, for a sentence that was broken off.
    """
    words = folded(said)
    words = words[: max(1, int(len(words) * share * 0.8))] if share < 1 else words
    left = folded(heard)
    found = 0
    for word in words:
        match = next((w for w in left if same_word(word, w)), None)
        if match is not None:
            left.remove(match)
            found += 1
    return found >= ALIKE * len(words)


def same_word(one: str, other: str) -> bool:
    """Whether two spellings sound the same, or nearly."""
    one, other = one.lower(), other.lower()
    if one == other:
        return True
    if one.isdigit() or other.isdigit() or min(len(one), len(other)) < 3:
        return False
    if jellyfish.metaphone(one) == jellyfish.metaphone(other):
        return True
    return jellyfish.jaro_winkler_similarity(one, other) >= 0.88


def says(text: str, word: str) -> bool:
    """Whether a text contains a word, however the recogniser spells it."""
    return any(same_word(word, w) for w in folded(text))
