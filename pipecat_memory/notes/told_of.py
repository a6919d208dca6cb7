"""Which days, times and counts are those that the caller wants, and which are told of something else.

"My card was stolen last Monday", "what day is it today" and "I'll call back in an hour" name days and
times, and none of them is a wanted one. What the agent asked for, and what a slot of the person takes
(a birthday), is as it was said.
"""

from __future__ import annotations

import re
from datetime import date

from pipecat_memory.notes.counted import is_number
from pipecat_memory.notes.grammar import Grammar, single_words_of
from pipecat_memory.notes.mention import Mention, Moment
from pipecat_memory.notes.personal import filed
from pipecat_memory.notes.question import Question
from pipecat_memory.notes.spoken.language import language_of
from pipecat_memory.notes.telling import telling
from pipecat_memory.notes.tokens import key, keys
from pipecat_memory.notes.utterance import Utterance
from pipecat_memory.records.schema import Slot

DAYS = ("date", "datetime")
NEAR = 2
"""Words between a day and its time at most ("ayer a las cinco")."""

_DATED = re.compile(r"\d[/.\-年月]\d|\d{4}|月")
"""A day told by its month or year."""
_DAY = re.compile(r"\d{4}-\d\d-\d\d")

EVENT_REACH = 4
"""Words between an event and its time at most ("my flight is going to land at six")."""


def wanted(
    mentions: list[Mention], said: Utterance, grammar: Grammar, question: Question, moment: Moment
) -> list[Mention]:
    """The mentions without the days and times that are told of something else.

    Args:
        mentions: the typed values of the utterance.
        said: the utterance.
        grammar: of the call.
        question: what the agent asked.
        moment: when and where.
    """
    today = moment.today
    kept: list[Mention] = []
    over: list[Mention] = []
    for mention in sorted(mentions, key=lambda one: not _is_day(one, grammar)):
        slot = grammar.schema.slot(mention.slot)
        if slot is None or slot.type not in (*DAYS, "time", "quantity") or filed(slot) is not None:
            kept.append(mention)
        elif _is_day(mention, grammar):
            clock = _asks_clock(said, said.index(mention.start))
            told = _asked(slot, question) or _labelled(said, mention)
            past = _of_something_else(said, mention) or _past(said, mention, today, question)
            past = past or (_of_the_past(question) and slot.label in PLAIN)
            if past and not (clock or told) and _described(said, mention, slot):
                kept.append(mention.meant("unsure"))  # "I had an accident yesterday", for its day
            else:
                (over if clock or (past and not told) else kept).append(mention)
        elif slot.type == "time" and _of_event(said, mention, slot):
            if _asked(slot, question):
                kept.append(mention.meant("unsure"))
        elif (slot.type == "quantity" or not any(_beside(said, mention, day) for day in over)) and (
            _asked(slot, question) or _labelled(said, mention) or not _of_something_else(said, mention)
        ):
            kept.append(mention)
    return kept


PLAIN = frozenset({"date", "day", "datum", "tag", "fecha", "jour", "日期"})
"""Labels of slots for the day that is wanted: "when was it stolen?" does not ask for that."""


def _asked(slot: Slot, question: Question) -> bool:
    """Whether the agent asked for the slot."""
    if slot.name not in question.slots:
        return False
    if not question.words or key(slot.label) in key(question.words):
        return True
    ours = question.hint == slot.name and slot.label not in PLAIN
    return ours or not telling(f"{slot.label} {slot.description}").isdisjoint(keys(question.words))


def _is_day(mention: Mention, grammar: Grammar) -> bool:
    slot = grammar.schema.slot(mention.slot)
    return slot is not None and slot.type in DAYS


def _past(said: Utterance, mention: Mention, today: date, question: Question) -> bool:
    """Whether a day is over and not told in full; who says month and year means that day.

    Unless it answers a question for something else ("what is your date of birth?").
    """
    day = _DAY.match(str(mention.value))
    if day is None or day.group() >= today.isoformat():
        return False
    if question.words or _DATED.search(mention.spoken):
        return bool(question.words)
    months = {key(month) for month in language_of(said.language)["months"].entries}
    first, last = _place(said, mention)
    return not any(word.key in months for word in said.words[first:last])


def _of_the_past(question: Question) -> bool:
    """Whether the agent asks when something was ("when did you order it?")."""
    said = question.said
    start = len(said.text) - len(question.words) if said is not None else 0
    hits = [hit for group in ("past", "asks_past") for hit in said.hits(group)] if said is not None else []
    return said is not None and any(said.words[hit.start].start >= start for hit in hits)


def _described(said: Utterance, mention: Mention, slot: Slot) -> bool:
    """Whether the clause speaks of what the slot's description does."""
    first, last = said.part(said.index(mention.start))
    return not telling(slot.description).isdisjoint(word.key for word in said.words[first:last])


def _of_event(said: Utterance, mention: Mention, slot: Slot) -> bool:
    """Whether a time is that of a flight or the like ("my flight lands at six"), and the slot is for none."""
    at = said.index(mention.start)
    events = [hit for hit in said.hits("event") if 0 <= at - hit.end <= EVENT_REACH]
    own = telling(f"{slot.label} {slot.description}")
    return any(own.isdisjoint(word.key for word in said.words[hit.start : hit.end]) for hit in events)


def _place(said: Utterance, mention: Mention) -> tuple[int, int]:
    return said.index(mention.start), said.index(mention.start + len(mention.spoken) - 1) + 1


def _beside(said: Utterance, time: Mention, day: Mention) -> bool:
    """Whether a time goes with a day: "yesterday at seven", but not "yesterday for seven"."""
    (first, last), (begin, end) = _place(said, time), _place(said, day)
    between = range(end, first) if begin < first else range(last, begin)
    return len(between) <= NEAR and not any(said.words[i].key in _ahead(said) for i in between)


def _asks_clock(said: Utterance, at: int) -> bool:
    first, last = said.part(at)
    return any(first <= hit.start < last for hit in said.hits("asks_clock"))


def _of_something_else(said: Utterance, mention: Mention) -> bool:
    """Whether the clause tells of the past, or of the caller's own next call."""
    at, end = _place(said, mention)
    first, last = said.part(at)
    if any(first <= hit.start < last for hit in said.hits("calls_again")):
        return True
    told = [hit.end for hit in said.hits("past") if first <= hit.start < last]
    # "I bought a cake for Friday" tells of Friday to come.
    return bool(told) and not any(word.key in _ahead(said) for word in said.words[min([*told, at]) : end])


def _ahead(said: Utterance) -> frozenset[str]:
    return single_words_of(said.language, "for")


def _labelled(said: Utterance, mention: Mention) -> bool:
    """Whether the slot's own name stands beside the value in its clause ("the date was ...")."""
    at, end = _place(said, mention)
    first, last = said.part(at)
    units = {key(unit) for unit in language_of(said.language)["units"].entries}
    return any(
        first <= hit.start < last
        and not at <= hit.start < end
        and hit.meaning == mention.slot
        and not (hit.start > first and said.words[hit.start].key in units and is_number(said, hit.start - 1))
        for hit in said.hits("label")
    )
