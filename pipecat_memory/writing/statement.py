"""Whether words state something of the caller: not asked, supposed, reported, recalled, joked or denied."""

from __future__ import annotations

import re

from . import cues, keys
from .clean import meant
from .follows import polarity_fits
from .items import RawFact
from .quote import Place, clauses_of, sentence_of


class Refused(Exception):  # control flow of one item; never leaves this room
    """One item is no fact; the message names the reason."""


def stated(fact: RawFact, value: str, place: Place) -> bool:
    """Whether the words state the value plainly (True) or with a doubt (False).

    Raises:
        Refused: they ask, suppose, report, recall, joke or deny, or were taken back.
    """
    begin, stop = sentence_of(place.text, place.start, place.end)
    sentence = place.text[begin:stop]
    clauses = clauses_of(place.text, begin, stop)
    truth = value.lower() in ("true", "false", "yes", "no")
    at = _value_at(fact.key.replace("_", " ") if truth else value, place)
    back = fact.op == "retract"
    if not back and any(repair.start <= at < repair.stop for repair in meant(place.text).repairs):
        raise Refused("taken_back")
    index = next((i for i, (a, b) in enumerate(clauses) if a <= at < b), len(clauses) - 1)
    clause = place.text[slice(*clauses[index])]
    following = place.text[slice(*clauses[index + 1])] if index + 1 < len(clauses) else ""
    ends_asking = sentence.rstrip().endswith(("?", "？", "؟"))
    asked = cues.asks(clause) or (ends_asking and index == len(clauses) - 1 and not cues.tag(clause))
    if asked and not (back and cues.orders_to_forget(clause)):
        raise Refused("question")
    if cues.supposes(clause) or (index and cues.supposes(place.text[slice(*clauses[index - 1])][:24])):
        raise Refused("hypothetical")
    head, ahead = place.text[clauses[index][0] : at], place.text[at : clauses[index][1]]
    if not back and cues.recalls(head) and not cues.corrects(head):
        raise Refused("recalled")
    if cues.reports(head):
        raise Refused("reported")
    if cues.about_agent(clause):
        raise Refused("about_agent")
    if cues.jokes(sentence) or cues.jokes(place.text[stop : stop + 30]):
        raise Refused("joke")
    own = fact.subject == "caller" and not keys.about_person(fact.key)
    moved = back and cues.not_me(sentence)  # "he is, not me": taken back by saying whose it is
    if own and not moved and (cues.other_subject(head) or cues.of_another(clause, ahead)):
        raise Refused("other_person")
    if not back and _denied(fact, value, head, ahead, clause):
        raise Refused("denied")
    plain = not (cues.hedges(clause) or cues.tag(following))
    return plain and (not back or cues.retracts(sentence))


def _denied(fact: RawFact, value: str, head: str, ahead: str, clause: str) -> bool:
    """Whether the clause denies what the fact asserts."""
    if not polarity_fits(fact.key, value, clause):
        return True
    words = f"{fact.key.replace('_', ' ')} {value}"
    if str(fact.value).lower() in ("false", "no") or cues.NEGATION.search(value):
        return False
    if keys.negative(fact.key):
        # "Can't eat nuts" is what the key says; "not allergic" is its denial.
        return bool(_NOT_ALLERGIC.search(clause))
    if re.search(r"\b(?:not|no|never|without|avoid|free|dislike|hate)", words.lower()):
        return False
    return bool(cues.NEGATION.search(head)) or bool(_AFTER.match(ahead))


_NOT_ALLERGIC = re.compile(
    r"(?:\b(?:not|no|never|n't|isn't|aren't|nicht|keine?|no soy|sin|pas|aucune)\s+(?:\w+\s+){0,2}"
    r"(?:allerg|intoler|alerg|unverträg))"
    r"|不(?:对.{0,6})?过敏|没有.{0,6}过敏",
    re.IGNORECASE,
)
_AFTER = re.compile(r"\S+\s+(?:nicht|kein\w*|değil|じゃない|ではない|نیست)(?!\w)", re.IGNORECASE)


def _value_at(value: str, place: Place) -> int:
    """Where in the text the value stands; the quote's last word where it stands in other words."""
    words = sorted(re.findall(r"\w+", value), key=len, reverse=True)
    ways = [rf"(?<!\w){re.escape(value.strip())}(?!\w)"]
    ways += [rf"(?<!\w){re.escape(word)}(?!\w)" for word in words]
    ways += [re.escape(word[: max(4, len(word) - 2)]) for word in words]
    for way in ways:
        found = re.compile(way, re.IGNORECASE).search(place.text, place.start, place.end)
        if found is not None and found.end() > found.start():
            return found.start()
    return max(place.start, place.end - 1)


def clause_of(value: str, place: Place) -> str:
    """The clause in which the value stands."""
    begin, stop = sentence_of(place.text, place.start, place.end)
    at = _value_at(value, place)
    found = next((c for c in clauses_of(place.text, begin, stop) if c[0] <= at < c[1]), (begin, stop))
    return place.text[slice(*found)]


def clause_around(place: Place) -> str:
    begin, stop = sentence_of(place.text, place.start, place.end)
    touched = [c for c in clauses_of(place.text, begin, stop) if c[0] < place.end and place.start < c[1]]
    return place.text[touched[0][0] : touched[-1][1]] if touched else place.words
