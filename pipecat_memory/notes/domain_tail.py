"""What follows the "at" of an address said right: "no, at outlook dot com"."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from pipecat_memory.notes import spoken
from pipecat_memory.notes.grammar import Grammar
from pipecat_memory.notes.mention import Moment
from pipecat_memory.notes.spoken import Span
from pipecat_memory.notes.utterance import Utterance
from pipecat_memory.records.call_state import SlotValue
from pipecat_memory.records.schema import Slot

CUES = ("correction", "no")


def corrected_domain(
    said: Utterance, grammar: Grammar, moment: Moment, held: Mapping[str, SlotValue]
) -> tuple[Slot, Span] | None:
    """The address that stands with the other domain that a correction tells, and its slot.

    Args:
        said: the utterance, in which no whole address was found.
        grammar: of the call.
        moment: when and where.
        held: what stands.
    """
    standing = [slot for slot in grammar.schema.slots if slot.type == "email" and slot.name in held]
    if len(standing) != 1 or not any(said.hits(group) for group in CUES):
        return None
    found = spoken.find(said.text, "domain", language=said.language, at=moment.at, timezone=moment.timezone)
    local = str(held[standing[0].name].value).rpartition("@")[0]
    return (standing[0], replace(found[0], value=f"{local}@{found[0].value}")) if len(found) == 1 else None
