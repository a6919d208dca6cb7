"""Whose statement a value is: the caller's own about the caller, or something less.

"Am I allergic to nuts?" asks, "suppose I were" supposes, "my wife says I am" reports, "my friend is"
speaks of somebody else. Nothing of that sets a value about the caller. The cues stand in `data/`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Literal

from pipecat_memory.notes.grammar import Grammar
from pipecat_memory.notes.mention import Mention
from pipecat_memory.notes.personal import filed
from pipecat_memory.notes.spoken.language import language_of
from pipecat_memory.notes.spoken.numbers import is_number_word
from pipecat_memory.notes.tokens import Hit
from pipecat_memory.notes.utterance import Utterance

Footing = Literal["own", "asked", "supposed", "reported", "other"]

CUES = ("self_question", "whether", "recalled", "suppose", "others")
"""Groups without any of which every value is the caller's own statement."""

ANEW = ("request", "correction", "name", "own_subject")
"""Groups with which a statement begins anew: what was asked before it, it does not ask."""


def placed(mentions: list[Mention], said: Utterance, grammar: Grammar) -> list[Mention]:
    """The mentions as far as they are statements of the caller.

    Asked about oneself: kept as `asked`, which sets nothing and may question what stands. Supposed, or
    said of somebody else: gone where the slot is about the caller. What the day of a booking would be
    if, or what somebody wants it to be, is still the best guess for it.
    """
    if not mentions or not any(said.hits(group) for group in CUES):
        return mentions
    found: list[Mention] = []
    for mention in mentions:
        slot = grammar.schema.slot(mention.slot)
        personal = slot is not None and filed(slot) is not None
        match footing(said, said.index(mention.start), personal=personal):
            case "asked" if mention.stance not in ("deny", "refuse"):
                found.append(mention.meant("asked"))
            case "asked":
                pass
            case "supposed" if personal:
                pass
            case "other" if personal and slot is not None and slot.multi:
                pass
            case "supposed":
                found.append(_doubted(mention))
            case "reported" | "other" if personal and slot is not None and grammar.naming(slot) is None:
                found.append(_doubted(mention))
            case _:
                found.append(mention)
    return found


def footing(said: Utterance, at: int, *, personal: bool) -> Footing:
    """Whose statement the value at word `at` is.

    Args:
        said: the utterance.
        at: the value's first word.
        personal: whether the value is about the caller, not about the call's business.
    """
    first, last = said.sentence(at)
    asking = [hit for hit in said.hits("self_question") if first <= hit.start < at and _whole(said, hit)]
    asking += _indirect(said, first, at, personal=personal)
    begin, end = said.part(at)
    if _marked(said, begin, end):
        asking += [hit for hit in said.hits("recalled") if begin <= hit.start <= at]
    if any(not _anew(said, hit.end, at) for hit in asking):
        return "asked"
    if any(first <= hit.start < min(at, last) for hit in said.hits("suppose")):
        return "supposed"
    others = [hit.end for hit in said.hits("others") if first <= hit.start and hit.end <= at]
    if not others:
        return "own"
    if any(others[-1] <= hit.start < at for hit in said.hits("own_subject")):
        return "reported" if any(others[-1] <= hit.start < at for hit in said.hits("says")) else "own"
    return "other"


def _whole(said: Utterance, hit: Hit) -> bool:
    """Whether a phrase is one: no pause in it, and no "11 am, I ..." that only sounds like it."""
    before = said.words[hit.start - 1].key if hit.start else ""
    counted = before[:1].isdigit() or is_number_word(before, language_of(said.language))
    return not counted and not any(word.stop for word in said.words[hit.start : hit.end - 1])


def _indirect(said: Utterance, first: int, at: int, *, personal: bool) -> Iterable[Hit]:
    """Questions inside a sentence: "whether I said ...", about the person also "if I am ..."."""
    claims = [hit for group in ("recalled", *(["being"] if personal else [])) for hit in said.hits(group)]
    for hit in said.hits("whether"):
        if not first <= hit.start < at:
            continue
        yield from (claim for claim in claims if claim.start == hit.end and claim.end <= at)
        last = said.part(hit.start)[1]
        if any(at < claim.start < last for claim in said.hits("recalled_last")):
            yield replace(hit, end=at)  # the verb that tells stands last


def _marked(said: Utterance, begin: int, end: int) -> bool:
    """Whether a clause asks by its mark or a word of it; a request put as a question does not."""
    if any(begin <= hit.start < end for hit in said.hits("request")):
        return False
    if said.words[end - 1].stop in ("?", "？"):
        return True
    return said.language == "zh" and any(begin <= hit.start < end for hit in said.hits("question"))


def _anew(said: Utterance, start: int, at: int) -> bool:
    """Whether a statement of the caller begins between a question and the value."""
    return any(start <= hit.start < at for group in ANEW for hit in said.hits(group))


def _doubted(mention: Mention) -> Mention:
    return mention.meant("unsure") if mention.stance in ("assert", "correct", "suggest") else mention
