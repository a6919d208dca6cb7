"""How much of a reply was heard, from how much of its audio was written. Pure: seconds in, words out.

Audio leaves for the caller in one stream. Each stretch of it (one synthesis context) has a text, a place in
the stream and a length; what has left the stream so far bounds what can have been heard. Where the telephone
confirms playback (`marks`), the smaller of both counts.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, field

SECONDS_PER_WEIGHT = 0.057
"""Speaking time of one letter until this call has taught better: 150 words a minute at 5 letters a word."""
PAUSE = 2
"""What the gap after a word weighs, in letters."""
LULL = 0.06
"""Seconds without new audio after which a synthesiser that says nothing of its end is taken to be done.
Services stream much faster than people speak; a service that comes in slow pieces has twice its own gap."""
TOLERANCE = 0.02
"""Seconds by which resampling and whole chunks may blur a position."""
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\s\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
"""A word, or one CJK character: scripts without spaces are counted by character."""


@dataclass(slots=True, repr=False)
class Stretch:
    """One stretch of synthesised audio and the text it speaks."""

    start: float
    texts: list[str] = field(default_factory=list[str])
    made: float = 0.0
    complete: bool = False
    came: float = 0.0
    gap: float = 0.0
    """When the last audio came, and the longest wait between two pieces of it, seconds."""
    text_first: bool = False
    """The text came before any audio: a synthesiser that works ahead, so texts mark no places in it."""
    anchors: list[tuple[float, float]] = field(default_factory=list[tuple[float, float]])
    """(weight, seconds): places where a sentence is known to end."""

    @property
    def text(self) -> str:
        return " ".join(t.strip() for t in self.texts if t.strip())

    @property
    def end(self) -> float:
        return self.start + self.made

    def __repr__(self) -> str:
        return f"<Stretch start={self.start:.2f} made={self.made:.2f}>"


class AudioStream:
    """The stream of audio between the synthesiser and the caller's ear."""

    def __init__(self) -> None:
        self.number = 1
        self.made = 0.0
        self.written = 0.0
        self._confirmed: float | None = None
        self._rate = SECONDS_PER_WEIGHT

    @property
    def position(self) -> float:
        """Seconds of the stream that the caller can have heard."""
        return self.written if self._confirmed is None else min(self.written, self._confirmed)

    @property
    def end(self) -> tuple[int, float]:
        """Which stream this is, and how long it has become."""
        return (self.number, self.made)

    def confirm(self, position: tuple[int, float]) -> None:
        """The telephone has played so far; news of an earlier stream comes too late to matter."""
        number, seconds = position
        if number == self.number:
            self._confirmed = max(self._confirmed or 0.0, seconds)

    def flush(self) -> None:
        """The rest was thrown away; a new stream begins."""
        self.number += 1
        self.made = self.written = 0.0
        self._confirmed = None if self._confirmed is None else 0.0

    def add(self, stretch: Stretch, seconds: float, now: float) -> None:
        """Audio of `stretch` was made."""
        stretch.gap = max(stretch.gap, now - stretch.came) if stretch.made else 0.0
        stretch.came = now
        self.made += seconds
        stretch.made = self.made - stretch.start

    def mark_text(self, stretch: Stretch) -> None:
        """The last sentence of `stretch` is spoken to its end by the audio made so far."""
        if stretch.made == 0:
            stretch.text_first = True
        elif not stretch.text_first:
            stretch.anchors.append((weight(stretch.text), stretch.made))

    def complete(self, stretch: Stretch) -> None:
        """All audio of `stretch` was made: its rate of speech is known now."""
        stretch.complete = True
        if (total := weight(stretch.text)) > 20 and stretch.made > 0:
            self._rate = stretch.made / total

    def heard(self, stretch: Stretch, now: float) -> str:
        """The words of `stretch` that were heard to their end."""
        if now - stretch.came > max(LULL, 2 * stretch.gap):
            stretch.complete = True
        seconds = self.position - stretch.start
        if stretch.complete and seconds >= stretch.made - TOLERANCE:
            return stretch.text
        return prefix(stretch.text, self._weight_at(stretch, seconds))

    def _weight_at(self, stretch: Stretch, seconds: float) -> float:
        points = [(0.0, 0.0), *stretch.anchors]
        total = weight(stretch.text)
        if points[-1][0] < total:
            done, at = points[-1]
            rest = (
                stretch.made - at if stretch.complete else max(stretch.made - at, (total - done) * self._rate)
            )
            points.append((total, at + rest))
        for (low, start), (high, end) in itertools.pairwise(points):
            if seconds < end:
                return low + (high - low) * max(0.0, seconds - start) / (end - start)
        return points[-1][0]


def weight(text: str) -> float:
    """How long a text takes to say, in letters."""
    return float(sum(len(m[0]) + PAUSE for m in _WORD.finditer(text)))


def prefix(text: str, limit: float) -> str:
    """The longest run of whole words from the start of `text` that weighs no more than `limit`."""
    end = 0
    total = 0.0
    for match in _WORD.finditer(text):
        # The gap after a word need not be over for the word to have been heard.
        if total + len(match[0]) > limit + 1e-9:
            break
        total += len(match[0]) + PAUSE
        end = match.end()
    return text[:end]
