"""Days and times in what a model wrote: as the words give them, and without what rots."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache

from ..notes.spoken import Span, find
from .canon import fold
from .keys import canonical_key, dated
from .quote import tokens
from .words import word_list

_MOMENT = re.compile(r"(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}))?(?::\d{2})?(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})?")
_CLOCK = re.compile(r"\d{1,2}:\d{2}")
_ENGLISH = word_list("english")
_HABITS = word_list("habit_keys")
TIME_WORDS = word_list("time_keys")


@dataclass(frozen=True, slots=True, repr=False)
class Setting:
    """When and where words were said."""

    at: datetime
    timezone: str
    language: str | None


def foreign(text: str, language: str | None) -> bool:
    """Whether the words are not English, as far as can be told."""
    if language:
        return not language.lower().startswith("en")
    return not any(token.text in _ENGLISH for token in tokens(text))


def resolved(key: str, value: str, words: str, setting: Setting) -> str:
    """A value without words that rot: "tomorrow at 7" becomes that day in the caller's zone.

    A lone weekday under a key that is no date stays ("prefers Thursdays").
    """
    spans = [s for s in _moments(value, setting) if s.certainty >= 0.5]
    if len(spans) != 1 or len(spans[0].text) < 0.6 * len(value.strip()):
        return value
    parts = key.split("_")
    day_key = (dated(key) or not TIME_WORDS.isdisjoint(parts)) and _HABITS.isdisjoint(parts)
    if not _relative(value, spans[0], setting) and not day_key:
        return value
    if len(tokens(value)) == 1 and not day_key and not _nearby(value, setting):
        return value
    said = [s for s in _moments(words, setting) if s.certainty >= 0.5 and s.kind == spans[0].kind]
    return str(said[0].value if len(said) == 1 else spans[0].value)


def spelled_out(key: str, value: str, setting: Setting) -> str:
    """An address or number in words as it is written: "n dot ray at example dot org" is n.ray@example.org."""
    kind = canonical_key(key)
    if kind not in ("email", "phone") or "@" in value or any(c.isdigit() for c in value):
        return value
    spans = spans_in(value, kind, setting)
    whole = len(spans) == 1 and len(spans[0].text) >= 0.8 * len(value.strip())
    return str(spans[0].value) if whole else value


def anchored(text: str, setting: Setting) -> str:
    """A text whose relative days are written as dates, so that it stays true when read later."""
    for span in reversed(_moments(text, setting)):
        whole = span.kind in ("date", "datetime") and span.certainty >= 0.5
        if (
            whole
            and _relative(text, span, setting)
            and (len(span.text.split()) > 1 or _nearby(span.text, setting))
        ):
            written = str(span.value).replace("T", " ")[:16]
            text = text[: span.start] + written + text[span.end :]
    return text


@lru_cache(maxsize=128)
def spans_in(words: str, kind: str, setting: Setting) -> list[Span]:
    """What of a kind is said in the words."""
    return find(words, kind, language=setting.language, at=setting.at, timezone=setting.timezone)  # pyright: ignore[reportArgumentType]  # kinds here are literals of `Kind`


def _moments(words: str, setting: Setting) -> list[Span]:
    return spans_in(words, "datetime", setting)


def _relative(text: str, span: Span, setting: Setting) -> bool:
    """Whether the same words mean another day nine days later."""
    later = Setting(setting.at + timedelta(days=9), setting.timezone, setting.language)
    again = [s for s in _moments(text, later) if s.start == span.start]
    return span.kind != "time" and bool(again) and again[0].value != span.value


def _nearby(word: str, setting: Setting) -> bool:
    """Whether one word is a day counted from today ("tomorrow"), not a weekday."""
    shifted = Setting(setting.at + timedelta(days=7), setting.timezone, setting.language)
    now, then = _moments(word, setting), _moments(word, shifted)
    earlier = _moments(word, Setting(setting.at + timedelta(days=1), setting.timezone, setting.language))
    if not (now and then and earlier):
        return False
    return now[0].value != then[0].value and earlier[0].value != now[0].value


def is_moment(value: str) -> bool:
    """Whether a value is a day, a moment or a time of day in written form."""
    return bool(_MOMENT.fullmatch(value) or _CLOCK.fullmatch(value))


def moment_in(words: str, value: str, setting: Setting) -> str | None:
    """The day or time of a value as the words give it; None where they say nothing of it."""
    moment = _MOMENT.fullmatch(value)
    if moment is None:
        said = [
            str(s.value)[-5:] if s.kind == "time" else str(s.value)[11:16] for s in _moments(words, setting)
        ]
        return value if value.zfill(5) in said or fold(value) in fold(words) else None
    day, clock = moment.group(1), moment.group(2)
    spans = [s for s in _moments(words, setting) if s.kind in ("date", "datetime") and s.certainty >= 0.5]
    spans += [s for s in spans_in(words, "date", setting) if s.certainty >= 0.5]
    for span in spans:
        if str(span.value)[:10] == day and (not clock or clock in (str(span.value)[11:16], "00:00")):
            return value
        if (
            str(span.value)[:10] == day
            and clock
            and any(clock == str(s.value)[:5] for s in _moments(words, setting) if s.kind == "time")
        ):
            return value
    if spans:
        # The words are clear and say another day: the words count.
        return str(spans[0].value) if len({str(s.value)[:10] for s in spans}) == 1 else None
    if day in words or (
        foreign(words, setting.language) and re.search(rf"(?<!\d){int(day[-2:])}(?!\d)", words)
    ):
        return value
    return None
