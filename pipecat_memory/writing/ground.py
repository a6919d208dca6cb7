"""No quote, no fact: what a model returned is kept only as far as the caller's own words carry it.

Every item is judged alone, so one bad item never costs a good one. What is refused is counted by
reason; nothing of it is shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from operator import itemgetter
from zoneinfo import ZoneInfo

from ..notes.patch import SlotFinding
from ..notes.spoken.language import base_of
from ..records.fact import Claim
from ..records.schema import Slot
from ..records.turn import Turn
from . import cues, keys
from .answer import RawExtract
from .answered import agreed_to, earlier, of_allergy, taken_back
from .canon import fold
from .follows import close, courtesy, follows, repeats, text_follows, truth_said
from .found_slots import found_slot
from .items import RawFact, Scalar
from .marks import MARK, unmarked
from .moments import Setting, anchored, foreign, resolved, spelled_out
from .quote import Place, locate, tokens
from .reconcile import admits
from .scene import Scene
from .statement import Refused, clause_around, clause_of, stated


@dataclass(slots=True, repr=False)
class Grounded:
    """What of an answer stands, for one turn."""

    claims: list[Claim] = field(default_factory=list[Claim])
    slots: list[SlotFinding] = field(default_factory=list[SlotFinding])
    refused: Counter[str] = field(default_factory=Counter[str])

    @property
    def rejected(self) -> int:
        return self.refused.total()


def ground(raw: RawExtract, turns: Sequence[Turn], scene: Scene) -> dict[str, Grounded]:
    """Judge an answer against the turns it was asked about.

    Returns:
        By turn key; items that belong to none are counted with the last turn.
    """
    found = {turn.key: Grounded() for turn in turns}
    last = found[turns[-1].key]
    placed: dict[str, list[tuple[int, Claim]]] = {turn.key: [] for turn in turns}
    for fact in raw.facts:
        try:
            turn, place = _place(fact.quote, fact.turn, turns)
            placed[turn.key].append((place.start, _claim(fact, turn, place, scene)))
        except Refused as reason:
            last.refused[str(reason)] += 1
    for key, claims in placed.items():
        # As they were said, however the model lists them: what is said later holds.
        in_order = sorted(claims, key=itemgetter(0))
        found[key].claims = [replace(claim, seq=seq) for seq, (_, claim) in enumerate(in_order)]
    for slot in raw.slots:
        try:
            turn, place = _place(slot.quote, slot.turn, turns)
            found[turn.key].slots.append(found_slot(slot, turn, place, scene))
        except Refused as reason:
            last.refused[str(reason)] += 1
    last.refused["malformed"] += raw.rejected
    last.refused += Counter()
    return found


def _place(quote: str, number: int | None, turns: Sequence[Turn]) -> tuple[Turn, Place]:
    """The turn that holds the quote: the one the model names, else the latest that has it."""
    named = [turn for turn in turns if turn.number == number]
    for turn in (*named, *reversed(turns)):
        if turn.trust == "low":
            continue
        if (place := locate(quote, turn)) is not None:
            return turn, place
    raise Refused("no_quote")


def _claim(fact: RawFact, turn: Turn, place: Place, scene: Scene) -> Claim:
    setting = scene.setting(turn)
    rule = keys.rule_for(fact.key, scene.schema.facts)
    slot = scene.schema.slot(fact.key)
    if keys.secret(fact.key) or (slot is not None and slot.secret):
        raise Refused("secret")
    if _own_words(fact, place):
        fact = replace(fact, subject="caller")
    value, explicit = fact.value, fact.explicit
    if value is not None:
        value, plain = _value(fact, value, turn, place, scene, setting)
        explicit = explicit and plain
    elif taken_back(fact, turn, place, scene, setting):
        explicit = stated(fact, "", place) and explicit
    else:
        raise Refused("does_not_follow")
    text = _text(fact, value, turn, place, scene, setting)
    speaker, other_voice = scene.voice(turn, place)
    at = scene.started.at + timedelta(seconds=max(turn.started, 0.0))
    person = keys.person_of(fact.key)
    claim = Claim(
        call=scene.started.call,
        turn=turn.number,
        seq=0,
        at=at.astimezone(ZoneInfo("UTC")).isoformat(),
        kind=rule.kind if rule else keys.kind_of(fact.key) if fact.subject == "caller" else "person",
        key=fact.key,
        value=value,
        text=text,
        quote=place.words,
        op=fact.op,
        subject=fact.subject,
        explicit=explicit,
        importance=fact.importance,
        speaker=speaker,
        language=turn.language or _told(turn.text),
        strength=scene.strength,
        pending=other_voice or not scene.labels_sure,
        sensitive=_sensitive(fact.key, rule is not None and rule.sensitive, slot),
        line=scene.line,
        valid_to=_over(fact.key, value, setting),
        relations=((person, str(value)),) if person and isinstance(value, str) else (),
    )
    if not admits(claim, scene.schema.facts):
        raise Refused("schema")
    return claim


def _text(
    fact: RawFact, value: Scalar | None, turn: Turn, place: Place, scene: Scene, setting: Setting
) -> str:
    """The model's sentence where it says what the caller said; else the fact alone."""
    key = fact.key.replace("_", " ")
    words = f"{place.text} {agreed_to(turn, scene, own=False)}"
    follows_so = text_follows(fact.text, f"{fact.subject} {key} {value} {fact.value}", words)
    return (anchored(fact.text, setting) if follows_so else "") or f"{key}: {value}"


def _own_words(fact: RawFact, place: Place) -> bool:
    """Whether what a model files under somebody else the caller says of nobody but the caller."""
    if fact.subject == "caller" or fact.op == "retract" or keys.about_person(fact.key):
        return False
    who = fact.subject.removeprefix("other: ")
    if fold(str(fact.value)) in fold(place.text):
        return cues.of_nobody_else(clause_of(str(fact.value), place), who)
    # A value in other words: in which clause it stands is not known.
    named = any(word.text in fold(place.text) for word in tokens(who))
    return not named and not cues.other_subject(place.text) and cues.of_nobody_else(place.text, who)


def _value(
    fact: RawFact, value: Scalar, turn: Turn, place: Place, scene: Scene, setting: Setting
) -> tuple[Scalar, bool]:
    """The value as the words give it, and whether the caller stated it plainly.

    Raises:
        Refused: the words are no statement, or the value does not follow from them.
    """
    if cues.commands(f"{value} {fact.text}") or cues.commands(place.words):
        raise Refused("instruction")
    if (
        isinstance(value, str)
        and fact.op != "retract"
        and (repeats(fact.key, value) or courtesy(fact.key, value) or keys.of_the_call(fact.key))
    ):
        raise Refused("says_nothing")
    said = unmarked(place.words)
    if MARK.search(f"{value} {fact.text}"):
        raise Refused("secret")
    agreed = agreed_to(turn, scene, fact.subject == "caller" and not keys.about_person(fact.key))
    if keys.allergy(fact.key) and fact.op != "retract" and not of_allergy(str(value), turn, place, scene):
        raise Refused("does_not_follow")
    if isinstance(value, bool) or str(value).lower() in ("true", "false", "yes", "no"):
        told = agreed or unmarked(clause_around(place))
        if keys.written(fact.key) or not (truth_said(fact.key, told) or close(fact.text, told, setting)):
            raise Refused("does_not_follow")
        kept: Scalar | None = value
    else:
        written = resolved(fact.key, spelled_out(fact.key, str(value), setting), said, setting)
        kept = None
        for words in (said, unmarked(clause_around(place)), *([agreed] if agreed else [])):
            kept = follows(fact.key, written, fact.text, words, setting)
            if kept is not None:
                agreed = agreed if words == agreed else ""
                break
        if kept is None and fact.op == "retract" and taken_back(fact, turn, place, scene, setting):
            kept = written  # it meets a fact that stands, or nothing
        elif kept is None and fact.op != "retract" and fact.subject != "caller" and cues.not_me(said):
            return written, True
        if kept is None and cues.points_back(said):
            back = " ".join(item.text for item in earlier(turn, scene) if item.role == "user")
            kept = follows(fact.key, written, "", back, setting)
            return _kept(kept, value), False
        kept = _kept(kept, value)
    if agreed:
        return kept, True
    return kept, stated(fact, str(value), place)


def _kept(kept: str | Scalar | None, value: Scalar) -> Scalar:
    if kept is None:
        raise Refused("does_not_follow")
    return value if str(kept) == str(value) else kept


def _told(text: str) -> str | None:
    """The language of a turn that came without one, where its words or script tell."""
    base = base_of(None, text)
    return base if base != "en" or not foreign(text, None) else None


def _sensitive(key: str, by_rule: bool, slot: Slot | None) -> bool:
    return by_rule or keys.private(key) or (slot is not None and slot.sensitive)


def _over(key: str, value: Scalar | None, setting: Setting) -> str | None:
    """When a dated fact ends by itself: with the moment, or the day, that it names."""
    if not keys.dated(key) or not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value)
        if len(value) == 10:
            moment += timedelta(days=1)
        there = moment if moment.tzinfo else moment.replace(tzinfo=ZoneInfo(setting.timezone))
        return there.astimezone(ZoneInfo("UTC")).isoformat()
    except (ValueError, OverflowError):  # no moment, or one at an end of the calendar
        return None
