"""Whether a value follows from words: the same word, the same number, the same day, a known translation."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache

from ..notes.spoken import Span, find
from . import cues
from .canon import concept, fold, singular, ways_of
from .keys import dated
from .quote import Token, tokens
from .words import word_list

_STOP = word_list("empty")
_MOMENT = re.compile(r"(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}))?(?::\d{2})?(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})?")
_CLOCK = re.compile(r"\d{1,2}:\d{2}")
_ENGLISH = word_list("english")
TIME_WORDS = word_list("time_keys")
_HABITS = word_list("habit_keys")


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


def content(text: str) -> list[Token]:
    """The words of a text that carry meaning."""
    return [token for token in tokens(text) if token.text not in _STOP]


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


def follows(key: str, value: str, text: str, words: str, setting: Setting) -> str | None:
    """The value as the words give it, or None where it does not follow from them.

    Args:
        key: the fact's key.
        value: its value as written form.
        text: the sentence a model made of it, in the caller's language; may be "".
        words: what the caller said.
        setting: when and where.
    """
    if (moment := _MOMENT.fullmatch(value)) or _CLOCK.fullmatch(value):
        return _moment_in(words, value, moment, setting)
    if "@" in value:
        said = [str(s.value).casefold() for s in _find(words, "email", setting)]
        return value if value.casefold() in said or fold(value) in fold(words) else None
    if not _numbers_stand(value, words, setting):
        return None
    counted = _find(value, "number", setting)
    wanted = [
        t
        for t in content(value)
        if not t.text.isdigit() and not any(s.start <= t.start < s.end for s in counted)
    ]
    if re.search(r"\d", value) and (compact := re.sub(r"\W", "", fold(value))) in re.sub(
        r"\W", "", fold(words)
    ):
        return value if len(compact) > 3 or not wanted else None
    feeling = [t for t in wanted if cues.LIKING.fullmatch(t.text) or cues.DISLIKING.fullmatch(t.text)]
    if feeling:
        wanted = [t for t in wanted if t not in feeling]
        if not wanted:  # "food_curry: likes": what is liked stands in the key or the text
            return value if truth_follows(key, text, words, setting) else None
    if not wanted:
        return value if re.search(r"\d", value) or fold(value) in fold(words) else None
    # One word off is another value: "the table by the door" is not "by the window".
    there = tokens(words)
    missing = [t for t in wanted if not _stands(t, value, there, words)]
    if not missing or (len(missing) < len(wanted) and all(_of_key(t, key) for t in missing)):
        return value
    if _spelled(value, words, setting) or _known(value, words):
        return value
    return value if _translated(value, text, words, setting) else None


def truth_follows(key: str, text: str, words: str, setting: Setting) -> bool:
    """Whether yes or no to a key has anything to do with the words."""
    there = tokens(words)
    about = [t for t in content(f"{key.replace('_', ' ')} {text}") if len(t.text) > 2 or not t.text.isascii()]
    if any(_stands(t, t.text, there, words) for t in about):
        return True
    return foreign(words, setting.language) and bool(text)


def polarity_fits(key: str, value: str, words: str) -> bool:
    """Whether liking and disliking in key or value agree with what the words say of them."""
    plain = fold(f"{key.replace('_', ' ')} {value}")
    dislikes = bool(re.search(r"\b(dislike|hate|avoid|detest)", plain))
    likes = not dislikes and bool(re.search(r"\b(like|love|enjoy|favou?rite|fond)", plain))
    against = bool(cues.DISLIKING.search(words)) or bool(cues.NEGATION.search(words))
    if likes:
        return not against
    return not (dislikes and cues.LIKING.search(words) and not against)


@lru_cache(maxsize=128)
def _find(words: str, kind: str, setting: Setting) -> list[Span]:
    return find(words, kind, language=setting.language, at=setting.at, timezone=setting.timezone)  # pyright: ignore[reportArgumentType]  # kinds here are literals of `Kind`


def _moments(words: str, setting: Setting) -> list[Span]:
    return _find(words, "datetime", setting)


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


def _moment_in(words: str, value: str, moment: re.Match[str] | None, setting: Setting) -> str | None:
    if moment is None:
        said = [
            str(s.value)[-5:] if s.kind == "time" else str(s.value)[11:16] for s in _moments(words, setting)
        ]
        return value if value.zfill(5) in said or fold(value) in fold(words) else None
    day, clock = moment.group(1), moment.group(2)
    spans = [s for s in _moments(words, setting) if s.kind in ("date", "datetime") and s.certainty >= 0.5]
    spans += [s for s in _find(words, "date", setting) if s.certainty >= 0.5]
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


def _numbers_stand(value: str, words: str, setting: Setting) -> bool:
    """Whether every number of the value was said, in digits or in words."""
    wanted = re.findall(r"\d+", value)
    wanted += [str(s.value) for s in _find(value, "number", setting) if not any(c.isdigit() for c in s.text)]
    wanted = [w.removesuffix(".0") for w in wanted if w != "1"]
    if not wanted:
        return True
    plain = "".join(re.findall(r"\d", words))
    said = {
        str(s.value).removesuffix(".0") for kind in ("number", "digits") for s in _find(words, kind, setting)
    }
    said |= {
        re.sub(r"\D", "", str(s.value))
        for kind in ("phone", "money", "date", "time", "postcode")
        for s in _find(words, kind, setting)
    }
    runs = [plain, *said]
    whole = "".join(re.findall(r"\d", value))
    if (
        any(len(run) >= 4 and (whole.endswith(run) or run.endswith(whole)) for run in runs)
        and len(whole) >= 4
    ):
        return True
    return all(w in re.findall(r"\d+", words) or w in said or (len(w) > 2 and w in plain) for w in wanted)


def _of_key(token: Token, key: str) -> bool:
    """Whether a word of a value only says again what the key says ("seat: window seat")."""
    return any(same_word(token.text, part, proper=False) for part in key.split("_"))


def repeats(key: str, value: str) -> bool:
    """Whether a value says nothing but its key ("boiler: boiler")."""
    said = {singular(token.text) for token in content(value)}
    return bool(said) and said == {singular(part) for part in key.split("_")}


def _stands(token: Token, value: str, there: list[Token], words: str) -> bool:
    """Whether a word of a value was said; a name must be that very name."""
    proper = (value[token.start : token.start + 1].isupper() and token.start > 0) or value[:1].isupper()
    return any(same_word(token.text, said.text, proper=proper) for said in there) or (
        not token.text.isascii() and len(token.text) > 1 and token.text in fold(words)
    )


def same_word(a: str, b: str, *, proper: bool) -> bool:
    """Whether two folded words are forms of one; for names only endings may differ."""
    if a == b or singular(a) == singular(b) or a.split("'")[0] == b.split("'")[0]:
        return True
    short, long = sorted((a, b), key=len)
    if short.isdigit() or long.isdigit():
        return False
    if proper:
        return long.startswith(short) and len(long) - len(short) <= 2 and len(short) > 3
    shared = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), len(short))
    return shared >= 4 and shared >= 0.6 * len(long)


def _spelled(value: str, words: str, setting: Setting) -> bool:
    compact = re.sub(r"\W", "", fold(value))
    runs = [re.sub(r"\W", "", fold(str(s.value))) for s in _find(words, "spelled", setting)]
    return len(compact) > 1 and any(compact in run for run in runs)


def _known(value: str, words: str) -> bool:
    """Whether the words name the same concept in any language of the table."""
    name = concept(value) or concept(" ".join(singular(t.text) for t in tokens(value)))
    if name is None:
        return False
    there, plain = {t.text for t in tokens(words)}, fold(words)
    return any(
        way in there
        or ((" " in way or not way.isascii()) and way in plain)
        or any(same_word(way, t, proper=False) for t in there if len(way) > 4)
        for way in (*ways_of(name), fold(name))
        if len(way) > 2 or not way.isascii()
    )


def _translated(value: str, text: str, words: str, setting: Setting) -> bool:
    """Whether value is another language's word for what the text, close to the words, says."""
    if not text or not foreign(words, setting.language):
        return False
    said = tokens(text)
    if any(_stands(token, token.text, said, text) for token in content(value)):
        return False  # the text says it in the caller's language, so the caller would have said it
    there = tokens(words)
    return any(_stands(token, token.text, there, words) for token in content(text))
