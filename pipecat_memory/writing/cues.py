"""Turns of phrase that say a sentence is no statement of the caller about the caller.

Small tables (`cues.json`) for English, German, Spanish, French, Chinese and the commonest words of
others. They only ever refuse or weaken what a model took from a turn; what they don't know passes
unharmed.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

_TABLE: dict[str, dict[str, list[str]]] = json.loads(
    Path(__file__).with_name("cues.json").read_text(encoding="utf-8")
)


def _part(name: str, part: str = "words") -> str:
    """Alternatives of one part of a cue, as a pattern."""
    return "|".join(_TABLE[name].get(part, ()))


def _words(name: str) -> str:
    """The words of a cue, with the persons that some of them speak of."""
    return _part(name).replace("{persons}", _part("persons"))


def _compiled(pattern: str, letters: str) -> re.Pattern[str]:
    return re.compile(f"{pattern}|{letters}" if letters else pattern, re.IGNORECASE)


def _cue(name: str) -> re.Pattern[str]:
    """Whole words or phrases, and marks of scripts that write without spaces."""
    return _compiled(rf"(?<!\w)(?:{_words(name)})(?!\w)", _part(name, "letters"))


def _opening(name: str) -> str:
    """The beginning of a text, with the words that only open a sentence."""
    openers = _part(name, "openers")
    return rf"^\W*(?:(?:{openers})\W+)*" if openers else r"^\W*"


_ASKING = _compiled(f"{_opening('asking')}(?:{_part('asking')})", _part("asking", "letters"))
_TAG = _cue("tag")
_HYPOTHETICAL = _cue("hypothetical")
_HEDGED = _cue("hedged")
_PROFESSIONAL = _cue("professional")
_OTHER_SUBJECT = _compiled(
    rf"(?<!\w)(?:(?:{_part('other_subject', 'whose')}) (?:(?:{_part('other_subject', 'which')}) )?"
    rf"(?:{_part('persons')})(?:s|n|e|en|es)?(?: of mine)?|{_words('other_subject')})(?!\w)"
    rf"(?! (?:{_part('other_subject', 'with_me')}))",
    _part("other_subject", "letters"),
)
_PATIENT = re.compile(rf"^\W*\w*\W+(?:{_part('patient')})\s+{_OTHER_SUBJECT.pattern}", re.IGNORECASE)
_THIRD_PERSON = _cue("third_person")
_ALLERGY = _cue("allergy")
_ITSELF = _cue("itself")
_ANOTHER = _cue("another")
_MORE = _cue("more")
_MYSELF = _cue("myself")
_SELF = _cue("self")
_REPORTED = _cue("reported")
_RECALLED = _cue("recalled")
_JOKING = _cue("joking")
_ABOUT_AGENT = _compiled(
    f"{_opening('about_agent')}(?:{_part('about_agent')})", rf"^\W*(?:{_part('about_agent', 'letters')})"
)
_INSTRUCTION = _cue("instruction")
_CORRECTS = _cue("corrects")
_NOT_ME = _cue("not_me")
_YES = _compiled(rf"{_opening('yes')}(?:{_part('yes')})(?!\w)", rf"^\W*(?:{_part('yes', 'letters')})")
_BACK = _cue("back")
_RETRACTING = _cue("retracting")
NEGATION = _cue("negation")
LIKING = _cue("liking")
DISLIKING = _cue("disliking")


def asks(clause: str) -> bool:
    """Whether a clause asks: by its mark or by how it begins."""
    return clause.rstrip().endswith(("?", "？", "؟")) or bool(_ASKING.search(clause))


def tag(clause: str) -> bool:
    """Whether a clause is only a tag ("right?") that asks for the statement before it."""
    return len(clause.split()) <= 4 and clause.rstrip().endswith(("?", "？")) and bool(_TAG.search(clause))


def supposes(clause: str) -> bool:
    return bool(_HYPOTHETICAL.search(clause))


def hedges(clause: str) -> bool:
    return bool(_HEDGED.search(clause))


def unhedged(text: str) -> str:
    """The words without those that doubt them."""
    return _HEDGED.sub(" ", text)


def reports(clause: str) -> bool:
    """Whether a clause tells what somebody says; what a doctor said about the caller may stand."""
    return bool(_REPORTED.search(clause)) and not _PROFESSIONAL.search(clause)


def recalls(clause: str) -> bool:
    """Whether the caller repeats what the agent or a record said."""
    return bool(_RECALLED.search(clause))


def jokes(text: str) -> bool:
    return bool(_JOKING.search(text))


def about_agent(clause: str) -> bool:
    return bool(_ABOUT_AGENT.search(clause)) and not _SELF.search(clause)


def of_self(text: str) -> bool:
    """Whether somebody speaks of himself."""
    return bool(_SELF.search(text))


def commands(text: str) -> bool:
    """Whether a text tries to give the agent new rules."""
    return bool(_INSTRUCTION.search(text))


def other_subject(words: str) -> bool:
    """Whether, before what is said of somebody, that somebody turns out to be another person."""
    found = list(_OTHER_SUBJECT.finditer(words))
    return bool(found) and not _MYSELF.search(words[found[-1].end() :])


def of_another(clause: str, behind: str) -> bool:
    """Whether a clause speaks of nobody but another person.

    Args:
        clause: its verb is of the third person and it names no first: "Tom hates fish".
        behind: its part from the value on, which may say whose it is: "fish is what my friend hates".
    """
    return bool(_PATIENT.search(behind) or (_THIRD_PERSON.search(clause) and not _SELF.search(clause)))


def of_nobody_else(clause: str, who: str) -> bool:
    """Whether a clause has the caller for its last subject and names neither `who` nor anybody else behind it."""
    last = max((found.end() for found in _ITSELF.finditer(clause)), default=-1)
    rest = clause[last:].casefold()
    named = any(word in rest for word in re.findall(r"\w+", who))
    return last >= 0 and not (named or _OTHER_SUBJECT.search(rest) or _ANOTHER.search(rest))


def of_allergy(text: str) -> bool:
    """Whether the words speak of an allergy, an intolerance, or what somebody can't eat."""
    return bool(_ALLERGY.search(text))


def asks_for_more(text: str) -> bool:
    """Whether a question only goes on from the one before ("anything else?")."""
    return bool(_MORE.search(text))


def begins_anew(clause: str) -> bool:
    """Whether a clause has the caller for its subject, or says that something is liked."""
    return bool(_MYSELF.search(clause) or LIKING.search(clause) or DISLIKING.search(clause))


def corrects(text: str) -> bool:
    return bool(_CORRECTS.search(text))


def not_me(text: str) -> bool:
    return bool(_NOT_ME.search(text))


def retracts(text: str) -> bool:
    """Whether the words take something back: they deny, correct, or say that it is over."""
    return any(cue.search(text) for cue in (NEGATION, _CORRECTS, _NOT_ME, _RETRACTING))


def orders_to_forget(text: str) -> bool:
    """Whether the words ask for something to be dropped ("can you delete my address")."""
    return bool(_RETRACTING.search(text))


def agrees(text: str) -> bool:
    return bool(_YES.search(text))


def points_back(text: str) -> bool:
    """Whether a text points at something said before ("the same", "there")."""
    return bool(_BACK.search(text))
