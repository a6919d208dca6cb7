"""Whose name a question asks for, and which half of it."""

from __future__ import annotations

from pipecat_memory.notes.grammar import Grammar
from pipecat_memory.notes.name_slots import by_role
from pipecat_memory.notes.personal import filed
from pipecat_memory.notes.tokens import Hit
from pipecat_memory.notes.utterance import Utterance
from pipecat_memory.notes.whole_name import Half

PARTS = ("asks_given", "asks_family", "asks_whole")


def name_slots(said: Utterance, start: int, grammar: Grammar) -> list[str]:
    """The slot for the name of the caller that a question from word `start` asks for without its label."""
    parts = [hit for group in PARTS for hit in said.hits(group) if hit.start >= start]
    if all(of_another(said, hit, start) for hit in parts):
        return []
    roles = by_role(grammar)
    return [roles[role].name for role in (half(said, start), "full") if role is not None and role in roles][
        :1
    ]


def is_personal(name: str, grammar: Grammar) -> bool:
    """Whether a slot is about the person who calls."""
    slot = grammar.schema.slot(name)
    return slot is not None and filed(slot) is not None


def of_another(said: Utterance, asked: Hit, start: int) -> bool:
    """Whether a question is for somebody else's name or number ("what's your son's name?")."""
    groups = ("others", "kin", "of_other")
    whose = [hit for group in groups for hit in said.hits(group) if hit.meaning != "self"]
    apart = 0 if said.language != "zh" else len(said.words)
    return any(start <= hit.start and 0 <= asked.start - hit.end <= apart for hit in whose)


def half(said: Utterance, start: int) -> Half | None:
    """The half of a name that a question asks for."""
    given, family, both = (any(hit.start >= start for hit in said.hits(group)) for group in PARTS)
    if both or given == family:
        return None
    return "given" if given else "family"
