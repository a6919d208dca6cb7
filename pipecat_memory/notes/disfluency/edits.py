"""Spoken corrections inside an utterance: "for four, no, five", "Thursday or rather Friday"."""

from __future__ import annotations

from dataclasses import dataclass

from pipecat_memory.notes.disfluency.language import Speech
from pipecat_memory.notes.spoken.words import Word

NEAR = 5
"""Words before a weak cue in which a like word is looked for."""
REACH = 12
"""Words before the correction in which what it replaces is looked for."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One correction, as word indices.

    Args:
        start: first word of what was replaced.
        cue: first word of the edit phrase; `start == cue` where nothing is replaced.
        repair: first word of the replacement, one past the edit phrase.
    """

    start: int
    cue: int
    repair: int


def find_edits(words: tuple[Word, ...], text: str, speech: Speech) -> list[Edit]:
    """Every correction in the utterance, in order."""
    edits: list[Edit] = []
    i = 1
    while i < len(words):
        cluster = _cluster(words, i, text, speech)
        if cluster is None:
            i += 1
            continue
        end, strong = cluster
        floor = edits[-1].repair if edits else 0
        start = _replaced(words, floor, i, end, text, speech, strong=strong)
        while start is not None and start > floor and words[start - 1].end == words[start].start:
            start -= 1  # "al-Qaeda" is one token
        if start is not None:
            edits.append(Edit(start, i, end))
        i = end
    return edits


def _cluster(words: tuple[Word, ...], i: int, text: str, speech: Speech) -> tuple[int, bool] | None:
    """The edit phrase at word `i`, with the fillers and glue around it: its end, whether it is strong."""
    j, strong, weak, meant = i, False, False, False
    while j < len(words):
        found = speech.strong.at(words, j)
        if found and not _innocent(words, j, found[1], speech):
            strong, j = True, found[1]
            continue
        found = speech.meant.at(words, j)
        if found:
            # Before a clause "I mean" is an aside; before a word that could stand for the last, it corrects.
            before, after = words[i - 1].text, words[min(found[1], len(words) - 1)].text
            clause = after in speech.classes["pronouns"] or after in speech.classes["conjunctions"]
            joint = before in speech.classes["pronouns"] or before in speech.classes["conjunctions"]
            strong, weak, meant, j = strong or not (clause or joint), True, True, found[1]
            continue
        found = speech.weak.at(words, j)
        if found and not _innocent(words, j, found[1], speech):
            strong, weak, j = strong or meant, True, found[1]
            continue
        if words[j].text in speech.fillers or (
            words[j].text in speech.openers and _asks(words, j + 1, speech)
        ):
            j += 1
            continue
        glued = speech.glue.at(words, j)
        # Glue holds edit phrases together; it never is one by itself.
        if (
            glued
            and (j > i or _leads(words, glued[1], speech))
            and _worth(words, j, glued[1], speech, strong or weak)
        ):
            j = glued[1]
            continue
        break
    if strong or weak:
        return j, strong
    return (j, False) if j > i and _asks(words, j, speech) and _asks_before(words, i, speech) else None


def _asks_before(words: tuple[Word, ...], i: int, speech: Speech) -> bool:
    """Whether the utterance began as a question: then a pause and a new question word replace it."""
    return any(_asks(words, k, speech) for k in range(min(2, i)))


def _leads(words: tuple[Word, ...], j: int, speech: Speech) -> bool:
    """Whether an edit phrase or filler follows the glue ("or ... no")."""
    if j >= len(words):
        return False
    return bool(speech.strong.at(words, j) or speech.weak.at(words, j) or words[j].text in speech.fillers)


def _worth(words: tuple[Word, ...], j: int, end: int, speech: Speech, cued: bool) -> bool:
    if _leads(words, end, speech):
        return True
    return cued and words[j].text not in ("or", "that", "well", "no") and end < len(words)


def _innocent(words: tuple[Word, ...], i: int, end: int, speech: Speech) -> bool:
    """Whether the phrase is an ordinary part of the sentence: "no problem", "would rather", "I'm sorry"."""
    before = words[i - 1].text if i else ""
    after = words[end].text if end < len(words) else ""
    word = words[i].text
    if _asks(words, end, speech) and _asks_before(words, i, speech):
        return False
    if end - i > 1:  # "didn't make that choice"
        plain = word in ("no", "or", "oh", "nein", "oder", "o")
        return not plain and (
            before in speech.classes["negations"] or before in speech.classes["auxiliaries"]
        )
    name = {"nein": "no", "moment": "wait", "espera": "wait"}.get(word, word)
    return before in speech.guards.get(f"no_repair_before_{name}", ()) or after in speech.guards.get(
        f"no_repair_after_{name}", ()
    )


def _replaced(
    words: tuple[Word, ...], floor: int, cue: int, repair: int, text: str, speech: Speech, *, strong: bool
) -> int | None:
    """The first word of what the repair replaces; `cue` for nothing; None where this is no correction."""
    if repair >= len(words):
        # A trailing "sorry" or "rather" corrects nothing that is still to come.
        return cue if strong and speech.tag.at(words, cue) else None
    first = words[repair].text
    kind_of_first = speech.kind(first)
    window = range(cue - 1, max(floor, cue - REACH) - 1, -1)
    if _asks(words, repair, speech):
        return _question(words, max(floor, _sentence(words, cue, text)), cue, speech)
    if _asks_pardon(words, cue, repair, speech):
        return None
    if kind_of_first == "number":
        for k in window:
            if speech.kind(words[k].text) == "number":
                return _numbers(words, k, floor, repair, speech)
    ends = words[cue - 1].text
    if speech.kind(ends) is None:  # "poorer countries" for "American countries"
        for m in range(1, min(4, len(words) - repair)):
            if words[repair + m].text == ends and cue - 1 - m >= floor:
                return _within(words, cue - 1 - m, cue, speech)
    for k in window if strong else window[:NEAR]:  # the same word again
        if (
            words[k].text == first
            and (kind_of_first != "determiners" or cue - k <= NEAR)
            and (speech.kind(first) or len(first) > 2)
        ):
            return k
    if len(words) > repair + 1:
        second = words[repair + 1].text
        if speech.kind(first) in ("determiners", "prepositions", None):
            for k in window:  # "the red no my red one"
                if (
                    words[k].text == second
                    and k > floor
                    and speech.kind(words[k - 1].text) == speech.kind(first) != None
                ):
                    return k - 1
    kind = speech.kind(first)
    if (
        kind == "prepositions"
        and len(words) > repair + 1
        and speech.kind(words[repair + 1].text) in ("number", "day")
    ):
        wanted = speech.kind(words[repair + 1].text)
        for k in window:  # "of 2011, actually, in 2014"
            if speech.kind(words[k].text) == wanted:
                return k - 1 if k - 1 >= floor and speech.kind(words[k - 1].text) == "prepositions" else k
    if kind:
        far = kind in ("number", "day") or (strong and kind != "determiners")
        near = window if far else window[:NEAR]
        for k in near:
            if speech.kind(words[k].text) == kind:
                return k
    if not strong and not _paused(words, cue, repair, text):
        if words[repair - 1].text not in ("no", "nein"):
            return None
        return cue - 1 if _noun_like(words, cue - 1, speech) and _noun_like(words, repair, speech) else None
    return _last_phrase(words, floor, cue, repair, text, speech)


def _asks(words: tuple[Word, ...], i: int, speech: Speech) -> bool:
    """Whether a question begins at word `i`: "what", "in which"."""
    wh = speech.classes["wh"]
    if i >= len(words):
        return False
    return words[i].text in wh or (
        i + 1 < len(words) and words[i].text in speech.classes["prepositions"] and words[i + 1].text in wh
    )


def _sentence(words: tuple[Word, ...], cue: int, text: str) -> int:
    """The first word of the sentence before the cue."""
    for k in range(cue, 0, -1):
        if any(mark in ".?!" for mark in text[words[k - 1].end : words[k].start]):
            return k
    return 0


def _asks_pardon(words: tuple[Word, ...], cue: int, repair: int, speech: Speech) -> bool:
    """Whether "sorry" only excuses what comes: "my order, sorry, the line is bad"."""
    if any(words[k].text not in ("sorry", "wait", "moment", "perdón") for k in range(cue, repair)):
        return False
    new = any(
        words[k].text in speech.classes["auxiliaries"] for k in range(repair + 1, min(repair + 4, len(words)))
    )
    return new and not _asks_before(words, cue, speech)


def _question(words: tuple[Word, ...], floor: int, cue: int, speech: Speech) -> int | None:
    """Where the question begins that a new question replaces; a statement is replaced by none."""
    asked = [k for k in range(floor, cue) if _asks(words, k, speech)]
    if not asked:
        return None
    if asked[-1] >= cue - 2 and asked[0] - floor > 2:  # "takes place at where no what time"
        return cue - 1
    return floor if asked[0] - floor <= 2 else asked[0]


def _within(words: tuple[Word, ...], start: int, cue: int, speech: Speech) -> int:
    """The start moved in to where its own phrase begins: past the last preposition or verb of being."""
    for k in range(cue - 2, start - 1, -1):
        if speech.kind(words[k].text) in ("prepositions", "auxiliaries", "wh"):
            return k + 1
    return start


def _numbers(words: tuple[Word, ...], last: int, floor: int, repair: int, speech: Speech) -> int:
    """Where the replaced part begins of a run of number words that ends at `last`.

    Of figures said one by one as many go as were said again; a number goes whole.
    """
    start = last
    while start > floor and speech.kind(words[start - 1].text) == "number":
        start -= 1
    again = repair
    while again < len(words) and speech.kind(words[again].text) == "number":
        again += 1
    figures = all(_figure(words[k].text) for k in range(start, last + 1))
    return max(start, last - (again - repair) + 1) if figures else start


def _figure(word: str) -> bool:
    return len(word) == 1 or word in _FIGURES


_FIGURES = frozenset(
    ["zero", "oh", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "double", "triple", "cero", "uno", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve", "null", "eins", "zwei", "zwo", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun"]
)


def _paused(words: tuple[Word, ...], cue: int, repair: int, text: str) -> bool:
    """Whether the edit phrase is set off by commas or dashes."""
    before = text[words[cue - 1].end : words[cue].start]
    after = text[words[repair - 1].end : words[repair].start]
    return any(mark in before for mark in ",;-–—.") and any(mark in after for mark in ",;-–—. ")


def _noun_like(words: tuple[Word, ...], k: int, speech: Speech) -> bool:
    return speech.kind(words[k].text) is None and words[k].text not in speech.classes["pronouns"]


def _last_phrase(
    words: tuple[Word, ...], floor: int, cue: int, repair: int, text: str, speech: Speech
) -> int:
    """The last word before the cue, or the whole capitalised name it ends."""
    k = cue - 1
    if k < floor:
        return cue
    if _capital(text, words[repair]):
        while k > floor + 1 and _capital(text, words[k - 1]) and _capital(text, words[k]):
            k -= 1
    return k


def _capital(text: str, word: Word) -> bool:
    return text[word.start].isupper()
