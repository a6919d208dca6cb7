"""Which half of the day a time is in that was said without it: "half past seven", 八点.

What the caller said with it decides, then what the agent said, then what stands, then what the slot is
for. Where nothing does, the time keeps both readings, and which one is meant is asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from pipecat_memory.notes import spoken
from pipecat_memory.notes.grammar import Grammar
from pipecat_memory.notes.mention import Mention, Moment
from pipecat_memory.notes.question import Question
from pipecat_memory.notes.spoken.times import nearest
from pipecat_memory.notes.tokens import tokens
from pipecat_memory.notes.utterance import Utterance, read
from pipecat_memory.records.call_state import Change, SlotValue
from pipecat_memory.records.faults import pointer
from pipecat_memory.records.schema import Slot

Half = Literal["early", "late"]
HALVES: tuple[Half, Half] = ("early", "late")

EITHER = range(7, 10)
"""Hours that people keep appointments at in both halves of the day: nobody books at three in the
morning, and ten to twelve are mostly before noon."""

BEHIND = 3
"""Words behind a day that may name its part ("viernes por la noche")."""

LONGEST = 8
"""Words of an answer that tells the half of the day alone ("in the evening, please")."""

_CLOCK = re.compile(r"(?<![\d:])([01]\d|2[0-3]):([0-5]\d)")
"""The clock of a time or of a moment in ISO form; its zone stands behind it."""


@dataclass(frozen=True, slots=True, repr=False)
class Setting:
    """What a time is said among: the caller's words, the agent's, what stands and how it came to stand."""

    said: Utterance
    question: Question
    slots: Mapping[str, SlotValue]
    grammar: Grammar
    moment: Moment
    changes: Sequence[Change] = ()

    def __repr__(self) -> str:
        return "<Setting>"


def placed(time: Mention, slot: Slot, setting: Setting) -> Mention:
    """The time in the half of the day that is meant, or with its other reading as `rival`."""
    clock = _clock(time.value) if time.either_half else None
    if clock is None or int(clock[:2]) % 12 == 0:
        return time
    held = setting.slots.get(slot.name)
    near = _clock(held.value) if held is not None and _half_known(held, setting) else None
    half: Half | None = _half(setting.said) if near is None else None
    agent = setting.question.said
    if near is None and half is None and agent is not None:
        half = _half(agent)
        near = _named(agent, setting.moment) if half is None else None
    if near is not None:
        return _with(time, nearest(clock, near))
    if half is None:
        half = next((found for one in _around(slot, setting) if (found := _half(one))), None)
    either = int(clock[:2]) % 12 in EITHER
    if half is None and either and any(one.hits("dining") for one in (setting.said, agent) if one):
        return _with(time, _in(clock, "late"))
    if half is not None:
        return _with(time, _in(clock, half))
    return replace(time, rival=_with(time, _other(clock)).value) if either else time


def undecided(clock: str, said: Utterance) -> str | None:
    """The other reading of a time that nothing beside it places in the day; None where it is plain."""
    if int(clock[:2]) % 12 not in EITHER or _half(said) is not None or said.hits("dining"):
        return None
    return _other(clock)


def _half_known(held: SlotValue, setting: Setting) -> bool:
    """Whether the half of what stands is no guess of ours."""
    if held.confidence == "confirmed":
        return True
    return _half(read(held.spoken, setting.said.language, setting.grammar)) is not None


def told(setting: Setting, answer: bool | None) -> list[Mention]:
    """Times in question between the two halves of the day, settled by an answer that names one."""
    found: list[Mention] = []
    if len(setting.said.words) > LONGEST:
        return found
    agent = _half(setting.question.said) if setting.question.said and setting.question.closed else None
    half = _half(setting.said)
    if half is None and agent is not None and answer is not None:
        half = agent if answer else _opposite(agent)
    for name, held in setting.slots.items():
        clock = _clock(held.value)
        if half is None or clock is None or _clock(held.asked) != _other(clock):
            continue
        value = _CLOCK.sub(_in(clock, half), str(held.value), count=1)
        found.append(Mention(name, value, setting.said.text.strip(), 0, "correct"))
    return found


def _half(said: Utterance) -> Half | None:
    """The half of the day that is spoken of, if it is only one; a greeting speaks of none."""
    found: set[Half] = {
        half
        for half in HALVES
        for hit in said.hits(half)
        if not any(hit.within(other) for other in said.hits("no_half"))
    }
    return found.pop() if len(found) == 1 else None


def _named(agent: Utterance, moment: Moment) -> str | None:
    """A time that the agent named in full."""
    times = spoken.find(agent.text, "time", language=agent.language, at=moment.at, timezone=moment.timezone)
    return next((str(span.value) for span in reversed(times) if not span.either_half), None)


def _around(slot: Slot, setting: Setting) -> Iterator[Utterance]:
    """What stands, as it was said, and what the slot is for."""
    language = setting.said.language
    for name, held in setting.slots.items():
        other = setting.grammar.schema.slot(name)
        if other is not None and other.type in ("date", "datetime", "choice"):
            yield read(_as_told(name, held, setting.changes), language, setting.grammar)
    yield read(f"{slot.label}. {slot.description}", "en", setting.grammar)


def _as_told(name: str, held: SlotValue, changes: Sequence[Change]) -> str:
    """A value in the caller's words, with the few behind it: "Friday evening"."""
    path = f"/slots/{pointer(name)}/"
    own = (
        change for change in reversed(changes) if change.turn == held.turn and change.path.startswith(path)
    )
    quote = next((change.quote for change in own if change.quote), "")
    at = quote.casefold().find(held.spoken.casefold())
    if at < 0:
        return held.spoken
    words = tokens(quote[at:])
    told = len(tokens(held.spoken))
    return quote[at : at + words[min(told + BEHIND, len(words)) - 1].end] if words else held.spoken


def _opposite(half: Half) -> Half:
    return "late" if half == "early" else "early"


def _clock(value: object) -> str | None:
    found = _CLOCK.search(value) if isinstance(value, str) else None
    return found.group() if found else None


def _in(clock: str, half: Half) -> str:
    return f"{int(clock[:2]) % 12 + (12 if half == 'late' else 0):02d}{clock[2:]}"


def _other(clock: str) -> str:
    return _in(clock, "early" if int(clock[:2]) >= 12 else "late")


def _with(time: Mention, clock: str) -> Mention:
    return replace(time, value=_CLOCK.sub(clock, str(time.value), count=1), either_half=False)
