"""What the agent asked, from its own words: which slot, which values, yes or no.

The agent's words never set anything. They tell what a short answer answers.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from pipecat_memory.notes import spoken
from pipecat_memory.notes.alternatives import alternatives
from pipecat_memory.notes.asked_name import half, is_personal, name_slots, of_another
from pipecat_memory.notes.grammar import Grammar, single_words_of
from pipecat_memory.notes.mention import Moment
from pipecat_memory.notes.spoken.language import base_of
from pipecat_memory.notes.telling import described, named_in
from pipecat_memory.notes.tokens import keys
from pipecat_memory.notes.utterance import SENTENCE_ENDS, Utterance, read
from pipecat_memory.notes.values import FIXED, find_values
from pipecat_memory.notes.whole_name import Half
from pipecat_memory.records.call_state import NextStep, SlotValue

FREE = frozenset({"text", "address", "list"})
"""Types that take any words."""

FILLER = 4
"""Words of a statement that leaves our question open ("take your time") at most."""

REQUESTS = 2
"""Sentences at the end of which one may be a request: "please enter your number. Take your time."."""


@dataclass(frozen=True, slots=True, repr=False)
class Question:
    """A question of the agent.

    Args:
        slots: what it asks for, nearest to the question mark first.
        offered: value and words by slot, where it names values of ours to agree to.
        named: values by slot that the agent's words hold anywhere, asked about or not.
        unmet: slots whose values the agent has just said cannot be had.
        closed: a yes or no answers it.
        words: the question as it was said.
        confirming: the slot that our own next step wanted confirmed, or "".
        said: all that the agent said, or None where it said nothing.
        half: the half of a name that it asks for, where it does.
        hint: the slot that our own next step was about, asked for in these words or not.
    """

    slots: tuple[str, ...] = ()
    offered: dict[str, list[tuple[Any, str]]] = field(default_factory=dict[str, list[tuple[Any, str]]])
    named: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    unmet: frozenset[str] = frozenset()
    closed: bool = False
    words: str = ""
    confirming: str = ""
    said: Utterance | None = None
    half: Half | None = None
    hint: str = ""

    @property
    def slot(self) -> str | None:
        return self.slots[0] if self.slots else None

    @property
    def open(self) -> bool:
        """Whether it asks for anything at all ("how can I help?")."""
        return bool(self.words) and not self.slots and not self.closed

    def __repr__(self) -> str:
        return f"<Question slots={len(self.slots)} closed={self.closed}>"


def asked_by(
    agent_said: str,
    asked: NextStep | None,
    slots: dict[str, SlotValue],
    grammar: Grammar,
    known: Mapping[str, Any],
    language: str,
    moment: Moment,
) -> Question:
    """Read the agent's last question.

    Args:
        agent_said: what was heard of its last reply.
        asked: our own next step at that time; holds where the words alone don't tell.
        slots: what stands, so that a read-back is known as one.
        grammar: of the call.
        known: values by slot that earlier calls told; likewise.
        language: of the answer; a question too short to tell its own is most likely in it.
        moment: when and where.
    """
    hint = asked.slot if asked and asked.action in ("ask_slot", "confirm") else None
    confirming = hint if hint and asked and asked.action == "confirm" else ""
    ours = Question((hint,) if hint else (), closed=bool(confirming), confirming=confirming, hint=hint or "")
    said = _read(agent_said, language, grammar)
    if not said.words:
        return ours
    spoken_of = {
        slot.name: {hit.meaning for hit in said.hits(f"choice:{slot.name}")}
        for slot in grammar.schema.slots
        if said.hits(f"choice:{slot.name}")
    }
    start = _last_question(said)
    offering = said.sentences[-1] if start is None else said.sentence(max(0, start - 1))[0] if start else None
    if offering is not None and said.hits("or") and not _asks_itself(said, start):
        start = offering if alternatives(said, offering, grammar, moment) else start
    unmet = _unmet(said, spoken_of, start)
    if start is None:
        # A statement, or a question cut off by the caller: then our own step is what was asked.
        waits = len(said.words) <= FILLER and _typed(hint, grammar) and not confirming  # "No rush."
        unasked = ours if said.words[-1].stop == "" or waits else Question()
        return replace(unasked, named=spoken_of, unmet=unmet, said=said)
    named = [
        h.meaning
        for h in said.hits("label")
        if h.start >= start and not (is_personal(h.meaning, grammar) and of_another(said, h, start))
    ]
    offered = _offered(said, start, grammar, slots, known)
    order = [*offered, *reversed(named)] if offered and not named else [*reversed(named), *offered]
    if not order:
        # "Is six pm okay?" asks for a time without its name.
        values = find_values(said, grammar, moment, (), slots)
        order = [m.slot for m in values if m.start >= said.words[start].start and m.tied]
        order = order or alternatives(said, start, grammar, moment) or described(grammar.schema, said, start)
    # Of "shall I block the card?" the card is a part of what is asked.
    whether = (slot.name for slot in grammar.schema.slots if slot.type == "boolean")
    order = [
        name for name in whether if (s := grammar.schema.slot(name)) and named_in(s, said, start)
    ] + order
    if not any((s := grammar.schema.slot(name)) and grammar.naming(s) for name in order):
        order += name_slots(said, start, grammar)
    slot = grammar.schema.slot(hint) if hint else None
    # A question that names no slot may be about ours, but "anything else?" is not answered with a text,
    # and a yes to "with breakfast?" confirms no day.
    about_ours = not confirming or _speaks_of(said, start, slots.get(confirming), known.get(confirming))
    open_to_ours = not order and slot and slot.type not in FREE and about_ours
    if hint and (hint in order or open_to_ours):
        order.insert(0, hint)
    wh = any(hit.start >= start for group in ("wh", "ask_for") for hit in said.hits(group))
    closed = not wh or any(hit.start >= start for hit in said.hits("confirm"))
    words = said.text[said.words[start].start :]
    return Question(
        tuple(dict.fromkeys(order)),
        offered,
        spoken_of,
        unmet,
        closed,
        words,
        confirming if hint in order else "",
        said,
        half(said, start),
        hint or "",
    )


def _typed(name: str | None, grammar: Grammar) -> bool:
    """Whether a slot takes values of a kind that no chance word is."""
    slot = grammar.schema.slot(name) if name else None
    return slot is not None and slot.type not in (*FREE, "name", "boolean")


def _speaks_of(said: Utterance, start: int, held: SlotValue | None, known: Any) -> bool:
    """Whether a question speaks of a value ("Nair or Nayar?", "still for four?"), or only asks for a yes."""
    leads = single_words_of(said.language, "lead_in")
    asks = [hit for group in ("tag", "confirm") for hit in said.hits(group)]
    told = {i for hit in asks for i in range(hit.start, hit.end)}
    asked = {said.words[i].key for i in range(start, len(said.words)) if i not in told}
    if asked <= leads:
        return True
    values = [held.value, held.spoken, held.asked, held.asked_spoken] if held is not None else [known]
    if any(not asked.isdisjoint(keys(str(value))) for value in values if value is not None):
        return True
    numbers = spoken.find(said.text, "number", language=said.language, at=FIXED)
    return any(number.value in values for number in numbers if said.index(number.start) >= start)


def _unmet(said: Utterance, named: Collection[str], asks: int | None) -> frozenset[str]:
    """Slots whose values stand first, and together, after the negation of a statement.

    In "no cheap X in the Y" what the caller may give up is cheap or X rather than Y.
    """
    every = sorted(
        ((name, hit) for name in named for hit in said.hits(f"choice:{name}")), key=lambda one: one[1].start
    )
    outer = [(name, hit) for name, hit in every if not any(hit.within(other) for _, other in every)]
    for no in [*said.hits("negation"), *said.hits("nothing")]:
        first, last = said.sentence(no.start)
        if asks is not None and first <= asks < last:
            continue
        found: set[str] = set()
        end = last
        for name, hit in outer:
            if no.end <= hit.start < last and (not found or hit.start <= end):
                found.add(name)
                end = hit.end
        if found:
            return frozenset(found)
    return frozenset()


def _asks_itself(said: Utterance, start: int | None) -> bool:
    """Whether a question names what it asks for; "Which would you prefer?" asks of the sentence before."""
    return start is not None and any(
        hit.start >= start for group in ("label", "or") for hit in said.hits(group)
    )


def _read(agent_said: str, language: str, grammar: Grammar) -> Utterance:
    told = base_of(None, agent_said)
    said = read(agent_said, told, grammar)
    if told != "en" or language == "en":
        return said
    other = read(agent_said, language, grammar)
    return max((other, said), key=lambda one: sum(map(len, one.groups.values())))


def _last_question(said: Utterance) -> int | None:
    """First word of the last sentence that asks."""
    marks = [i for i, word in enumerate(said.words) if word.stop in ("?", "？")]
    if marks:
        return _meant_from(said, _opening(said, marks[-1]), marks[-1])
    # Without the mark, a sentence asks by how it begins or by what it ends with.
    last = said.sentences[-1]
    begins = any(hit.start == last for group in ("wh", "question") for hit in said.hits(group))
    if begins or any(hit.start >= last for hit in said.hits("confirm")):
        return _meant_from(said, last, len(said.words) - 1)
    return _last_request(said)


def _opening(said: Utterance, end: int) -> int:
    """First word of the whole sentence that word `end` is in."""
    start = end
    while start > 0 and said.words[start - 1].stop not in SENTENCE_ENDS:
        start -= 1
    return start


def _meant_from(said: Utterance, first: int, end: int) -> int:
    """First word of what the question in words `first` to `end` asks.

    Of "Friday at seven, and would you like a window?" only the window is; "Is that right?" asks of the
    sentence before it.
    """
    leads = single_words_of(said.language, "lead_in")
    tag = next((hit for hit in said.hits("tag") if hit.end == end + 1 and hit.start >= first), None)
    if tag is not None:
        bare = all(word.key in leads for word in said.words[first : tag.start])
        return _opening(said, first - 1) if first and bare else first
    joins = {hit.start: hit.end for hit in said.hits("and")}
    openings = {hit.start for hit in said.hits("asks_anew")}
    begins = [joins.get(i, i) for i in range(first + 1, end + 1) if i in said.parts or i in joins]
    return max((i for i in begins if i in openings), default=first)


def _last_request(said: Utterance) -> int | None:
    """First word of a sentence near the end that tells the caller to give something ("please enter ...")."""
    for start in said.sentences[: -REQUESTS - 1 : -1]:
        end = said.sentence(start)[1]
        if all(any(start <= hit.start < end for hit in said.hits(group)) for group in ("ask_for", "label")):
            return start
    return None


def _offered(
    said: Utterance, start: int, grammar: Grammar, slots: dict[str, SlotValue], known: Mapping[str, Any]
) -> dict[str, list[tuple[Any, str]]]:
    found: dict[str, list[tuple[Any, str]]] = {}
    for slot in grammar.schema.slots:
        for hit in said.hits(f"choice:{slot.name}"):
            if hit.start >= start and (hit.meaning, said.span(hit.start, hit.end)) not in found.get(
                slot.name, []
            ):
                found.setdefault(slot.name, []).append((hit.meaning, said.span(hit.start, hit.end)))
        loose = grammar.any_value(slot)
        labelled = any(h.start >= start and h.meaning == slot.name for h in said.hits("label"))
        if loose and labelled and any(h.start >= start for h in said.hits("any")):
            found.setdefault(slot.name, []).append((loose, loose))
    sentence = said.text[said.words[start].start :]
    folded = sentence.casefold()
    forms = {name: ((value, ""),) for name, value in known.items()}
    forms |= {n: ((h.value, h.spoken), (h.asked, h.asked_spoken)) for n, h in slots.items()}
    for name, options in forms.items():
        if name in found:
            continue
        for value, told in options:
            for form in (value, told):
                if isinstance(form, str) and form and form.casefold() in folded:
                    slot = grammar.schema.slot(name)
                    # What is agreed to of a name is the name that was read back.
                    at = folded.index(form.casefold())
                    heard = sentence[at : at + len(form)]
                    read_back = heard if slot and grammar.naming(slot) else value
                    found.setdefault(name, []).append((read_back, told))
                    break
    return found
