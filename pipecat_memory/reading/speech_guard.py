"""Keeps what is only for the model out of what is spoken: memory blocks, notes, field names.

A model that is told `party_size: 4` sometimes says it. The guard reads the stream of a reply, lets clean
text through at once, and holds back no more than one sentence where something suspicious has begun.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from .leaks import Leaks

OURS = ("memory", "notes?", "state", "slots?", "recall", "summary", "briefing", "next_step")
"""Tags and note heads that name parts of a briefing (as regular expressions)."""
MOST_SENTENCES = 2
"""A spoken reply longer than this is counted: on the phone it is too long."""
LONGEST_HOLD = 400
"""Characters held back at most, where no sentence ends."""
PIECE = 500
"""Characters looked at in one go: a model may answer with one endless word, and the caller waits."""

_ELEMENT = re.compile(rf"<\s*({'|'.join(OURS)})\b[^>]*>.*?(?:<\s*/\s*\1\s*>|$)", re.IGNORECASE | re.DOTALL)
_OPEN = re.compile(rf"<\s*(?:{'|'.join(OURS)})\b[^>]*>", re.IGNORECASE)
_CLOSE = re.compile(rf"<\s*/\s*(?:{'|'.join(OURS)})\s*>", re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?<![.!?…])[.!?…]++[\"'”’)\]]*+(?=\s)|[。！？]")
_ABBREVIATED = re.compile(r"\b(?:(?i:Mr|Mrs|Ms|Dr|St|No|vs|a\.m|p\.m|e\.g|i\.e)|\d+|[A-Z])\.$")
_IDENTIFIER = re.compile(r"(?<![A-Za-z0-9])[A-Za-z][A-Za-z0-9]*+(?:_[A-Za-z0-9]++)+")
_LAST_WORD = re.compile(r"\S+$")
_GAP = re.compile(r"[ \t]{2,}")


@dataclass(slots=True)
class GuardCounts:
    """What was taken out, and how long replies were."""

    tags: int = 0
    notes: int = 0
    fields: int = 0
    long_replies: int = 0


class SpeechGuard:
    """Cleans the stream of one agent's replies.

    Args:
        fields: names that are internal, such as a schema's slot names. Only those with an underscore are
            recognisable inside a sentence; all of them are where a note begins with one.

    Example::

        guard = SpeechGuard(["party_size"])
        spoken = guard.feed("[party_size: 4] A table ") + guard.feed("for four.") + guard.end()
    """

    def __init__(self, fields: Iterable[str] = ()) -> None:
        self._names = {name.lower() for name in fields}
        names = "|".join(sorted((re.escape(n) for n in self._names), key=len, reverse=True))
        heads = "|".join([*OURS, *([names] if names else []), _IDENTIFIER.pattern])
        self._bracketed = re.compile(rf"[\[({{]\s*\"?(?:{heads})\"?\s*[:=][^\])}}]*[\])}}]", re.IGNORECASE)
        self._written = [name for name in self._names if "_" in name]
        written = "|".join(map(re.escape, self._written)) or "(?!)"
        self._assigned = re.compile(
            rf"(?:^|(?<=[\s;,]))(?:{written})\s*[:=]\s*[^.!?;,\n]*[;,]?", re.IGNORECASE
        )
        self._leaks = Leaks(self._names)
        self._held = ""
        self._inside = False
        self._said = ""
        self.counts = GuardCounts()

    def feed(self, text: str) -> str:
        """Take the next piece of a reply; returns what may be spoken of it (and of what was held)."""
        return "".join(self._feed(text[at : at + PIECE]) for at in range(0, len(text), PIECE))

    def _feed(self, piece: str) -> str:
        self._held += piece
        if self._inside and not self._leave():
            return ""
        cut = self._safe_until(self._held)
        ready, self._held = self._held[:cut], self._held[cut:]
        return self._say(ready)

    def end(self) -> str:
        """The reply is over; returns what was still held of it."""
        rest, self._held = self._held, ""
        spoken = self._say("" if self._inside else rest)
        if sentences(self._said) > MOST_SENTENCES:
            self.counts.long_replies += 1
        self._inside = False
        self._said = ""
        return spoken

    def drop(self) -> None:
        """The reply was cut off; nothing of it is left to say."""
        self._held = self._said = ""
        self._inside = False

    def _leave(self) -> bool:
        """Look for the end of the element we are in; what stands before it is dropped."""
        if (close := _CLOSE.search(self._held)) is None:
            self._held = self._held[-40:]
            return False
        self._held = self._held[close.end() :]
        self._inside = False
        return True

    def _safe_until(self, text: str) -> int:
        start = self._suspicious(text)
        ours = self._leaks.begun(text)
        if ours is not None:
            start = ours if start is None else min(start, ours)
        if start is None:
            # A word still being written may turn out to be a field name.
            word = _LAST_WORD.search(text)
            begun = word is not None and any(n.startswith(word[0].lower()) for n in self._written)
            return word.start() if word is not None and begun else len(text)
        end = _SENTENCE_END.search(text, start)
        if end is None and len(text) - start <= LONGEST_HOLD:
            return start
        return end.end() if end is not None else len(text)

    def _suspicious(self, text: str) -> int | None:
        """Where something begins that can't be judged yet, or None."""
        spans = [m.span() for m in _ELEMENT.finditer(text) if _CLOSE.search(m[0])]
        spans += [m.span() for m in self._bracketed.finditer(text)]
        spans += self._leaks.spans(text)
        for match in re.finditer(r"<|[\[({]", text):
            if any(low <= match.start() < high for low, high in spans):
                continue
            tail = text[match.start() :]
            closed = ">" in tail if match[0] == "<" else re.search(r"[\])}]", tail) is not None
            if not closed or _OPEN.match(tail):
                return match.start()
        for match in _IDENTIFIER.finditer(text):
            if any(low <= match.start() < high for low, high in spans):
                continue
            rest = text[match.end() :]
            if match[0].lower() in self._names and (
                not rest.strip() or re.match(r"\s*[:=][^.!?;,\n]*$", rest)
            ):
                return match.start()
        return None

    def _say(self, text: str) -> str:
        if not text:
            return ""
        clean = self._clean(text)
        if clean != text:
            clean = _GAP.sub(" ", clean)
            if not self._said.strip() or self._said[-1:].isspace():
                clean = clean.lstrip(" ") if text[:1] != " " or self._said[-1:].isspace() else clean
        self._said += clean
        return clean

    def _clean(self, text: str) -> str:
        opened = list(_OPEN.finditer(text))
        closed = list(_CLOSE.finditer(text))
        self._inside = bool(opened) and (not closed or closed[-1].start() < opened[-1].start())
        text, tags = _ELEMENT.subn("", text)
        text, strays = _CLOSE.subn("", text)
        self.counts.tags += tags + strays
        text, lines = self._leaks.without(text)
        text, notes = self._bracketed.subn("", text)
        text, assigned = self._assigned.subn("", text)
        self.counts.notes += lines + notes + assigned
        return _IDENTIFIER.sub(self._as_words, text)

    def _as_words(self, match: re.Match[str]) -> str:
        # Cutting the name out of a sentence would leave a hole; its words can be said.
        if match[0].lower() not in self._names:
            return match[0]
        self.counts.fields += 1
        return match[0].replace("_", " ")


def sentences(text: str) -> int:
    """How many sentences a spoken text has; abbreviations and numbers with a point end none."""
    count = at = 0
    for match in _SENTENCE_END.finditer(text):
        if not _ABBREVIATED.search(text[at : match.end()]):
            count += 1
            at = match.end()
    return count + bool(text[at:].strip())
