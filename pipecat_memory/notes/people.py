"""How many people: "a table for four", "2 adults and 1 child", "my wife and I"."""

from __future__ import annotations

from pipecat_memory.notes import spoken
from pipecat_memory.notes.grammar import single_words_of
from pipecat_memory.notes.mention import Moment
from pipecat_memory.notes.spoken import Span
from pipecat_memory.notes.utterance import Utterance

MOST = 500
"""A party larger than this is something else (a year, a price)."""

FRAME_REACH = 2
"""Words between a frame and its number ("a table for about ten")."""


def find_people(said: Utterance, moment: Moment) -> list[Span]:
    """Sizes of parties, as spans of kind `people`, where a noun or a frame says that people are meant."""
    numbers = [
        span
        for span in spoken.find(
            said.text, "quantity", language=said.language, at=moment.at, timezone=moment.timezone
        )
        if isinstance(span.value, int) and 0 < span.value <= MOST
    ]
    counted = [_counted(said, span) for span in numbers]
    found: list[Span] = []
    i = 0
    while i < len(numbers):
        if counted[i] is None and not _framed(said, numbers[i]):
            i += 1
            continue
        total, end, j = numbers[i].value, counted[i] or numbers[i].end, i + 1
        while j < len(numbers) and counted[j] is not None and _joined(said, end, numbers[j].start):
            total, end, j = total + numbers[j].value, counted[j] or end, j + 1
        start = numbers[i].start
        found.append(Span(start, end, said.text[start:end], total, "people", 0.9))
        i = j
    return found


def _counted(said: Utterance, span: Span) -> int | None:
    """End of the noun for people right after a number, or None."""
    after = said.index(span.end - 1) + 1
    for hit in said.hits("people_nouns"):
        if hit.start in (after, after + 1) and all(
            not said.words[k].stop for k in range(after - 1, hit.start)
        ):
            return said.words[hit.end - 1].end
    return None


def _framed(said: Utterance, span: Span) -> bool:
    first = said.index(span.start)
    if span.certainty < 0.5:
        return False
    return any(0 <= first - hit.end <= FRAME_REACH for hit in said.hits("people_frames"))


def _joined(said: Utterance, end: int, start: int) -> bool:
    between = [word.key for word in said.words if end <= word.start < start]
    return all(word in single_words_of(said.language, "and") for word in between)
