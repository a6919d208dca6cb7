"""Names of people, as the caller gives them. A name is kept as it was said, never corrected.

Strong cues ("my name is") are believed. Weak ones ("this is", "a table for") are read only where
the words look like a name: written with capitals, or listed as one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from pipecat_memory.notes.bare_answer import of_another, past_lead_in
from pipecat_memory.notes.grammar import Grammar, single_words_of
from pipecat_memory.notes.letter_aside import letter_aside, written_with
from pipecat_memory.notes.mention import Mention
from pipecat_memory.notes.name_extent import backward, extent, restated, spelled_from, untitled
from pipecat_memory.notes.name_likeness import a_name, cased, hearing_of, is_listed, surname_described
from pipecat_memory.notes.name_slots import by_role, holds, parts
from pipecat_memory.notes.taken_back import places
from pipecat_memory.notes.tokens import Hit
from pipecat_memory.notes.utterance import Stance, Utterance, stance
from pipecat_memory.notes.whole_name import Half
from pipecat_memory.records.schema import Slot

OPENING = 6
"""Words into a turn within which callers say who they are ("hi, good morning, this is ...")."""

ROLES = {
    "preferred_name": "preferred",
    "family_name": "family",
    "given_name": "given",
    "name": "full",
    "weak_name": "full",
    "being_name": "full",
    "booked_name": "full",
    "asked_name": "full",
}
"""Cues that come before a name, strongest first, and the part it then is."""

WEAK = frozenset({"weak_name", "being_name", "booked_name", "asked_name"})
BEING = frozenset({"weak_name", "being_name"})
"""Cues that other things than names follow too, and of those the ones that say what somebody is."""

HALVES: tuple[Half, ...] = ("given", "family")

AFTER = {"family_name_after": "family", "given_name_after": "given", "name_after": "full"}


@dataclass(frozen=True, slots=True)
class _Found:
    role: str
    start: int
    end: int
    sure: bool
    amends: bool = False


def find_names(
    said: Utterance,
    grammar: Grammar,
    asked: tuple[str, ...],
    half: Half | None = None,
    standing: Collection[str] = (),
    *,
    addressed: bool = False,
) -> list[Mention]:
    """The caller's names, each for the slots that hold that part of it.

    Args:
        said: the utterance.
        grammar: of the call.
        asked: slots that the agent asked for, nearest to its question mark first.
        half: the half of the name that it asked for, where it did.
        standing: the caller's names that stand; a correction may be of one.
        addressed: whether the agent has just called the caller by one of them.
    """
    slots = by_role(grammar)
    if not slots:
        return []
    wanted = next((s for s in grammar.schema.slots if s.name in asked[:1] and grammar.naming(s)), None)
    named = {slot.name for slot in slots.values()}
    of_names = addressed or any(hit.meaning in named for hit in said.hits("label"))
    found: list[_Found] = []
    for one in (
        *_introduced(said, asked=wanted is not None),
        *_amended(said, asked, standing, of_names=of_names),
    ):
        if not any(one.start < other.end and other.start < one.end for other in found):
            found.append(one)
    mentions = _in_one_breath(said, found, slots) or [
        m for one in found for m in _mentions(said, one, slots, None)
    ]
    answer = _answer(said) if wanted is not None and not mentions else None
    if wanted is not None and answer is not None:
        role = grammar.naming(wanted) or "other"
        if "family" in slots and answer[1] - answer[0] == 1 and untitled(said, answer[0] - 1) == answer[0]:
            role = "family"  # "Miss Brown"
        whole = role == "full" and half is not None
        mentions = _mentions(said, _Found(half if whole and half else role, *answer, True), slots, wanted)
    return mentions + _others(said, grammar)


def _introduced(said: Utterance, *, asked: bool) -> list[_Found]:
    found: list[_Found] = []
    for group, role in ROLES.items():
        for hit in said.hits(group):
            if _broken(said, hit) or _of_another(said, hit) or (group == "name" and not _own(said, hit)):
                continue
            strong = group not in WEAK
            start, end = restated(said, untitled(said, hit.end), capital=not strong)
            if end == start or not (strong or asked or _likely(said, hit, group, start, end)):
                continue
            full = end - start > 1 and (cased(said) or is_listed(said, start))
            found.append(_Found(role, start, end, strong or asked or (group in BEING and full)))
    families = {one.end for one in found if one.role == "family"}
    going_on = [hit.end for hit in said.hits("name_goes_on") if hit.start in families]
    found += [
        _Found("given", start, end, True)
        for start in going_on
        if (end := extent(said, start, capital=False)) > start
    ]
    for group, role in AFTER.items():
        for hit in said.hits(group):
            start = backward(said, hit.start)
            if start < hit.start:
                found.append(_Found(role, start, hit.start, hit.start - start > 1 or role != "full"))
    return found


def _in_one_breath(said: Utterance, found: list[_Found], slots: dict[str, Slot]) -> list[Mention]:
    """The whole name of who tells it in two parts, where one slot holds it; [] where it is not so.

    "My last name is Smith, first name John"; of "my name is John, last name Smith" the first part is
    the rest of the name.
    """
    full = slots.get("full")
    families = [one for one in found if one.role == "family"]
    others = [one for one in found if one.role in ("given", "full")]
    if full is None or {"family", "given"} & slots.keys() or len(families) != 1 or len(others) != 1:
        return []
    family, other = families[0], others[0]
    last, first = said.span(family.start, family.end), said.span(other.start, other.end)
    if holds(first, last):
        whole = first
    elif other.role == "full" and other.end - other.start > 1:
        return []
    else:
        whole = f"{last}{first}" if said.language == "zh" else f"{first} {last}"
    start, end = min(family.start, other.start), max(family.end, other.end)
    meant = stance(said, start, end, [(start, end)])
    rest = [one for one in found if one.role not in ("family", "given", "full")]
    return [
        Mention(full.name, whole, said.span(start, end), said.words[start].start, meant),
        *(m for one in rest for m in _mentions(said, one, slots, None)),
    ]


def _broken(said: Utterance, hit: Hit) -> bool:
    """Whether a sentence ends between a cue and what follows it."""
    return said.words[hit.end - 1].stop not in ("", ",", ":", "，", "：")


def _of_another(said: Utterance, hit: Hit) -> bool:
    """Whether somebody else is spoken of right before a cue (我先生姓李)."""
    return any(other.end == hit.start for other in said.hits("others"))


def _own(said: Utterance, hit: Hit) -> bool:
    """Whether "name is" speaks of the caller's own name, or of a name the call is about."""
    if hit.start == 0 or said.words[hit.start - 1].stop or said.language == "zh":
        return True
    before = said.words[hit.start - 1].key
    first = said.words[hit.start].key
    return first in single_words_of(said.language, "own") or before in single_words_of(said.language, "own")


def _likely(said: Utterance, hit: Hit, group: str, start: int, end: int) -> bool:
    """Whether what follows a weak cue is a name at all."""
    if group == "asked_name":
        return False
    if group == "booked_name":
        first = said.sentence(hit.start)[0]
        nouns = any(first <= noun.start < hit.start for noun in said.hits("booking_nouns"))
        return nouns and cased(said) and said.text[said.words[hit.start].start].islower()
    return hit.start <= OPENING and a_name(said, start, end, capitals=group != "being_name")


def _amended(
    said: Utterance, asked: tuple[str, ...], standing: Collection[str], *, of_names: bool
) -> list[_Found]:
    """A name put right without the word for one: "it's Hannah actually", "no, Hannah"."""
    cues = [*said.hits("correction"), *said.hits("no")]
    if asked or not cues or not (standing or of_names):
        return []
    found: list[_Found] = []
    # "It's Schmidt, not Smith": what takes the place of a name is one.
    replaced = _denied_part(said, standing)
    for start, end in _beside(said, [*said.hits("asked_name"), *cues]):
        if end == start or not (replaced or a_name(said, start, end, capitals=True)):
            continue
        known = said.language == "zh" or (of_names and is_listed(said, start))
        if known or replaced or hearing_of(said.span(start, end), standing):
            role = replaced if replaced and end - start == 1 else "full"
            found.append(_Found(role, start, end, True, amends=True))
    return found


def _beside(said: Utterance, cues: list[Hit]) -> Iterator[tuple[int, int]]:
    """The words that may be a name after each cue, and before one that closes all ("Hannah, actually")."""
    for hit in cues:
        if hit.end < len(said.words):
            start = untitled(said, hit.end)
            yield start, extent(said, start, capital=True)
        elif hit.group == "correction":
            first = past_lead_in(said, said.sentence(hit.start)[0])
            if first < hit.start and extent(said, first, capital=True) == hit.start:
                yield first, hit.start


def _denied_part(said: Utterance, standing: Collection[str]) -> str | None:
    """Which part of a name that stands is denied ("not Smith"): `given`, `family`, `full`; None for none."""
    for name in standing:
        words = name.split()
        for k, part in enumerate(words):
            if any(stance(said, a, b, [(a, b)]) == "deny" for a, b in places(said, part)):
                return "full" if len(words) == 1 else "given" if k == 0 else "family"
    return None


def _others(said: Utterance, grammar: Grammar) -> list[Mention]:
    """Names for slots of somebody else's name, by their label ("the doctor is ...")."""
    found: list[Mention] = []
    copulas = {hit.start: hit.end for hit in said.hits("is")}
    for slot in grammar.schema.slots:
        if grammar.naming(slot) != "other":
            continue
        for hit in said.hits("label"):
            start = copulas.get(hit.end) if hit.meaning == slot.name else None
            if start is not None and (end := extent(said, untitled(said, start), capital=False)) > start:
                found += _mentions(said, _Found("other", untitled(said, start), end, True), {}, slot)
    return found


def _answer(said: Utterance) -> tuple[int, int] | None:
    """The name in a bare answer, with what leads in to it left out. "My card", "my wife Ann" is none."""
    start, fillers = 0, single_words_of(said.language, "lead_in")
    while start < len(said.words) and said.words[start].key in fillers:
        start += 1
    if start and said.words[start - 1].key in single_words_of(said.language, "own_subject"):
        return None
    start = untitled(said, start)
    if of_another(said, start, start + 1):
        return None
    start, end = restated(said, start, capital=False)
    aside = letter_aside(said, end)
    rest = (aside.end if aside else end) < len(said.words) and not said.words[end - 1].stop
    rest = rest and not spelled_from(said, end)
    unknown = any(hit.start <= start < hit.end for hit in said.hits("dont_know"))
    return None if end == start or rest or unknown else (start, end)


def _mentions(said: Utterance, name: _Found, slots: dict[str, Slot], only: Slot | None) -> list[Mention]:
    start, end = name.start, name.end
    meant: Stance = stance(said, start, end, [(start, end)])
    # "No, es ..." denies what stood before; "no es ..." what follows.
    paused = any(hit.end <= start and said.words[hit.end - 1].stop for hit in said.hits("no"))
    if name.amends and (paused or meant in ("assert", "suggest", "refuse")):
        meant = "correct"
    if not name.sure and meant in ("assert", "suggest"):
        meant = "unsure"
    aside = letter_aside(said, end)
    lettered = written_with(said.span(start, end), aside.letter) if aside else None
    if aside and lettered is None and meant in ("assert", "correct"):
        meant = "unsure"  # a letter that we don't find in it
    return [
        Mention(
            slot.name,
            _written(said, a, b, lettered if (a, b) == (start, end) else None),
            said.span(a, b),
            said.words[a].start,
            meant,
            part=name.role if name.role in HALVES and slot is slots.get("full") else None,
        )
        for slot, a, b in parts(name.role, start, end, slots, only)
    ]


def _written(said: Utterance, start: int, end: int, lettered: str | None) -> str:
    """A name as it is written: with the letter told of it, a Chinese surname without what describes it."""
    words = said.span(start, end)
    if said.language == "zh":
        return surname_described(words) or words
    return lettered or words
