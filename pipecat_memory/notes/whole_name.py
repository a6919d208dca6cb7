"""A name given in parts, over turns and calls: the parts join, and one part never wipes the other."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from pipecat_memory.notes.fusion.sounding import distance, plain
from pipecat_memory.notes.mention import Mention, same
from pipecat_memory.notes.name_slots import holds
from pipecat_memory.records.call_state import SlotValue

Half = Literal["given", "family"]

ALIKE = 0.8
"""How far each part of a name may sound from a known one, a letter, to be taken for a hearing of it."""


def whole(said: Mention, held: SlotValue | None, half: Half | None, known: str | None) -> Mention:
    """The mention with the name that it and what stands add up to; `part` is left where that is half a name.

    Args:
        said: what was said of the name.
        held: what stands.
        half: which half of a name that is, where it is known to be one.
        known: the caller's name from earlier calls.
    """
    if said.stance == "deny" or not isinstance(said.value, str):
        return said
    if held is not None:
        said = _beside(said, held, half)
    elif known is not None and said.stance != "correct":
        said = _as_known(said, known)
    # Half a name in a slot for the whole one is a best guess until the rest is said.
    return said.meant("unsure") if said.part and said.stance in ("assert", "suggest") else said


def _beside(said: Mention, held: SlotValue, half: Half | None) -> Mention:
    new, old = str(said.value), str(held.value)
    if holds(old, new):
        return replace(said, value=old, part=said.part if same(old, new) and half else None)
    if held.asked is not None and holds(str(held.asked), new):
        return replace(said, value=held.asked, part=None)
    if holds(new, old):
        return replace(said, part=None, stance="correct" if said.stance == "assert" else said.stance)
    if said.part is None and half is not None and " " not in new and not sounds_like(new, old):
        said = replace(said, part="given" if half == "family" else "family")  # the half that was missing
    if said.part is None or said.part == half:
        return said
    if half is not None or " " not in old:
        joined = _joined(old, new, said.part)
        return replace(
            said, value=joined, part=None, stance="correct" if said.stance == "assert" else said.stance
        )
    return replace(said, value=_with_part(old, new, said.part), part=None)


def _joined(old: str, new: str, part: Half) -> str:
    first, last = (old, new) if part == "family" else (new, old)
    return f"{first} {last}" if any(mark.isascii() for mark in first + last) else f"{last}{first}"


def _with_part(old: str, new: str, part: Half) -> str:
    """A whole name with one part said anew; as many words as were said take the place of as many."""
    words = old.split()
    count = min(len(new.split()), len(words) - 1)
    return " ".join([*words[:-count], new] if part == "family" else [new, *words[count:]])


def _as_known(said: Mention, known: str) -> Mention:
    """What a caller whose name is known says of it: that name, or a doubt between the two."""
    new = str(said.value)
    if same(new, known):
        return replace(said, value=known, part=None)
    if holds(known, new):
        return replace(said, value=known, part=None, stance="unsure")
    if said.part is not None and " " not in known and not sounds_like(new, known):
        return replace(said, value=_joined(known, new, said.part), part=None, stance="unsure")
    words = known.split()
    count = len(new.split())
    there = known
    if said.part is not None and count < len(words):
        there = " ".join(words[-count:] if said.part == "family" else words[:count])
    elif count < len(words):
        there = " ".join(words[:count])
    if sounds_like(new, there):
        rival = known.replace(there, new)
        return replace(said, value=known, rival=rival, part=None, stance="unsure")
    if said.part is not None and len(words) > 1:
        return replace(said, value=known, rival=_with_part(known, new, said.part), part=None, stance="unsure")
    return said


def sounds_like(one: str, other: str) -> bool:
    """Whether two names may be one that was heard differently, part by part."""
    left, right = one.split(), other.split()
    return len(left) == len(right) and all(
        _near(plain(a), plain(b)) for a, b in zip(left, right, strict=True)
    )


def _near(a: str, b: str) -> bool:
    return bool(a and b) and distance(a, b) <= ALIKE * max(len(a), len(b))
