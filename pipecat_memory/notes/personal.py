"""Which slots are about the person: what kind of fact each makes, and how weighty."""

from __future__ import annotations

import re

from pipecat_memory.records.schema import Slot

PERSONAL = {
    "name": ("fact", 0.9), "preferred": ("fact", 0.9), "phone": ("fact", 0.8), "email": ("fact", 0.8),
    "address": ("fact", 0.7), "birth": ("fact", 0.7), "dob": ("fact", 0.7), "postcode": ("fact", 0.7),
    "allerg": ("constraint", 1.0), "diet": ("constraint", 0.9), "prefer": ("preference", 0.6),
    "language": ("preference", 0.7), "favour": ("preference", 0.5), "favor": ("preference", 0.5),
    "account": ("fact", 0.6), "姓名": ("fact", 0.9), "过敏": ("constraint", 1.0), "偏好": ("preference", 0.6),
}  # fmt: skip
"""Words of a slot's name that make it one about the person, what kind of fact it is, how weighty."""

PERSONAL_TYPES = {"phone": ("fact", 0.8), "email": ("fact", 0.8), "address": ("fact", 0.7)}
PLACES = ("place", "destination", "origin", "pickup", "pick up", "dropoff", "drop off", "delivery", "venue")
"""An address under such a name is the booking's, not the person's."""

BIRTH = re.compile(r"birth|\bdob\b|\bborn\b|geburt|geboren|nacimiento|nacid|naissance|\bnée?\b|生日|出生")
"""What a slot for a birthday is called, or described by."""


def is_birthday(slot: Slot) -> bool:
    """Whether a slot holds the day somebody was born on: never today, and never still to come."""
    return slot.type == "date" and BIRTH.search(f"{slot.label} {slot.description}".casefold()) is not None


PERSON = frozenset(
    "name first given last family full fore sur nick preferred caller callers customer client guest patient "
    "contact booking reservation person own user my your nombre apellido completo nom prenom famille".split()
)
"""Words of the label of a text that is the name of who calls."""


def names_a_person(label: str) -> bool:
    """Whether every word of a label may stand for the caller's name ("full name", "Vorname")."""
    return " " not in label or not label.isascii() or set(label.split()) <= PERSON


def filed(slot: Slot) -> tuple[str, float] | None:
    """The kind of fact that a slot's value is and its weight; None where it is about the call's business."""
    label = slot.label.casefold()
    if slot.type == "address" and any(word in label for word in PLACES):
        return None
    for word, kind in PERSONAL.items():
        if word in label if len(word) > 4 or not word.isascii() else re.search(rf"\b{word}\b", label):
            return kind if slot.type != "choice" or word != "name" else None
    return PERSONAL_TYPES.get(slot.type)
