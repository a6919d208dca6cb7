"""Which of an app's people the caller is, by all that was said at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache
from math import exp
from zoneinfo import ZoneInfo

from pipecat_memory.notes.fusion import codes, days, heard_names, names
from pipecat_memory.notes.fusion.channel import Sound
from pipecat_memory.notes.fusion.evidence import Attempt, posterior, standing
from pipecat_memory.notes.fusion.sounding import plain
from pipecat_memory.notes.spoken.language import base_of, language_of

SHORTLIST = 50
"""People looked at closely for each thing that was said."""
CACHED = 50_000
"""Values whose parts are kept, so that the same people are not taken apart at every call."""
NOBODY = 8.0
"""Cost per thing said at which the caller is taken to be none of these people."""


@dataclass(frozen=True, slots=True, repr=False)
class Person:
    """One person an app knows: its key, and what it holds by kind (`name`, `postcode`, `date`)."""

    key: str
    values: Mapping[str, str]

    def __repr__(self) -> str:
        return "<Person>"


@dataclass(frozen=True, slots=True, repr=False)
class Identified:
    """The likeliest person and how sure that is, 0..1."""

    key: str
    sure: float

    def __repr__(self) -> str:
        return f"<Identified sure={self.sure:.2f}>"


def identify(
    evidence: Mapping[str, Sequence[Attempt]],
    people: Sequence[Person],
    *,
    at: datetime,
    language: str | None = None,
    timezone: str = "UTC",
) -> Identified | None:
    """The person whose name, postcode and dates best explain everything heard, or None.

    Args:
        evidence: attempts by kind: `name`, `postcode`, `date`; other kinds are left out.
        people: whom the app knows. Ten thousand take a few hundred milliseconds: not for the
            reply path.
        at: the moment of speaking, with a zone.
        language: as the recogniser says.
        timezone: the caller's zone.
    """
    kept = {kind: standing(attempts) for kind, attempts in evidence.items()}
    kept = {
        kind: attempts for kind, attempts in kept.items() if attempts and kind in ("name", "postcode", "date")
    }
    if not kept or not people:
        return None
    today = at.astimezone(ZoneInfo(timezone)).date()
    base = base_of(language, next(iter(kept.values()))[0].texts[0])
    table = language_of(base)
    month_first = base == "en" and timezone.startswith("America/")
    heard_days = days.heard_days(kept.get("date", ()), table, today, month_first=month_first)
    heard_codes = codes.heard_codes(kept.get("postcode", ()))
    heard = heard_names.heard_names(kept.get("name", ()))
    close = _shortlist(people, kept, heard_codes, heard_days)
    scores = {person.key: 0.0 for person in close}
    tables = (
        ("date", _day_table(heard_days, _held(close, "date"))),
        ("postcode", codes.known_code_scores(heard_codes, _held(close, "postcode"))),
        ("name", names.known_name_scores(heard, _held(close, "name"))),
    )
    for kind, found in tables:
        if kind in kept:
            worst = min(found.values(), default=0.0)
            for person in close:
                scores[person.key] += found.get(person.values.get(kind, ""), worst)
    best = posterior(scores, 1.0)
    if not best:
        return None
    key, share = best[0]
    nobody = exp(min(50.0, -NOBODY * sum(map(len, kept.values())) - scores[key]))
    return Identified(key, share / (1.0 + share * nobody))


def _held(people: Iterable[Person], kind: str) -> list[str]:
    return list(dict.fromkeys(person.values[kind] for person in people if kind in person.values))


def _day_table(heard: list[list[list[days.Reading]]], held: list[str]) -> dict[str, float]:
    return days.known_day_scores(heard, [date.fromisoformat(day) for day in held])


def _shortlist(
    people: Sequence[Person],
    kept: Mapping[str, Sequence[Attempt]],
    heard_codes: codes.Heard,
    heard_days: list[list[list[days.Reading]]],
) -> list[Person]:
    """The people who share most with what was heard, for each kind of thing said."""
    if len(people) <= SHORTLIST:
        return list(people)
    found: dict[str, Person] = {}
    heard = {
        "name": _pairs(plain(text) for attempt in kept.get("name", ()) for text in attempt.texts),
        "postcode": _pairs(
            "".join(_likeliest(sound) for sound in string) for attempt in heard_codes for string in attempt
        ),
        "date": _fields(heard_days),
    }
    for kind in kept:
        cues = heard[kind]
        parts = _date_parts if kind == "date" else _text_parts
        ranked = sorted(
            people, key=lambda person: (-_shared(parts(person.values.get(kind, "")), cues), person.key)
        )
        found |= {person.key: person for person in ranked[:SHORTLIST]}
    return list(found.values())


def _likeliest(sound: Sound) -> str:
    return min(sound.row, key=sound.row.__getitem__)


def _pairs(texts: Iterable[str]) -> dict[str, float]:
    """Neighbouring letters that were heard, with how often (at most three times count)."""
    found: dict[str, float] = {}
    for text in texts:
        for part in _text_parts(text):
            found[part] = min(3.0, found.get(part, 0.0) + 1.0)
    return found


def _fields(heard: list[list[list[days.Reading]]]) -> dict[str, float]:
    found: dict[str, float] = {}
    for attempt in heard:
        for hypothesis in attempt:
            for reading in hypothesis:
                for name, value in (("d", reading.day), ("m", reading.month), ("y", reading.year)):
                    if value:
                        part = f"{name}{value}"
                        found[part] = min(3.0, found.get(part, 0.0) + 1.0)
    return found


@lru_cache(maxsize=CACHED)
def _text_parts(text: str) -> frozenset[str]:
    tight = "".join(mark for mark in text.lower() if mark.isalnum())
    return frozenset(tight[k : k + 2] for k in range(len(tight) - 1))


@lru_cache(maxsize=CACHED)
def _date_parts(day: str) -> frozenset[str]:
    year, _, rest = day.partition("-")
    month, _, number = rest.partition("-")
    return frozenset((f"y{year}", f"m{month.lstrip('0')}", f"d{number.lstrip('0')}"))


def _shared(parts: frozenset[str], cues: Mapping[str, float]) -> float:
    return sum(cues.get(part, 0.0) for part in parts) / max(1, len(parts))
