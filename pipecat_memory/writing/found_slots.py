"""Which slots a model filled: its value must follow from the caller's words, as a fact's must."""

from __future__ import annotations

from ..notes.patch import SlotFinding
from ..notes.personal import filed
from ..records.schema import Slot
from ..records.turn import Turn
from . import cues, keys
from .answered import agreed_to, of_allergy
from .follows import follows
from .items import RawSlot, Scalar, fact_of, key_name
from .marks import MARK, unmarked
from .moments import Setting, resolved
from .quote import Place
from .scene import Scene
from .statement import Refused, clause_around, stated


def found_slot(raw: RawSlot, turn: Turn, place: Place, scene: Scene) -> SlotFinding:
    """A slot may come from a question ("a table for two at seven?"): asking is how callers order."""
    slot = scene.schema.slot(raw.name)
    if slot is None:
        raise Refused("schema")
    if scene.voice(turn, place)[1]:
        raise Refused("other_voice")
    setting, agreed = scene.setting(turn), agreed_to(turn, scene)
    values = raw.value if isinstance(raw.value, tuple) else (raw.value,)
    if slot.secret or any(MARK.search(str(one)) for one in values):
        raise Refused("secret")
    if cues.commands(place.words):
        raise Refused("instruction")
    kept: list[Scalar] = []
    explicit, reason = raw.explicit and _plain(clause_around(place)), "does_not_follow"
    for one in values:
        value = _slot_value(slot, one, place, agreed, setting)
        try:
            if value is not None:
                stated_so = agreed or filed(slot) is None or _of_caller(slot, value, turn, place, scene)
                explicit = explicit and bool(stated_so)
                kept.append(value)
        except Refused as refused:
            reason = str(refused)
    if not kept:
        raise Refused(reason)
    return SlotFinding(raw.name, tuple(kept) if slot.multi else kept[-1], place.words, explicit)


def _plain(clause: str) -> bool:
    return not (cues.hedges(clause) or cues.supposes(clause) or cues.recalls(clause))


def _of_caller(slot: Slot, value: Scalar, turn: Turn, place: Place, scene: Scene) -> bool:
    """Whether the words state plainly, of the caller, what a slot about the person is filled with.

    Raises:
        Refused: they state it of somebody else, or not at all. A name or a number may stand in a question.
    """
    key = key_name(slot.name)
    if keys.allergy(key) and not of_allergy(str(value), turn, place, scene):
        raise Refused("does_not_follow")
    try:
        return stated(fact_of(key, value, place.words), str(value), place)
    except Refused as reason:
        if str(reason) != "question" or keys.kind_of(key) != "fact":
            raise
        return False


def _slot_value(slot: Slot, value: Scalar, place: Place, agreed: str, setting: Setting) -> Scalar | None:
    said = unmarked(f"{clause_around(place)} {agreed}".strip())
    if isinstance(value, bool):
        return value
    for way in slot.ways(str(value)) if str(value) in slot.values else ():
        if follows(slot.name, way, "", said, setting) is not None:
            return value
    kept = follows(slot.name, resolved(slot.name, str(value), said, setting), "", said, setting)
    return None if kept is None else (value if kept == str(value) else kept)
