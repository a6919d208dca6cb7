"""What the caller takes back without another value: "that was my brother, not me", "I never lived in ..."."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pipecat_memory.notes.grammar import Grammar
from pipecat_memory.notes.mention import Mention
from pipecat_memory.notes.personal import filed
from pipecat_memory.notes.question import Question
from pipecat_memory.notes.tokens import keys
from pipecat_memory.notes.utterance import Utterance, stance
from pipecat_memory.records.call_state import Change, SlotValue
from pipecat_memory.records.faults import pointer
from pipecat_memory.records.schema import Slot

FREE = frozenset({"text", "address", "list", "name"})
"""Types whose values are found by their own words only."""


def denied(said: Utterance, grammar: Grammar, slots: Mapping[str, SlotValue]) -> list[Mention]:
    """Values that stand and that the words deny, where no finder would know them for values."""
    found: list[Mention] = []
    for slot, value in _standing(grammar, slots):
        if slot.type not in FREE or slot.values:
            continue
        for start, end in places(said, str(value)):
            if stance(said, start, end, [(start, end)]) == "deny":
                words = said.span(start, end)
                found.append(Mention(slot.name, value, words, said.words[start].start, "deny"))
    return found


def not_mine(
    said: Utterance,
    grammar: Grammar,
    question: Question,
    slots: Mapping[str, SlotValue],
    changes: Sequence[Change],
) -> list[Mention]:
    """What the caller told as one's own and now says is somebody else's.

    That is what the words name, else what was told last about the caller. Where the agent asked
    something else meanwhile ("who picks it up?"), "that was my brother" answers that.
    """
    at = _disowned(said)
    if at is None:
        return []
    own = [(slot, value) for slot, value in _standing(grammar, slots) if filed(slot) is not None]
    named = [(slot, value) for slot, value in own if next(places(said, str(value)), None)]
    told = named or [one for one in own if _told_last(one, own, changes)]
    sure = bool(said.hits("not_me")) or bool(named) or not question.words
    return [
        Mention(slot.name, value, said.text.strip(), said.words[at].start, "deny")
        for slot, value in told
        if sure or slot.name in question.slots or _spoken_of(question, value)
    ]


def places(said: Utterance, words: str) -> Iterator[tuple[int, int]]:
    """Where in the words a phrase stands, as words from-to."""
    phrase = keys(words)
    size = len(phrase)
    for i, word in enumerate(said.words):
        if phrase and word.key == phrase[0] and tuple(w.key for w in said.words[i : i + size]) == phrase:
            yield i, i + size


def _standing(grammar: Grammar, slots: Mapping[str, SlotValue]) -> Iterator[tuple[Slot, Any]]:
    for name, held in slots.items():
        slot = grammar.schema.slot(name)
        if slot is not None:
            yield from ((slot, value) for value in (held.value if slot.multi else [held.value]))


def _disowned(said: Utterance) -> int | None:
    """The word at which the caller says that it is somebody else; None where that is not said."""
    kin = {hit.start for hit in said.hits("kin") if hit.meaning != "self"}
    starts = [hit.start for hit in said.hits("somebody_else") if hit.end in kin]
    starts += [hit.start for hit in said.hits("not_me")]
    return min(starts) if starts and said.words[-1].stop not in ("?", "？") else None


def _told_last(one: tuple[Slot, Any], own: Sequence[tuple[Slot, Any]], changes: Sequence[Change]) -> bool:
    """Whether a value came in with the last turn that told anything about the caller."""
    return 0 < _turn(one, changes) == max(_turn(other, changes) for other in own)


def _turn(one: tuple[Slot, Any], changes: Sequence[Change]) -> int:
    """The turn of the caller in which a value came in; 0 where it came otherwise."""
    slot, value = one
    path = f"/slots/{pointer(slot.name)}/value"
    for change in reversed(changes):
        if change.path != path or change.by != "caller":
            continue
        after, before = (
            side if slot.multi and isinstance(side, list) else [side]
            for side in (change.after, change.before)
        )
        if value in after and value not in before:
            return change.turn
    return 0


def _spoken_of(question: Question, value: Any) -> bool:
    return question.said is not None and next(places(question.said, str(value)), None) is not None
