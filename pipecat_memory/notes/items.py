"""The things in a list, each with whether it is named, denied, or put right.

"Allergic to nuts and eggs" names two; "not allergic to nuts, it's cashews" denies one and names one;
"nuts, no wait, seeds" names one. Words that say that there is none are no thing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pipecat_memory.notes.bare_answer import names_a_thing
from pipecat_memory.notes.grammar import single_words_of, words_of
from pipecat_memory.notes.taken_back import places
from pipecat_memory.notes.tokens import Hit, Token, key
from pipecat_memory.notes.utterance import Stance, Utterance, stance, unbroken
from pipecat_memory.records.schema import Slot

LONGEST = 6
"""Words of one item at most; a longer run is a sentence, not a thing."""

UNMARKED = 2
"""Words of a thing that is named right after a denied one, without a word between."""

DENIED_REACH = 3
"""Words between a negation and the frame it denies ("I don't have any nut allergy")."""

KINDS = {
    "allerg": "allerg", "prefer": "prefer", "constraint": "constraint",
    "过敏": "allerg", "喜好": "prefer", "要求": "constraint",
}  # fmt: skip
"""Words in a slot's name, and the kind of list whose frames are for it."""

DENIABLE = "allerg"
"""The kind of which "no X" denies X; a preference for no meat is one."""


@dataclass(frozen=True, slots=True)
class Run:
    """Words `start` to `end` that list things, and how the frame around them means them."""

    start: int
    end: int
    meant: Stance


@dataclass(frozen=True, slots=True)
class Item:
    """One thing: words `start` to `end`, and how it is meant."""

    start: int
    end: int
    meant: Stance


def kinds_of(slot: Slot) -> set[str]:
    """The kinds of list that a slot's name says it is."""
    label = key(slot.label)
    return {kind for sign, kind in KINDS.items() if sign in label}


def framed(said: Utterance, slot: Slot) -> list[Run]:
    """The runs that the frames of the language ("allergic to ...", 对...过敏) make a list for the slot."""
    kinds = kinds_of(slot)
    only = [hit for hit in said.hits("only") if hit.meaning in kinds]
    before = [hit for hit in said.hits("before") if hit.meaning in kinds]
    before = [hit for hit in before if not any(hit.meets(other) for other in only)]
    denied = [hit for hit in said.hits("denied") if hit.meaning in kinds]
    after = [hit for hit in said.hits("after") if hit.meaning in kinds]
    after = [hit for hit in after if not any(hit.meets(other) for other in (*before, *denied, *only))]
    # In "one of us is allergic" there stands who, not what.
    copulas = single_words_of(said.language, "is")
    after = [hit for hit in after if not (hit.start and said.words[hit.start - 1].key in copulas)]
    starts = sorted(hit.start for hit in (*before, *denied, *only))
    # "No allergies except nuts" names one.
    runs = [Run(hit.end, _run_end(said, hit.end), "assert") for hit in only]
    for hit in before:
        end = min([_run_end(said, hit.end), *(start for start in starts if start > hit.start)])
        meant = _frame(said, hit, hit.end, end)
        if meant == "deny" and end in _contrasts(said):
            end = _run_end(said, end)  # "not allergic to walnuts but to cashews"
        runs.append(Run(hit.end, end, meant))
    for hit in (*after, *denied):
        start = _run_start(said, hit.start)
        meant = "deny" if hit in denied else _frame(said, Hit(start, start, ""), start, hit.start)
        runs.append(Run(start, hit.start, meant))
    return sorted((run for run in runs if run.start < run.end), key=lambda run: run.start)


def items(said: Utterance, runs: list[Run], slot: Slot) -> list[Item]:
    """The things of all runs. One that is put right ("nuts, no wait, seeds") was never named."""
    found: list[Item] = []
    last = 0
    for run in runs:
        retold = bool(found) and _retold(said, last, run.start)
        for item, corrects in _items(said, run, slot):
            if (corrects or retold) and found and found[-1].meant != "deny":
                found.pop()
            retold = False
            found.append(item)
        last = run.end
    return found


def _frame(said: Utterance, frame: Hit, start: int, end: int) -> Stance:
    """How a frame means its things: denied by a negation before it, or by its past ("used to be")."""
    first = said.part(max(0, frame.start - 1))[0] if frame.start else 0
    bare = single_words_of(said.language, "no")
    for group in ("negation", "nothing", "former"):
        for hit in said.hits(group):
            reach = 0 if hit.end - hit.start == 1 and said.words[hit.start].key in bare else DENIED_REACH
            pause = any(word.stop for word in said.words[hit.start : frame.start])
            if first <= hit.start and 0 <= frame.start - hit.end <= reach and not pause:
                return "deny"
    meant = stance(said, start, end, [(start, end)])
    return "assert" if meant in ("deny", "refuse") else meant


def _items(said: Utterance, run: Run, slot: Slot) -> Iterable[tuple[Item, bool]]:
    """The things of one run, and whether each puts right the one before it."""
    meant, corrects = run.meant, False
    deniable = DENIABLE in kinds_of(slot)
    cuts = _contrasts(said) if run.meant == "deny" else frozenset[int]()
    for start, end in _pieces(said, run.start, run.end, cuts):
        first, cues = _past_cues(said, start, end)
        corrects = corrects or "correction" in cues
        if "nothing" in cues or first >= end:
            continue
        if run.meant == "deny" and (cues & {"is", "contrast"} or corrects):
            meant = "assert"  # "not walnuts, it's cashews"
        denies = ("negation" in cues and deniable) or "former" in cues
        if "contrast" in cues and not names_a_thing(said, first, end):
            continue  # "but now I can eat them"
        how: Stance = "unsure" if "hedge" in cues and meant == "assert" else meant
        first = start if "negation" in cues and not deniable else first
        if 0 < end - first <= LONGEST and not _no_thing(said, first, end, slot):
            yield Item(first, end, "deny" if denies else how), corrects and not denies
            corrects = False


def _past_cues(said: Utterance, start: int, end: int) -> tuple[int, set[str]]:
    """The first word of the thing itself, and the cues that stand before it."""
    cues: set[str] = set()
    leads = words_of(said.language, "item_lead")
    while start < end:
        hits = {
            group: max(
                (cut.end for hit in said.hits(group) if (cut := unbroken(hit, said.words)).start == start),
                default=0,
            )
            for group in ("correction", "nothing", "negation", "no", "is", "hedge", "contrast", "former")
        }
        lead = max((len(one) for one in leads if _begins(said.words[:end], start, one)), default=0)
        group = max(hits, key=lambda name: hits[name])
        stop = hits[group]
        if stop > end or (stop <= start + lead and (lead or not stop)):
            if not lead:
                break
            start += lead
            continue
        if group in ("negation", "no"):
            # A "no" by itself puts right what was said before it.
            alone = stop == end or said.words[stop - 1].stop or _corrected_at(said, stop)
            group = "correction" if alone else "negation"
        cues.add(group)
        start = stop
    return start, cues


def _corrected_at(said: Utterance, at: int) -> bool:
    return any(hit.start == at for hit in said.hits("correction"))


def _no_thing(said: Utterance, start: int, end: int, slot: Slot) -> bool:
    """Whether words name nothing: pronouns, "none", "I do", the slot's own name."""
    phrase = tuple(word.key for word in said.words[start:end])
    if phrase[:1] in words_of(said.language, "not_an_item") or phrase in words_of(said.language, "no_items"):
        return True
    own = [hit for hit in said.hits("label") if hit.meaning == slot.name]
    own += [
        hit
        for group in ("before", "after", "denied", "yes", "no", "nothing", "hedge")
        for hit in said.hits(group)
    ]
    return any(hit.start <= start and end <= hit.end for hit in own)


def _retold(said: Utterance, start: int, end: int) -> bool:
    """Whether a "no" between two runs takes the first one back."""
    return any(start <= hit.start < end for hit in said.hits("no"))


def _contrasts(said: Utterance) -> frozenset[int]:
    """Where what holds begins after what does not ("it's cashews")."""
    return frozenset(hit.start for hit in said.hits("contrast"))


def instead(said: Utterance, standing: Iterable[str]) -> list[Run]:
    """What is named in place of a thing that stood: "not walnuts, it's cashews", "not walnuts cashews"."""
    denied = {
        end
        for value in standing
        for start, end in places(said, value)
        if stance(said, start, end, [(start, end)]) == "deny"
    }
    after = [hit.end for hit in said.hits("contrast") if hit.start in denied]
    if after:
        return [Run(start, _run_end(said, start), "assert") for start in after if start < len(said.words)]
    runs = [Run(start, said.sentence(start - 1)[1], "assert") for start in denied]
    return [
        run for run in runs if 0 < run.end - run.start <= UNMARKED and names_a_thing(said, run.start, run.end)
    ]


def _run_end(said: Utterance, start: int) -> int:
    """Where a list of things ends: at a full stop, or at a word that begins something else."""
    stops = words_of(said.language, "item_stop")
    end = start
    while end < len(said.words):
        if end > start and any(_begins(said.words, end, stop) for stop in stops):
            break
        end += 1
        if said.words[end - 1].stop in (".", "!", "?", ";", "。", "！", "？", "；"):
            break
    return end


def _run_start(said: Utterance, end: int) -> int:
    """Where a list before its frame ("nuts and soy allergy") begins."""
    leads = words_of(said.language, "item_lead")
    start = said.sentence(end)[0]
    for i in range(end - 1, start - 1, -1):
        for lead in leads:
            after = i + len(lead)
            if after <= end and _begins(said.words, i, lead):
                return after
    return start


def _begins(words: list[Token], i: int, phrase: tuple[str, ...]) -> bool:
    return len(phrase) <= len(words) - i and all(words[i + k].key == part for k, part in enumerate(phrase))


def _pieces(said: Utterance, start: int, end: int, cuts: frozenset[int]) -> list[tuple[int, int]]:
    """A run of words parted at commas, at "and", and at `cuts`."""
    joins = words_of(said.language, "and")
    pieces: list[tuple[int, int]] = []
    first = i = start
    while i < end:
        if i in cuts and i > first:
            pieces.append((first, i))
            first = i
        join = next((j for j in joins if _begins(said.words, i, j)), None)
        if join is not None:
            pieces.append((first, i))
            i += len(join)
            first = i
            continue
        i += 1
        if said.words[i - 1].stop:
            pieces.append((first, i))
            first = i
    pieces.append((first, end))
    return [(a, b) for a, b in pieces if a < b]
