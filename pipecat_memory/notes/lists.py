"""Things a caller lists: allergies, preferences, constraints, and free answers to our questions."""

from __future__ import annotations

from collections.abc import Sequence

from pipecat_memory.notes.grammar import Grammar, single_words_of, words_of
from pipecat_memory.notes.mention import Mention
from pipecat_memory.notes.tokens import Token, key
from pipecat_memory.notes.utterance import Utterance, stance
from pipecat_memory.records.schema import Slot

LONGEST_ITEM = 6
"""Words of one item at most; a longer run is a sentence, not a thing."""

LONGEST_ANSWER = 12
"""Words of a free answer at most."""

FREE = frozenset({"text", "address"})


def find_lists(
    said: Utterance, grammar: Grammar, asked: tuple[str, ...], told: Sequence[Mention] = ()
) -> list[Mention]:
    """Items for list slots, by the frames of the language ("allergic to ...") and the slot's own label.

    A bare answer to a question about one counts too, but not words that told something else (`told`):
    who is asked for allergies and says "call me Jo" or "we are four" has named none.
    """
    found: list[Mention] = []
    for slot in grammar.schema.slots:
        if not slot.multi or slot.values or slot.type not in ("list", "text"):
            continue
        runs = _framed(said, slot)
        bare = not runs and asked[:1] == (slot.name,)
        if bare:
            runs = [answer] if (answer := _answer(said)) else []
        for start, end in runs:
            for a, b in _items(said, start, end):
                if bare and any(_overlaps(said, a, b, mention) for mention in told):
                    continue
                words = said.span(a, b)
                meant = stance(said, start, end, [(start, end)])
                found.append(Mention(slot.name, words.casefold(), words, said.words[a].start, meant))
    return found


def find_answers(said: Utterance, grammar: Grammar, asked: tuple[str, ...]) -> list[Mention]:
    """Free text for the slot that was asked for, or after "my <label> is"."""
    found: list[Mention] = []
    for slot in grammar.schema.slots:
        if slot.type not in FREE or slot.multi or grammar.naming(slot) not in (None, "other"):
            continue
        run = _labelled(said, slot)
        if run is None and asked[:1] == (slot.name,):
            run = _answer(said)
        if run is not None:
            words = said.span(*run)
            found.append(
                Mention(slot.name, words, words, said.words[run[0]].start, stance(said, *run, [run]))
            )
    return found


def find_booleans(
    said: Utterance, grammar: Grammar, asked: tuple[str, ...], answer: bool | None
) -> list[Mention]:
    """Yes/no slots: the answer to a question about one, or its label with or without a "no"."""
    found: list[Mention] = []
    for slot in grammar.schema.slots:
        if slot.type != "boolean":
            continue
        if answer is not None and asked[:1] == (slot.name,):
            found.append(Mention(slot.name, answer, said.text.strip(), 0, "assert"))
            continue
        hit = next((h for h in said.hits("label") if h.meaning == slot.name), None)
        if hit is not None:
            meant = stance(said, hit.start, hit.end, [(hit.start, hit.end)])
            value = meant not in ("deny", "refuse")
            words = said.span(hit.start, hit.end)
            certain = "assert" if meant in ("deny", "refuse", "suggest") else meant
            found.append(Mention(slot.name, value, words, said.words[hit.start].start, certain))
    return found


def _framed(said: Utterance, slot: Slot) -> list[tuple[int, int]]:
    label = key(slot.label)
    kinds = [kind for kind in ("allerg", "prefer", "constraint") if kind in label]
    kinds += [
        kind
        for kind, sign in (("allerg", "过敏"), ("prefer", "喜好"), ("constraint", "要求"))
        if sign in label
    ]
    runs = [(hit.end, _run_end(said, hit.end)) for hit in said.hits("before") if hit.meaning in kinds]
    for hit in said.hits("after"):
        if hit.meaning in kinds and not any(
            h.start < hit.end and hit.start < h.end for h in said.hits("before")
        ):
            start = _run_start(said, hit.start)
            if start < hit.start:
                runs.append((start, hit.start))
    return [(a, b) for a, b in runs if a < b]


def _labelled(said: Utterance, slot: Slot) -> tuple[int, int] | None:
    """The words after "<label> is", where the sentence says so and doesn't ask."""
    copulas = {hit.start: hit.end for hit in said.hits("is")}
    asks = {hit.start for group in ("wh", "question") for hit in said.hits(group)}
    for hit in said.hits("label"):
        first = said.sentence(hit.start)[0]
        if hit.meaning == slot.name and hit.end in copulas and asks.isdisjoint((first, hit.start)):
            start = copulas[hit.end]
            end = min(said.sentence(hit.start)[1], start + LONGEST_ANSWER)
            if start < end:
                return start, end
    return None


def _overlaps(said: Utterance, start: int, end: int, mention: Mention) -> bool:
    first, last = said.words[start].start, said.words[end - 1]
    return mention.start < last.end and first < mention.start + len(mention.spoken)


def _answer(said: Utterance) -> tuple[int, int] | None:
    """A bare answer without what leads in to it; None where it is no answer."""
    if any(hit.start <= 1 for hit in said.hits("dont_know")) or "?" in said.text or "？" in said.text:
        return None
    start, fillers = 0, single_words_of(said.language, "lead_in")
    while start < len(said.words) and said.words[start].key in fillers:
        start += 1
    end = len(said.words)
    if not 0 < end - start <= LONGEST_ANSWER:
        return None
    if any(hit.start <= start for group in ("yes", "no") for hit in said.hits(group) if hit.end == end):
        return None
    return start, end


def _run_end(said: Utterance, start: int) -> int:
    """Where a list of things ends: at a full stop, or at a word that begins something else."""
    stops = words_of(said.language, "item_stop")
    end = start
    while end < len(said.words):
        if end > start and _begins(said.words, end, stops):
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
            if after <= end and _begins(said.words, i, frozenset({lead})):
                return after
    return start


def _begins(words: list[Token], i: int, phrases: frozenset[tuple[str, ...]]) -> bool:
    return any(
        len(phrase) <= len(words) - i and all(words[i + k].key == part for k, part in enumerate(phrase))
        for phrase in phrases
    )


def _items(said: Utterance, start: int, end: int) -> list[tuple[int, int]]:
    """A run of words parted at commas and "and", without articles and other lead-ins."""
    joins = words_of(said.language, "and")
    pieces: list[tuple[int, int]] = []
    first = i = start
    while i < end:
        join = next((j for j in joins if _begins(said.words, i, frozenset({j}))), None)
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
    trimmed = [_trim(said, a, b) for a, b in pieces]
    nothing = words_of(said.language, "not_an_item")
    return [
        (a, b)
        for a, b in trimmed
        if 0 < b - a <= LONGEST_ITEM and tuple(w.key for w in said.words[a:b])[:1] not in nothing
    ]


def _trim(said: Utterance, start: int, end: int) -> tuple[int, int]:
    leads = sorted(words_of(said.language, "item_lead"), key=len, reverse=True)
    moved = True
    while moved and start < end:
        moved = False
        for lead in leads:
            if start + len(lead) < end + 1 and _begins(said.words[:end], start, frozenset({lead})):
                start += len(lead)
                moved = True
                break
    return start, end
