"""A name that is spelled: the letters decide how the part that they spell is written."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from pipecat_memory.notes.fusion.sounding import plain
from pipecat_memory.notes.grammar import Grammar
from pipecat_memory.notes.mention import Mention
from pipecat_memory.notes.name_slots import by_role
from pipecat_memory.notes.question import Question
from pipecat_memory.notes.spoken.language import language_of
from pipecat_memory.notes.spoken.spelling import find_spelled
from pipecat_memory.notes.utterance import Utterance, read
from pipecat_memory.notes.whole_name import Half, sounds_like
from pipecat_memory.records.call_state import SlotValue
from pipecat_memory.records.schema import Slot

ALIKE = 0.5
"""Likeness of a spelled word to the spoken one from which it is its spelling."""

BEGINS_UNLIKE = 0.7
"""The same where the two begin with different letters: "Peter" and "Meyer" end alike."""

SHIFTED = 0.05
"""What a letter more or less than was heard takes from the likeness of a cut."""

LETTERS = 3
"""Letters from which what is spelled is a name by itself, though nothing asked for one."""

ASIDE = 2
"""Words beside such letters at most: in longer sentences they are an abbreviation."""

CUES = (
    "asks_spelling",
    "name",
    "name_after",
    "family_name",
    "family_name_after",
    "given_name",
    "given_name_after",
    "preferred_name",
)
"""Groups that tell that a name is spelled."""

_APART = re.compile(r"[,;.]\s+")


@dataclass(frozen=True, slots=True, repr=False)
class _Run:
    letters: str
    start: int
    end: int

    @property
    def name(self) -> str:
        return self.letters.capitalize()


def spelled_names(
    mentions: list[Mention],
    text: str,
    language: str,
    question: Question,
    slots: Mapping[str, SlotValue],
    grammar: Grammar,
    *,
    before: str | None = None,
) -> list[Mention]:
    """The mentions with the names as they are spelled in the turn.

    Args:
        mentions: what the turn names.
        text: the turn.
        language: of the turn.
        question: what the agent asked.
        slots: what stands.
        grammar: of the call.
        before: the language spoken so far: names of letters alone tell none.
    """
    runs = max(
        (_runs(text, code) for code in dict.fromkeys((language, before or language))),
        key=lambda runs: sum(len(run.letters) for run in runs),
    )
    roles = by_role(grammar)
    if not runs or not roles:
        return mentions
    named = {slot.name for slot in roles.values()}
    said = read(text, language, grammar)
    asked = (
        any(name in named for name in question.slots[:1])
        or _asks_spelling(question)
        or any(said.hits(group) for group in CUES)
    )
    aside = len(said.words) - sum(said.index(run.end - 1) - said.index(run.start) + 1 for run in runs)
    for run in runs:
        if any(m.slot not in named and run.start <= m.start < run.end for m in mentions):
            continue  # letters of a code
        short = len(run.letters) < LETTERS
        if (short and (aside > 1 or not asked)) or (aside > ASIDE and not asked):
            continue
        # The letters themselves are no words of a name.
        mentions = [m for m in mentions if m.slot not in named or not run.start <= m.start < run.end]
        found = _placed(run, mentions, said, question, slots, grammar, asked=asked)
        if found is not None:
            mentions = [m for m in mentions if m.slot != found.slot] + [found]
    return mentions


def _runs(text: str, language: str) -> list[_Run]:
    found: list[_Run] = []
    for span in find_spelled(text, language_of(language)):
        if not str(span.value).isalpha():
            continue
        pieces = _pieces(span.text)
        each = [find_spelled(piece, language_of(language)) for _, piece in pieces]
        if len(pieces) > 1 and all(len(one) == 1 and len(str(one[0].value)) > 1 for one in each):
            found += [
                _Run(str(one[0].value), span.start + at, span.start + at + len(piece))
                for (at, piece), one in zip(pieces, each, strict=True)
            ]
        else:
            found.append(_Run(str(span.value), span.start, span.end))
    return found


def _pieces(text: str) -> list[tuple[int, str]]:
    """What stands between pauses, each with its place: two names may be spelled in one breath."""
    found: list[tuple[int, str]] = []
    start = 0
    for pause in _APART.finditer(text):
        found.append((start, text[start : pause.start()]))
        start = pause.end()
    return [*found, (start, text[start:])]


def _placed(
    run: _Run,
    mentions: list[Mention],
    said: Utterance,
    question: Question,
    slots: Mapping[str, SlotValue],
    grammar: Grammar,
    *,
    asked: bool,
) -> Mention | None:
    """The name that a run of letters spells a part of, or a new one where a name was asked for."""
    roles = by_role(grammar)
    here = [m for m in mentions if any(slot.name == m.slot for slot in roles.values())]
    spoken = said.text[run.start : run.end]
    half = _half(said, run) or question.half
    if half is None and (joined := _surname(here, run, said, roles.get("full"))) is not None:
        return joined
    for mention in here:  # "Smyth, S M Y T H"
        written = _respelled(str(mention.value), run, sole=False)
        if written is not None and mention.stance not in ("deny", "asked"):
            return replace(mention, value=written)
    held = {name: str(value.value) for name, value in slots.items()}
    own = roles.get(half) if half else None
    full = roles.get("full")
    if half is not None and (own or full) is not None:
        slot = own or full
        assert slot is not None
        standing = held.get(slot.name, "")
        written = _respelled(standing, run, sole=own is not None) if standing else None
        if written is not None:
            return Mention(slot.name, written, spoken, run.start, "correct")
        part: Half | None = half if own is None else None
        return Mention(slot.name, run.name, spoken, run.start, "correct" if standing else "assert", part=part)
    for slot in (s for s in roles.values() if s.name in held):
        written = _respelled(held[slot.name], run, sole=_asks_spelling(question))
        if written is not None:
            return Mention(slot.name, written, spoken, run.start, "correct")
    target = next((s for s in roles.values() if s.name in question.slots[:1]), full)
    if not asked or here or target is None or target.name in held:
        return None
    return Mention(target.name, run.name, spoken, run.start, "assert")


def _surname(here: list[Mention], run: _Run, said: Utterance, full: Slot | None) -> Mention | None:
    """A first name with the surname that is spelled right behind it, and was not said: "Robert, S M Y"."""
    if len(here) != 1 or full is None or here[0].slot != full.name or len(run.letters) < LETTERS:
        return None
    name = here[0]
    behind = said.index(run.start) == said.index(name.start + len(name.spoken) - 1) + 1
    if not behind or " " in str(name.value) or name.stance not in ("assert", "correct"):
        return None
    word, letters = plain(str(name.value)), plain(run.letters)
    begins_alike = ALIKE if word[:1] == letters[:1] else BEGINS_UNLIKE
    if _like(letters, word) >= begins_alike or sounds_like(word, run.name):
        return None
    return replace(name, value=f"{name.value} {run.name}", spoken=said.text[name.start : run.end])


def _respelled(name: str, run: _Run, *, sole: bool) -> str | None:
    """A name with the word that the letters spell; None where they spell none of it.

    `sole`: of a name of one word they spell that word, however unlike.
    """
    words = name.split()
    letters = plain(run.letters)
    if len(words) > 1 and _like(letters, plain(name)) > max(_like(letters, plain(word)) for word in words):
        return _split(words, run)
    best = max(range(len(words)), key=lambda n: _like(letters, plain(words[n])), default=None)
    if best is None:
        return None
    word = words[best]
    alike = _like(letters, plain(word)) >= ALIKE or sounds_like(word, run.name)
    if not alike and not (sole and len(words) == 1):
        return None
    words[best] = _written(word, run.name)
    return " ".join(words)


def _split(words: list[str], run: _Run) -> str | None:
    """Letters of a whole name, cut where its two words fit best."""
    if len(words) != 2 or _like(plain(run.letters), plain("".join(words))) < ALIKE:
        return None
    cuts = range(1, len(run.letters))
    fits = {
        k: _like(plain(run.letters[:k]), plain(words[0]))
        + _like(plain(run.letters[k:]), plain(words[1]))
        - SHIFTED * abs(k - len(words[0]))
        for k in cuts
    }
    cut = max(fits, key=lambda k: fits[k])
    first, last = run.letters[:cut].capitalize(), run.letters[cut:].capitalize()
    return f"{_written(words[0], first)} {_written(words[1], last)}"


def _written(word: str, spelled: str) -> str:
    """The word as it is spelled; letters said without their accents leave those that were heard."""
    if plain(word) != plain(spelled) or not spelled.isascii():
        return spelled
    return word if word != word.lower() else word.capitalize()


def _like(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other).ratio() if one and other else 0.0


def _half(said: Utterance, run: _Run) -> Half | None:
    """The half of a name that the words before the letters speak of."""
    at = said.index(run.start)
    first = said.sentence(at)[0]
    given, family = (
        max((hit.end for hit in said.hits(group) if first <= hit.start < at), default=0)
        for group in ("asks_given", "asks_family")
    )
    if given == family:
        return None
    return "given" if given > family else "family"


def _asks_spelling(question: Question) -> bool:
    return question.said is not None and bool(question.said.hits("asks_spelling"))
