"""A bare number that amends what stands: "make that five", "no, eight"."""

from __future__ import annotations

import re
from collections.abc import Mapping

from pipecat_memory.notes import spoken
from pipecat_memory.notes.grammar import Grammar
from pipecat_memory.notes.mention import Moment
from pipecat_memory.notes.spoken import Span
from pipecat_memory.notes.utterance import Utterance, stance
from pipecat_memory.records.call_state import SlotValue
from pipecat_memory.records.schema import Slot

COUNTED: dict[str, spoken.Kind] = {
    "quantity": "quantity",
    "number": "number",
    "money": "number",
    "time": "time",
}
"""Types that a bare number can amend, and what to read it as."""


def amendment(
    said: Utterance,
    grammar: Grammar,
    moment: Moment,
    held: Mapping[str, SlotValue],
    before: tuple[Slot, Span] | None = None,
) -> tuple[Slot, Span] | None:
    """The one slot that a number with a correction cue can be for, with the number.

    Nothing where several slots could be meant: the agent then has to ask. After a value in the
    same breath ("seven pm, no, eight") it is for that value's slot, if a cue stands between.
    """
    after = before[1].end if before else 0
    numbers = spoken.find(said.text, "number", language=said.language, at=moment.at, timezone=moment.timezone)
    numbers = [number for number in numbers if number.start >= after]
    if len(numbers) != 1:
        return None
    place = said.index(numbers[0].start), said.index(numbers[0].end - 1) + 1
    corrected = stance(said, *place, [place]) in ("correct", "refuse")
    if not corrected and not any(hit.start == 0 for hit in said.hits("no")):  # "no can we do nine"
        return None
    if before is not None and not _cue_between(said, after, numbers[0].start):
        return None
    standing = [before[0]] if before else [slot for slot in grammar.schema.slots if slot.name in held]
    standing = [slot for slot in standing if slot.type in COUNTED]
    counts = [slot for slot in standing if slot.type in ("quantity", "number")]
    standing = (counts if corrected else None) or standing
    if len(standing) != 1:
        return None
    slot = standing[0]
    kind = COUNTED[slot.type]
    spans = spoken.find(said.text, kind, language=said.language, at=moment.at, timezone=moment.timezone)
    spans = [span for span in spans if span.start >= after]
    fitting = [s for s in spans if slot.pattern is None or re.fullmatch(slot.pattern, str(s.value))]
    return (slot, fitting[0]) if len(fitting) == 1 else None


def _cue_between(said: Utterance, after: int, before: int) -> bool:
    starts = [said.words[hit.start].start for group in ("correction", "no") for hit in said.hits(group)]
    return any(after <= start < before for start in starts)
