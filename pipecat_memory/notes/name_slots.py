"""Which slots take which words of a name: full, given, family, preferred, or somebody else's."""

from __future__ import annotations

from pipecat_memory.notes.grammar import Grammar
from pipecat_memory.records.schema import Slot


def by_role(grammar: Grammar) -> dict[str, Slot]:
    """The first slot of each role."""
    found: dict[str, Slot] = {}
    for slot in grammar.schema.slots:
        part = grammar.naming(slot)
        if part is not None:
            found.setdefault(part, slot)
    return found


def parts(
    role: str, start: int, end: int, slots: dict[str, Slot], only: Slot | None
) -> list[tuple[Slot, int, int]]:
    """Slots and the words of a name from `start` to `end` that each takes."""
    if only is not None and role in ("other", "preferred"):
        return [(only, start, end)]
    if role in ("family", "given") and end - start > 1 and {"family", "given"} <= slots.keys():
        role = "full"
    if role in slots and role != "full":
        return [(slots[role], start, end)]
    if role in ("preferred", "family", "given") and "full" in slots:
        return [(slots["full"], start, end)]
    found: list[tuple[Slot, int, int]] = []
    if "full" in slots and role in ("full", "preferred"):
        found.append((slots["full"], start, end))
    if role in ("full", "preferred"):
        if "given" in slots and (end - start > 1 or "family" not in slots or role == "preferred"):
            found.append((slots["given"], start, start + 1 if "family" in slots else end))
        if "family" in slots and end - start > 1:
            found.append((slots["family"], start + 1, end))
        if "given" in slots and not found:
            found.append((slots["given"], start, end))
    return found


def holds(whole: str, part: str) -> bool:
    """Whether a name has another one in it: "Anna Schmidt" has "schmidt", 王小明 has 王."""
    if not part.isascii() and " " not in whole:
        return whole.startswith(part)
    return set(part.casefold().split()) <= set(whole.casefold().split())
