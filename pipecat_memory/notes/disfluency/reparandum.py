"""How far back a correction reaches: what the replacement stands for."""

from __future__ import annotations

from dataclasses import dataclass

from pipecat_memory.notes.disfluency.language import Speech
from pipecat_memory.notes.spoken.words import Word

REACH = 12
"""Words before the correction in which what it replaces is looked for."""
NEAR = 5
"""The same for a weak cue, and for determiners, which stand everywhere."""
_PARDONS = frozenset({"sorry", "wait", "moment", "perdón", "entschuldigung", "espera"})
_BARE_NO = frozenset({"no", "nein"})


@dataclass(frozen=True, slots=True)
class Correction:
    """An edit phrase in its utterance.

    Args:
        words: the utterance.
        text: the same, as written.
        floor: first word that may be replaced.
        cue: first word of the edit phrase.
        repair: first word of the replacement.
        strong: whether the phrase hardly means anything but a correction.
        speech: the language's table.
    """

    words: tuple[Word, ...]
    text: str
    floor: int
    cue: int
    repair: int
    strong: bool
    speech: Speech

    def start(self) -> int | None:
        """The first word of what is replaced; `cue` for nothing; None where this is no correction."""
        if self.repair >= len(self.words):
            # A trailing "sorry" or "rather" corrects nothing that is still to come.
            return self.cue if self.strong and self.speech.tag.at(self.words, self.cue) else None
        if asks(self.words, self.repair, self.speech):
            return self._question()
        if self._asks_pardon():
            return None
        for match in (
            self._number,
            self._pair,
            self._ending,
            self._word,
            self._next_word,
            self._object,
            self._like,
        ):
            found = match()
            if found is not None:
                return found
        return self._last_phrase()

    def _kind(self, k: int) -> str | None:
        return self.speech.kind(self.words[k].text)

    def _back(self, reach: int = REACH) -> range:
        """Places before the cue, the nearest first."""
        return range(self.cue - 1, max(self.floor, self.cue - reach) - 1, -1)

    def _is(self, k: int, name: str) -> bool:
        return self.words[k].text in self.speech.classes[name]

    def _question(self) -> int | None:
        """Where the question begins that a new question replaces; a statement is replaced by none."""
        floor = max(self.floor, self._sentence())
        asked = [k for k in range(floor, self.cue) if asks(self.words, k, self.speech)]
        if not asked:
            return None
        if asked[-1] >= self.cue - 2 and asked[0] - floor > 2:  # "takes place at where no what time"
            return self.cue - 1
        return floor if asked[0] - floor <= 2 else asked[0]

    def _sentence(self) -> int:
        """The first word of the sentence that the cue stands in."""
        for k in range(self.cue, 0, -1):
            if any(mark in ".?!" for mark in self.text[self.words[k - 1].end : self.words[k].start]):
                return k
        return 0

    def _asks_pardon(self) -> bool:
        """Whether "sorry" only excuses what comes: "my order, sorry, the line is bad"."""
        if any(self.words[k].text not in _PARDONS for k in range(self.cue, self.repair)):
            return False
        ahead = range(self.repair + 1, min(self.repair + 4, len(self.words)))
        return any(self._is(k, "auxiliaries") for k in ahead) and not began_asking(
            self.words, self.cue, self.speech
        )

    def _number(self) -> int | None:
        """A number for a number: of single figures as many as were said again, else the whole."""
        if self._kind(self.repair) != "number":
            return None
        last = next((k for k in self._back() if self._kind(k) == "number"), None)
        if last is None:
            return None
        start = last
        while start > self.floor and self._kind(start - 1) == "number":
            start -= 1
        again = self.repair
        while again < len(self.words) and self._kind(again) == "number":
            again += 1
        single = all(self.speech.figure(self.words[k].text) for k in range(start, last + 1))
        return max(start, last - (again - self.repair) + 1) if single else start

    def _pair(self) -> int | None:
        """Two for two: "Miller and Wood, no, Parker and Stone"."""
        if len(self.words) <= self.repair + 2 or self.cue - 3 < self.floor:
            return None
        both = self._is(self.repair + 1, "conjunctions") and self._is(self.cue - 2, "conjunctions")
        return self.cue - 3 if both and self._names(self.repair) and self._names(self.cue - 1) else None

    def _ending(self) -> int | None:
        """The same last word: "American countries, no, poorer countries"."""
        if self._kind(self.cue - 1) is not None:
            return None
        for m in range(1, min(4, len(self.words) - self.repair)):
            start = self.cue - 1 - m
            if self.words[self.repair + m].text == self.words[self.cue - 1].text and start >= self.floor:
                inner = (k for k in range(self.cue - 2, start - 1, -1) if self._breaks(k))
                return next(inner, start - 1) + 1
        return None

    def _breaks(self, k: int) -> bool:
        return self._kind(k) in ("prepositions", "auxiliaries", "wh")

    def _word(self) -> int | None:
        """The same first word again."""
        first = self.words[self.repair].text
        kind = self.speech.kind(first)
        near = not self.strong or kind == "determiners"
        if kind is None and len(first) <= 2:
            return None
        return next((k for k in self._back(NEAR if near else REACH) if self.words[k].text == first), None)

    def _next_word(self) -> int | None:
        """A like word before the same word: "the red one, no, my red one"."""
        kind = self._kind(self.repair)
        if len(self.words) <= self.repair + 1 or kind not in ("determiners", "prepositions"):
            return None
        second = self.words[self.repair + 1].text
        for k in self._back():
            if self.words[k].text == second and k > self.floor and self._kind(k - 1) == kind:
                return k - 1
        return None

    def _object(self) -> int | None:
        """A number or day after a preposition: "of 2011, actually, in 2014"."""
        if len(self.words) <= self.repair + 1 or self._kind(self.repair) != "prepositions":
            return None
        wanted = self._kind(self.repair + 1)
        if wanted not in ("number", "day"):
            return None
        k = next((k for k in self._back() if self._kind(k) == wanted), None)
        if k is not None and k > self.floor and self._kind(k - 1) == "prepositions":
            return k - 1
        return k

    def _like(self) -> int | None:
        """A word of the same class: "an architect, rather a professional"."""
        kind = self._kind(self.repair)
        if kind is None:
            return None
        far = kind in ("number", "day") or (self.strong and kind != "determiners")
        return next((k for k in self._back(REACH if far else NEAR) if self._kind(k) == kind), None)

    def _last_phrase(self) -> int | None:
        """The last word before the cue, or the whole capitalised name that ends there."""
        k = self.cue - 1
        if not self.strong and not self._stands_alone():
            named = self._names(self.repair) or self._kind(self.repair) == "determiners"
            if not (self._bare_no() and named and self._names(k)):
                return None
        if k < self.floor:
            return self.cue
        head = self.repair + (self._kind(self.repair) == "determiners" and self.repair + 1 < len(self.words))
        if self._capital(head):
            while k > self.floor + 1 and self._capital(k - 1) and self._capital(k):
                k -= 1
        return k

    def _stands_alone(self) -> bool:
        """Whether the edit phrase is set off by commas or dashes on both sides."""
        before = self.text[self.words[self.cue - 1].end : self.words[self.cue].start]
        after = self.text[self.words[self.repair - 1].end : self.words[self.repair].start]
        return all(any(mark in gap for mark in ",;-–—.") for gap in (before, after))

    def _bare_no(self) -> bool:
        """Whether a lone "no" corrects: in a question, or between names; "a burger no onions" is an order."""
        if not any(self.words[j].text in _BARE_NO for j in range(self.cue, self.repair)):
            return False
        names = self._capital(self.repair) and self._capital(self.cue - 1)
        return names or began_asking(self.words, self.cue, self.speech)

    def _names(self, k: int) -> bool:
        return self._kind(k) is None and not self._is(k, "pronouns")

    def _capital(self, k: int) -> bool:
        return self.text[self.words[k].start].isupper()


def asks(words: tuple[Word, ...], i: int, speech: Speech) -> bool:
    """Whether a question begins at word `i`: "what", "in which"."""
    if i >= len(words):
        return False
    wh = speech.classes["wh"]
    if words[i].text in wh:
        return True
    return i + 1 < len(words) and speech.kind(words[i].text) == "prepositions" and words[i + 1].text in wh


def began_asking(words: tuple[Word, ...], i: int, speech: Speech) -> bool:
    """Whether the utterance began as a question before word `i`."""
    return any(asks(words, k, speech) for k in range(min(2, i)))
