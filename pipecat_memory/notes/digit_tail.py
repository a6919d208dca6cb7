"""The end of a row of digits said right: "555 123 4567, sorry, 4568", "no, the last digit is 8"."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from difflib import SequenceMatcher

from pipecat_memory.notes import spoken
from pipecat_memory.notes.amendment import ALIKE, SHORTEST, STRINGS
from pipecat_memory.notes.grammar import Grammar
from pipecat_memory.notes.mention import Moment
from pipecat_memory.notes.spoken import Span
from pipecat_memory.notes.utterance import Utterance
from pipecat_memory.records.call_state import SlotValue
from pipecat_memory.records.schema import Slot

CUES = ("correction", "no")


def corrected_tail(
    said: Utterance,
    grammar: Grammar,
    moment: Moment,
    held: Mapping[str, SlotValue],
    before: tuple[Slot, Span] | None,
) -> tuple[Slot, Span] | None:
    """The row of digits whose end a correction tells, as it then is, and its slot.

    Args:
        said: the utterance.
        grammar: of the call.
        moment: when and where.
        held: what stands.
        before: the last value of the same breath, where there is one.
    """
    cues = sorted(hit.start for group in CUES for hit in said.hits(group))
    told = {hit.end for hit in said.hits("ends_in")}
    after = {hit.start for hit in said.hits("ends_in")}  # "double six at the end"
    own = before is not None and before[0].type in STRINGS
    if not cues or not (told or own):
        return None
    rows = spoken.find(said.text, "digits", language=said.language, at=moment.at, timezone=moment.timezone)
    for row in rows:
        at, digits = said.index(row.start), str(row.value)
        ends = at in told or said.index(row.end - 1) + 1 in after
        if before is not None and own and row.start == before[1].start and before[0].name in held:
            standing = str(held[before[0].name].value)
            whole = _ending(standing, digits, sure=ends) if cues[0] < at else None
            if whole and len(digits) >= SHORTEST:
                return before[0], replace(row, value=whole)  # "88103?" "no, 013"
        if before is not None and own and row.start >= before[1].end:
            between = any(before[1].end <= said.words[cue].start < row.start for cue in cues)
            whole = _ending(str(before[1].value), digits, sure=ends) if between else None
            return (before[0], replace(row, value=whole)) if whole else None
        if before is None and ends and cues[0] < at:
            standing = [slot for slot in grammar.schema.slots if slot.type in STRINGS and slot.name in held]
            slot = max(standing, key=lambda slot: held[slot.name].turn, default=None)
            whole = _ending(str(held[slot.name].value), digits, sure=True) if slot else None
            return (slot, replace(row, value=whole)) if slot and whole else None
    return None


def _ending(row: str, end: str, *, sure: bool) -> str | None:
    """A row with another end; None where the end is no row's, or unlike its own and not `sure`."""
    if not 0 < len(end) < len(row):
        return None
    like = SequenceMatcher(None, row[-len(end) :], end, autojunk=False).ratio()
    return row[: -len(end)] + end if sure or (len(end) > 1 and like >= ALIKE) else None
