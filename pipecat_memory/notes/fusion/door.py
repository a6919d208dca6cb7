"""`fuse`: the best value over all attempts, and how sure it is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime
from math import exp, log
from typing import Any
from zoneinfo import ZoneInfo

from pipecat_memory.notes.fusion import codes, days, names, strings
from pipecat_memory.notes.fusion.evidence import Attempt, Candidate, Fused, posterior, standing
from pipecat_memory.notes.spoken.language import base_of, language_of
from pipecat_memory.notes.spoken.phone import region_of

CANDIDATE = 4.0
"""Log prior of a value that the app or the profile holds possible, over one out of nowhere."""
MOST_CANDIDATES = 200
"""Candidates that are scored; an app with more narrows them down by what was heard."""
CALIBRATION = {"name": (0.5, 0.0, 1.85), "postcode": (0.5, 1.0, 0.95)}
"""How belief becomes `sure`, as log odds: weight of the share, what each attempt adds that was heard
mark for mark, what is added to all. Attempts by one voice err alike, hence the half. Set so that
of what reaches `SURE` about 94 in 100 are right, on telephone calls with three attempts each (see
docs/claims.md); other kinds need none."""

AGAINST = 0.75
"""What an attempt takes off these log odds in which the next best value was heard mark for mark: it may
be another hypothesis of the same words, so less than such an attempt adds."""


def prewarm() -> None:
    """Read the name list now rather than in a call."""
    names.prewarm()


def fuse(
    kind: str,
    attempts: Sequence[Attempt],
    *,
    at: datetime,
    language: str | None = None,
    timezone: str = "UTC",
    pattern: str | None = None,
    profile: Any = None,
    candidates: Sequence[Candidate] = (),
) -> Fused | None:
    """The best value that all attempts at it add up to, or None where nothing fits.

    Args:
        kind: of the slot. `name`, `postcode` and `date` are read closely, letter by letter and
            field by field; other kinds are voted on.
        attempts: in the order they were made.
        at: the moment of the last one, with a zone.
        language: as the recogniser says.
        timezone: the caller's zone: its country's postcode, its day.
        pattern: the app's own pattern for the value.
        profile: what the caller's profile holds for this slot, or None.
        candidates: values the app holds possible, such as its customers' postcodes.
    """
    kept = standing(attempts)
    if not kept:
        return None
    known = list(candidates)[:MOST_CANDIDATES]
    if profile is not None:
        known.append(Candidate(profile))
    scores, alike = _scores(kind, kept, known, at, language, timezone, pattern)
    if pattern is not None:
        scores = {value: score for value, score in scores.items() if fits(pattern, value)}
    if not scores:
        return None
    belief = [(value, share) for value, share in posterior(alike | scores, 1.0) if value in scores]
    value, share = belief[0]
    nothing = exp(min(50.0, -strings.NOTHING * len(kept) - scores[value]))
    share = share / (1.0 + share * nothing)
    weight, clearly, always = CALIBRATION.get(kind, (1.0, 0.0, 0.0))
    odds = weight * log(share / max(1.0 - share, 1e-9)) + always
    rival = belief[1][0] if len(belief) > 1 else None
    if clearly and isinstance(value, str):
        odds += clearly * codes.clear_readings(kept, value)
        odds -= AGAINST * codes.clear_readings(kept, str(rival)) if rival else 0.0
    sure = min(1.0 / (1.0 + exp(-odds)), max(trust(attempt) for attempt in kept))
    return Fused(value, sure, rival, kept[-1].texts[0])


def trust(attempt: Attempt) -> float:
    """The most a value can be believed in the light of the recogniser's own confidence."""
    return 1.0 if attempt.confidence is None else 0.5 + 0.5 * attempt.confidence


def fits(pattern: str, value: Any) -> bool:
    """Whether a value fits the app's pattern, with or without its blank."""
    text = str(value)
    return re.fullmatch(pattern, text) is not None or re.fullmatch(pattern, text.replace(" ", "")) is not None


def _scores(
    kind: str,
    attempts: tuple[Attempt, ...],
    known: list[Candidate],
    at: datetime,
    language: str | None,
    timezone: str,
    pattern: str | None,
) -> tuple[dict[Any, float], dict[Any, float]]:
    """Scores of the values that may be meant, and of those that nobody said but sound like them."""
    values = [candidate.value for candidate in known]
    base = base_of(language, attempts[-1].texts[0])
    country = country_of(timezone, pattern) if kind == "postcode" else None
    if kind == "name" and base != "zh":
        heard_names = names.heard_names(attempts)
        found = names.name_scores(heard_names)
        return _with(found.heard, names.known_name_scores(heard_names, values), known), found.alike
    if country is not None:
        heard_codes = codes.heard_codes(attempts)
        theirs = codes.known_code_scores(heard_codes, values)
        return _with(codes.code_scores(heard_codes, country), theirs, known), {}
    if kind == "date" and base != "zh":
        today = at.astimezone(ZoneInfo(timezone)).date()
        month_first = base == "en" and timezone.startswith("America/")
        heard_days = days.heard_days(attempts, language_of(base), today, month_first=month_first)
        theirs = days.known_day_scores(heard_days, [date.fromisoformat(str(value)) for value in values])
        return _with(days.day_scores(heard_days), theirs, known), {}
    heard = strings.heard_values(kind, attempts, at, language, timezone, pattern)
    return _with(strings.value_scores(heard), strings.known_value_scores(heard, values), known), {}


def _with(scores: dict[Any, float], theirs: dict[Any, float], known: list[Candidate]) -> dict[Any, float]:
    """Scores with the candidates' among them, each lifted by its prior."""
    weights = {str(candidate.value): candidate.weight for candidate in known}
    for value, score in theirs.items():
        lifted = score + CANDIDATE + log(max(weights.get(str(value), 1.0), 1e-9))
        scores[value] = max(lifted, scores.get(value, lifted))
    return scores


def country_of(timezone: str, pattern: str | None) -> codes.Country | None:
    """The country whose code is spelled: the caller's, or the one the app's pattern is for."""
    if pattern is not None:
        for code, sample in (("GB", "M1 1AA"), ("CA", "K1A 0B1"), ("NL", "1011 AB")):
            if fits(pattern, sample):
                return codes.COUNTRIES[code]
        return None
    return codes.COUNTRIES.get(region_of(timezone) or "")
