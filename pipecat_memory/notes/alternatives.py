"""Values of one kind between which the agent lets the caller choose: "six fifteen or nine"."""

from __future__ import annotations

from pipecat_memory.notes import spoken
from pipecat_memory.notes.grammar import Grammar, single_words_of
from pipecat_memory.notes.mention import Moment
from pipecat_memory.notes.personal import is_birthday
from pipecat_memory.notes.utterance import Utterance

KINDS: tuple[spoken.Kind, ...] = ("date", "time", "quantity")
"""Kinds of value that are offered by their number or day alone."""


def alternatives(said: Utterance, start: int, grammar: Grammar, moment: Moment) -> list[str]:
    """The slot of which two values stand around an "or" behind word `start`; [] where it is not plain.

    Args:
        said: what the agent said.
        start: first word of the sentence that offers.
        grammar: of the call.
        moment: when and where.
    """
    found: list[str] = []
    for hit in said.hits("or"):
        if hit.start <= start:
            continue
        for slot in grammar.schema.slots:
            values = [(one.start, one.end) for one in said.hits(f"choice:{slot.name}")]
            if _joined(said, hit.start, hit.end, values):
                found.append(slot.name)
        for kind in KINDS:
            fit = (kind, "datetime") if kind == "time" else (kind,)
            slots = [s for s in grammar.schema.slots if s.type in fit and not is_birthday(s)]
            if len(slots) != 1 or (kind == "quantity" and found):
                continue
            if _joined(said, hit.start, hit.end, _places(said, kind, moment), apart=kind == "date"):
                found.append(slots[0].name)
    return list(dict.fromkeys(found))


def _places(said: Utterance, kind: spoken.Kind, moment: Moment) -> list[tuple[int, int]]:
    """The words of every value of a kind."""
    spans = spoken.find(said.text, kind, language=said.language, at=moment.at, timezone=moment.timezone)
    return [(said.index(span.start), said.index(span.end - 1) + 1) for span in spans]


def _joined(
    said: Utterance, low: int, high: int, places: list[tuple[int, int]], *, apart: bool = False
) -> bool:
    """Whether one value ends before word `low` and another begins at word `high`, its article left out.

    `apart`: more may stand behind the first ("Thursday at ten or Friday").
    """
    leads = single_words_of(said.language, "before_value")
    after = high
    while after < len(said.words) and said.words[after].key in leads:
        after += 1
    opens = said.sentence(low)[0]
    before = any(end == low or (apart and opens <= first < low) for first, end in places)
    return before and any(high <= first <= after for first, _ in places)
