"""Whether a value follows from words: the same word, the same number, the same day, a known translation."""

from __future__ import annotations

import re
from collections.abc import Sequence

from . import cues
from .canon import concept, contrasts, fold, folded_list, singular, spans_meant, ways_of
from .keys import canonical_key
from .moments import Setting, foreign, is_moment, moment_in, spans_in
from .quote import Token, tokens
from .words import word_list

_STOP = folded_list("empty")
UNSAID = 1 / 3
"""Share of a text's words that may be the model's own where the text stands for the caller's words."""

COMPOUNDED = 5
"""Letters of a word that is no chance part of a longer one."""

_PHATIC = folded_list("phatic")
_COURTESIES = word_list("courtesy_keys")
_WITHOUT = ("los", "lose", "losen", "less")
"""Endings that turn a word into its opposite."""

_FRAME = folded_list("frame")
"""What a value may say around the thing itself, as its key does: "lives with", "shift", "p.m."."""


def content(text: str) -> list[Token]:
    """The words of a text that carry meaning."""
    return [token for token in tokens(text) if token.text not in _STOP]


def follows(key: str, value: str, text: str, words: str, setting: Setting) -> str | None:
    """The value as the words give it, or None where it does not follow from them.

    Args:
        key: the fact's key.
        value: its value as written form.
        text: the sentence a model made of it, in the caller's language; may be "".
        words: what the caller said.
        setting: when and where.
    """
    if is_moment(value):
        return moment_in(words, value, setting)
    if "@" in value:
        said = [str(s.value).casefold() for s in spans_in(words, "email", setting)]
        return value if value.casefold() in said or fold(value) in fold(words) else None
    if not _numbers_stand(value, words, setting):
        return None
    counted = spans_in(value, "number", setting)
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
    denies = bool(cues.NEGATION.search(words) or cues.DISLIKING.search(words))
    if (cues.NEGATION.search(value) and not denies) or contrasts(value, words):
        return None  # "no lift" does not follow from "there is a lift", nor "inside" from "outside"
    # One word off is another value: "the table by the door" is not "by the window".
    there, meant = tokens(words), spans_meant(value, words)
    missing = [
        t
        for t in wanted
        if not _stands(t, value, there, words)
        and not any(a <= t.start and t.end <= b for a, b in meant)
        and not cues.NEGATION.fullmatch(t.text)
    ]
    if not missing or (
        len(missing) < len(wanted) and all(t.text in _FRAME or _of_key(t, key) for t in missing)
    ):
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


def truth_said(key: str, words: str) -> bool:
    """Whether the words speak of what a key asks yes or no of, in any language of the table."""
    there = tokens(words)
    about = [t for t in content(key.replace("_", " ")) if t.text not in _FRAME] or content(key)
    return any(_stands(t, t.text, there, words) or _known(t.text, words) for t in about)


def text_follows(text: str, fact: str, words: str) -> bool:
    """Whether a sentence that a model wrote says no more than the words, and the fact made of them.

    Args:
        text: the sentence.
        fact: whose it is, its key and its value.
        words: what the caller said, or agreed to.
    """
    there = tokens(f"{words} {fact}")
    told = [t for t in content(text) if t.text not in _FRAME]
    unsaid = [t for t in told if not _stands(t, t.text, there, f"{words} {fact}")]
    if len(unsaid) > UNSAID * len(told) or (cues.NEGATION.search(text) and not cues.NEGATION.search(words)):
        return False
    return not any(t.text.isdigit() or (t.start and text[t.start].isupper()) for t in unsaid)


def polarity_fits(key: str, value: str, words: str) -> bool:
    """Whether liking and disliking in key or value agree with what the words say of them."""
    plain = fold(f"{key.replace('_', ' ')} {value}")
    dislikes = bool(re.search(r"\b(dislike|hate|avoid|detest)", plain))
    likes = not dislikes and bool(re.search(r"\b(like|love|enjoy|favou?rite|fond)", plain))
    against = bool(cues.DISLIKING.search(words))
    if not likes and canonical_key(key).endswith(("likes", "preference")) and not dislikes:
        # "Text, don't call" goes with a preference for text.
        return not against or bool(cues.NEGATION.search(value))
    against = against or bool(cues.NEGATION.search(words))
    if likes:
        return not against
    return not (dislikes and cues.LIKING.search(words) and not against)


def _numbers_stand(value: str, words: str, setting: Setting) -> bool:
    """Whether every number of the value was said, in digits or in words."""
    wanted = re.findall(r"\d+", value)
    wanted += [
        str(s.value) for s in spans_in(value, "number", setting) if not any(c.isdigit() for c in s.text)
    ]
    wanted = [w.removesuffix(".0") for w in wanted if w != "1"]
    if not wanted:
        return True
    plain = "".join(re.findall(r"\d", words))
    said = {
        str(s.value).removesuffix(".0")
        for kind in ("number", "digits")
        for s in spans_in(words, kind, setting)
    }
    said |= {
        re.sub(r"\D", "", str(s.value))
        for kind in ("phone", "money", "date", "time", "postcode")
        for s in spans_in(words, kind, setting)
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


def courtesy(key: str, value: str) -> bool:
    """Whether a fact is nothing but a greeting or a thank-you ("goodbye: adiós")."""
    polite = not _COURTESIES.isdisjoint(key.split("_"))
    return polite and all(token.text in _PHATIC for token in tokens(value))


def _stands(token: Token, value: str, there: Sequence[Token], words: str) -> bool:
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
    if any(a.endswith(end) != b.endswith(end) for end in _WITHOUT):
        return False
    if proper:
        return long.startswith(short) and len(long) - len(short) <= 2 and len(short) > 3
    shared = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), len(short))
    return shared >= 4 and shared >= 0.6 * len(long)


def _spelled(value: str, words: str, setting: Setting) -> bool:
    compact = re.sub(r"\W", "", fold(value))
    runs = [re.sub(r"\W", "", fold(str(s.value))) for s in spans_in(words, "spelled", setting)]
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
    """Whether value may be another language's word for what the text, close to the words, says.

    Nothing proves that it is. Of a value in the table the words of other languages were looked for in vain.
    """
    if not close(text, words, setting) or concept(value) is not None:
        return False
    said = tokens(text)
    if any(_stands(token, token.text, said, text) for token in content(value)):
        return False  # the text says it in the caller's language, so the caller would have said it
    there = tokens(words)
    unsaid = [t for t in content(text) if t.text not in _FRAME and not _stands(t, t.text, there, words)]
    # Likewise, as a part of a longer word.
    return not any(len(t.text) >= COMPOUNDED and t.text in fold(value) for t in unsaid)


def close(text: str, words: str, setting: Setting) -> bool:
    """Whether a text says in the caller's language, which is not English, what the words say."""
    if not text or not foreign(words, setting.language):
        return False
    there, told = tokens(words), content(text)
    unsaid = [t for t in told if t.text not in _FRAME and not _stands(t, t.text, there, words)]
    return len(unsaid) <= UNSAID * len(told) and len(unsaid) < len(told)
