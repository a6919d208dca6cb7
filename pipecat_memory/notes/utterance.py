"""One utterance with its cues, and how a value in it is meant: asserted, corrected, denied, or unsure."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, replace
from typing import Literal

from pipecat_memory.notes.grammar import Grammar, single_words_of
from pipecat_memory.notes.spoken.language import language_of
from pipecat_memory.notes.tokens import Hit, Token, key, tokens

Stance = Literal["assert", "correct", "refuse", "deny", "unsure", "suggest", "asked"]
"""How a value is said. `refuse` is a bare "no X": a denial of X, or "no" and then X; the notes know which.
`suggest` is "how about X": a request where one searches, a soft change of mind where one is sure.
`asked` is "did I say X": the caller asks us, and states nothing."""

NEGATION_REACH = 4
"""Words between a negation and what it denies ("don't want to go on the ...")."""

BARE_REACH = 1
"""The same for a bare "no", which more often answers what was asked before."""

ASKING = ("question", "wh", "suggest", "dont_know")
"""Groups that a word is not of where it stands in a correction."""

SENTENCE_ENDS = frozenset(".;!?。；！？\n")


@dataclass(frozen=True, slots=True, repr=False)
class Utterance:
    """The words of one hypothesis, the phrases found in them, and where its parts begin.

    `parts` are first words of clauses (after punctuation, "but"), `sentences` those of sentences.
    """

    text: str
    language: str
    words: list[Token]
    groups: dict[str, list[Hit]]
    parts: list[int]
    sentences: list[int]

    def hits(self, group: str) -> list[Hit]:
        return self.groups.get(group, [])

    def span(self, start: int, end: int) -> str:
        """The words from `start` to `end` (exclusive) as they were said."""
        return self.text[self.words[start].start : self.words[end - 1].end]

    def index(self, char: int) -> int:
        """The word that a character belongs to."""
        return max(0, bisect_right(self.words, char, key=lambda word: word.start) - 1)

    def part(self, i: int) -> tuple[int, int]:
        """The clause around word `i`, as words from-to."""
        return _around(self.parts, i, len(self.words))

    def sentence(self, i: int) -> tuple[int, int]:
        return _around(self.sentences, i, len(self.words))

    def __repr__(self) -> str:
        return f"<Utterance words={len(self.words)}>"


def read(text: str, language: str, grammar: Grammar) -> Utterance:
    """Find every cue, choice and label of the grammar in one pass."""
    words = _in_dates(tokens(text), language)
    groups: dict[str, list[Hit]] = {}
    for hit in grammar.book(language).find(words):
        groups.setdefault(hit.group, []).append(hit)
    if "negation" in groups:
        groups["negation"] = [unbroken(hit, words) for hit in groups["negation"]]
    # "Date of birth" names no date: the longest name of a slot at a place, ours or not, is the one meant.
    names = groups.get("label", [])
    groups["label"] = [hit for hit in names if hit.meaning and not any(hit.within(one) for one in names)]
    # "Don't forget the nuts" takes nothing back.
    for reminder in groups.get("no_negation", []):
        for group in ("negation", "withdrawal"):
            groups[group] = [hit for hit in groups.get(group, []) if not reminder.meets(hit)]
    # The "que" of "que sean cinco" asks nothing.
    settled = groups.get("correction", [])
    for group in ASKING:
        if group in groups:
            groups[group] = [hit for hit in groups[group] if not any(hit.within(cue) for cue in settled)]
    parts, sentences = {0}, {0}
    for i, word in enumerate(words[:-1]):
        if word.stop:
            parts.add(i + 1)
            if word.stop in SENTENCE_ENDS:
                sentences.add(i + 1)
    for hit in groups.get("but", []):
        if any(hit.within(other) for group in ("denied", "negation") for other in groups.get(group, [])):
            continue  # 不过敏 holds no 不过, "any day but Friday" no "but"
        parts.add(hit.start)
        sentences.add(hit.start)
    said = Utterance(text, language, words, groups, sorted(parts), sorted(sentences))
    for hit in said.hits("after_all"):
        if _after_all(said, hit):
            groups["or"] = [other for other in said.hits("or") if other.start != hit.start]
            groups.setdefault("correction", []).append(hit)
    return said


def _in_dates(words: list[Token], language: str) -> list[Token]:
    """The words without the stops of "14. Juli", which end no sentence."""
    table = language_of(language)
    if "." not in table.ordinal_endings:
        return words
    months = {key(month) for month in table["months"].entries}
    for i, word in enumerate(words[:-1]):
        if word.stop == "." and word.key.isdigit() and words[i + 1].key in months:
            words[i] = replace(word, stop="")
    return words


def unbroken(hit: Hit, words: list[Token]) -> Hit:
    """A phrase as far as the first pause in it: "no, es ..." is no "no es", 不，对的 no 不对."""
    end = next((i + 1 for i in range(hit.start, hit.end - 1) if words[i].stop), hit.end)
    return replace(hit, end=end)


def _after_all(said: Utterance, hit: Hit) -> bool:
    """Whether the word for "or" keeps to something (还是八点吧): it opens a sentence, or settles a clause."""
    lead = single_words_of(said.language, "lead_in")
    own = {i for own in said.hits("own_subject") for i in range(own.start, own.end)}
    first, last = said.part(hit.start)
    if any(said.words[i].key not in lead and i not in own for i in range(first, hit.start)):
        return False
    return first in said.sentences or any(first <= end.start < last for end in said.hits("settling"))


def _around(starts: list[int], i: int, length: int) -> tuple[int, int]:
    at = bisect_right(starts, i)
    return starts[at - 1], starts[at] if at < len(starts) else length


def stance(said: Utterance, start: int, end: int, values: list[tuple[int, int]]) -> Stance:
    """How the value in words `start` to `end` is meant.

    Args:
        said: the utterance.
        start: first word of the value.
        end: one past its last.
        values: the words of every value found, so that a cue counts for the nearest one only.
    """
    negated = _negated(said, start, end, values)
    if negated is not None:
        return negated
    first, last = said.sentence(start)
    if any(first <= hit.start < last and not start < hit.start < end for hit in said.hits("hedge")):
        return "unsure"
    if any(first <= hit.start and hit.end <= start for hit in said.hits("suggest")):
        return "suggest"
    if asks := _asks(said, start, end):
        return asks
    return "correct" if _corrected(said, start, first, last) else "assert"


def _negated(said: Utterance, start: int, end: int, values: list[tuple[int, int]]) -> Stance | None:
    first, last = said.part(start)
    for hit in said.hits("denied_after"):
        if end <= hit.start < last and not any(end <= a < hit.start for a, _ in values):
            return "deny"
    found: Stance | None = None
    for hit in said.hits("negation"):
        bare = hit.end - hit.start == 1 and said.words[hit.start].key in _bare_no(said.language)
        reach = BARE_REACH if bare else NEGATION_REACH
        if not (first <= hit.start and hit.end <= start and start - hit.end <= reach):
            continue
        if any(hit.end <= a < start for a, _ in values):
            continue
        if bare and any(hit.start <= cue.start and cue.end <= start for cue in said.hits("correction")):
            continue  # "no, make it five": the "no" is for what stood
        if any(hit.end <= limit.start and limit.end == start for limit in said.hits("limit")):
            return "unsure"  # "not before ten", "don't want to spend more than ..."
        found = "refuse" if bare and found is None else "deny"
    return found


def _bare_no(language: str) -> frozenset[str]:
    return single_words_of(language, "no")


def _asks(said: Utterance, start: int, end: int) -> Stance | None:
    """How a value in a question is meant; None where it is no question, or a request put as one.

    "Which X do you have" asks for X; "is that X" only asks.
    """
    first, last = said.sentence(start)
    if any(first <= hit.start < last for hit in said.hits("opening")):
        return "unsure"  # when they are open is no time that is wanted
    if any(first <= hit.start < last for hit in said.hits("request")):
        return None
    opening = first
    fillers = single_words_of(said.language, "lead_in")
    asks = said.hits("question")
    begins = {hit.start for hit in asks}
    while opening < last and said.words[opening].key in fillers and opening not in begins:
        opening += 1
    if _answers(said, first, last):
        return None
    if said.language == "zh":
        return "unsure" if any(end <= hit.start < last for hit in asks) else None
    if opening < start and any(hit.start == opening for hit in said.hits("wh")):
        return "suggest"
    return "unsure" if opening < start and any(hit.start == opening for hit in asks) else None


def _answers(said: Utterance, first: int, last: int) -> bool:
    """Whether a sentence opens with a "no," and has no question mark: "no, es el lunes" states it."""
    opened = any(hit.start == first and said.words[hit.end - 1].stop for hit in said.hits("no"))
    return opened and said.words[last - 1].stop not in ("?", "？")


def _corrected(said: Utterance, start: int, first: int, last: int) -> bool:
    earlier = said.sentence(first - 1)[0] if first else first
    if any(earlier <= hit.start < last for hit in said.hits("correction")):
        return True
    # "No," opens a correction when a pause follows it.
    return any(
        hit.end <= start and (hit.start in said.sentences or hit.start in said.parts)
        and said.words[hit.end - 1].stop != ""
        for hit in said.hits("no")
    )  # fmt: skip
