"""From a turn to mentions: everything the caller named in it, and the yes or no it gave."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pipecat_memory.notes.choices import EXPECTED, find_choices, settle, vote
from pipecat_memory.notes.footing import placed
from pipecat_memory.notes.grammar import Grammar
from pipecat_memory.notes.heard import Heard
from pipecat_memory.notes.lists import find_answers, find_booleans, find_lists
from pipecat_memory.notes.mention import Mention, Moment
from pipecat_memory.notes.name_likeness import hearing_of
from pipecat_memory.notes.names import find_names
from pipecat_memory.notes.proposal import chosen
from pipecat_memory.notes.question import Question
from pipecat_memory.notes.taken_back import denied, not_mine, places
from pipecat_memory.notes.tokens import keys
from pipecat_memory.notes.told_of import wanted
from pipecat_memory.notes.utterance import Utterance, read
from pipecat_memory.notes.values import find_values
from pipecat_memory.notes.yes_or_no import yes_or_no
from pipecat_memory.records.call_state import Change, SlotValue

ITEM_REACH = 3
"""Words between "leave out" and what is left out."""


@dataclass(frozen=True, slots=True, repr=False)
class Listening:
    """What was found in a turn.

    `answer` is the yes or no at its head; `restart`: begin anew; `picked`: what of the agent's
    alternatives it chose.
    """

    said: Utterance
    mentions: list[Mention]
    answer: bool | None
    restart: bool = False
    picked: list[Mention] = field(default_factory=list[Mention])

    def __repr__(self) -> str:
        return f"<Listening mentions={len(self.mentions)}>"


def listen(
    heard: Heard,
    grammar: Grammar,
    question: Question,
    moment: Moment,
    language: str,
    slots: Mapping[str, SlotValue],
    changes: Sequence[Change] = (),
) -> Listening:
    """Everything the caller named in a turn, one meaning a slot.

    Args:
        heard: the turn.
        grammar: of the call.
        question: what the agent asked.
        moment: when and where.
        language: of the turn.
        slots: what stands.
        changes: how it came to stand.
    """
    said = read(heard.text, language, grammar)
    asked = question.slots
    answers = [yes_or_no(said, question)]
    texts = heard.hypotheses()
    if len(texts) == 1:
        choices = _choices(said, grammar, question)
    else:
        each = [said if text == heard.text else read(text, language, grammar) for text in texts]
        choices = vote([_choices(h, grammar, question) for h in each], _expected(question, grammar, slots))
        answers = [yes_or_no(h, question) for h in each[:3]]
    picked = chosen(said, question, slots, grammar, moment)
    typed = [] if picked else find_values(said, grammar, moment, asked, slots)
    others = wanted(typed, said, grammar, question, moment)
    standing = _names(grammar, slots)
    called = {word.key for word in question.said.words} if question.said is not None else set[str]()
    addressed = any(called.intersection(keys(name)) for name in standing)
    taken = [(value.start, value.start + len(value.spoken)) for value in others]
    # Who picks one of our alternatives has said no value.
    asked = () if picked else asked
    others += [
        name
        for name in find_names(said, grammar, asked, question.half, standing, addressed=addressed)
        if not any(a <= name.start < b for a, b in taken)
    ]
    others += find_lists(said, grammar, asked, others, slots) + find_answers(
        said, grammar, asked, others, slots
    )
    answer = max(answers, key=answers.count)
    if answer:
        others = [m for m in others if not _agreed_name(m, grammar, question)]
    others += find_booleans(said, grammar, asked, answer)
    taken_back = denied(said, grammar, slots) or not_mine(said, grammar, question, slots, changes)
    # Words that deny a value are no free answer ("no, I never lived in ...").
    denying = {(m.slot, said.part(said.index(m.start))) for m in taken_back}
    others = [
        m
        for m in others
        if (m.slot, said.part(said.index(m.start))) not in denying or _instead(said, m, taken_back)
    ]
    withdrawn = _withdrawn(said, grammar, choices + others)
    dropped = _dropped(said, grammar, slots)
    off = {(m.slot, str(m.value).casefold()) for m in dropped}
    choices = [m for m in choices if (m.slot, str(m.value).casefold()) not in off]
    return Listening(
        said,
        taken_back
        + choices
        + settle(placed(others, said, grammar), said, grammar, slots)
        + placed(withdrawn + dropped, said, grammar),
        answer,
        bool(said.hits("restart")),
        picked,
    )


def _agreed_name(mention: Mention, grammar: Grammar, question: Question) -> bool:
    """Whether a "name" is only more of a yes to the one that was read back ("ja passt")."""
    slot = grammar.schema.slot(mention.slot)
    offered = question.offered.get(mention.slot, [])
    named = slot is not None and slot.type == "name" and question.closed and bool(offered)
    return (
        named
        and mention.stance == "assert"
        and not hearing_of(mention.spoken, [str(value) for value, _ in offered])
    )


def _instead(said: Utterance, mention: Mention, taken_back: Sequence[Mention]) -> bool:
    """Whether a value comes in the place of another ("not walnuts, it's cashews", "not walnuts cashews")."""
    at = said.index(mention.start)
    after = {said.index(one.start + len(one.spoken) - 1) + 1 for one in taken_back}
    contrasted = any(hit.end <= at for hit in said.hits("contrast"))
    return mention.stance == "assert" and (contrasted or at in after)


def _names(grammar: Grammar, slots: Mapping[str, SlotValue]) -> list[str]:
    """The caller's names that stand."""
    named = [slot.name for slot in grammar.schema.slots if grammar.naming(slot) not in (None, "other")]
    return [str(slots[name].value) for name in named if name in slots]


def _choices(said: Utterance, grammar: Grammar, question: Question) -> list[Mention]:
    meant = (*question.slots, *question.unmet)
    return settle(placed(find_choices(said, grammar, meant, question.named), said, grammar), said, grammar)


def _expected(question: Question, grammar: Grammar, slots: Mapping[str, SlotValue]) -> dict[str, float]:
    """Odds of hearing a value of a slot, by what the agent said."""
    empty = [slot.name for slot in grammar.schema.slots if slot.name not in slots]
    awaited = empty if question.open else [name for name in question.slots[:1] if name in empty]
    odds = dict.fromkeys(awaited if not question.closed else (), EXPECTED)
    return odds | {name: EXPECTED / len(question.unmet) for name in question.unmet}


def _dropped(said: Utterance, grammar: Grammar, slots: Mapping[str, SlotValue]) -> list[Mention]:
    """Items of a list that the caller takes off it ("leave out the cake")."""
    cues = said.hits("withdrawal")
    if not cues:
        return []
    found: list[Mention] = []
    for name, held in slots.items():
        slot = grammar.schema.slot(name)
        for value in held.value if slot is not None and slot.multi else ():
            for way in slot.ways(value) if slot is not None and slot.values else (value,):
                near = [
                    i for i, _ in places(said, str(way)) for cue in cues if 0 <= i - cue.end <= ITEM_REACH
                ]
                if near:
                    at = said.words[near[0]]
                    found.append(Mention(name, value, str(way), at.start, "deny"))
                    break
    return found


def _withdrawn(said: Utterance, grammar: Grammar, mentions: list[Mention]) -> list[Mention]:
    """Slots that the caller takes back by name ("forget the time", "yes, except for the time")."""
    found: list[Mention] = []
    named = {mention.slot for mention in mentions}
    for hit in [*said.hits("withdrawal"), *(said.hits("excepting") if said.hits("yes") else [])]:
        first, last = said.part(hit.start)
        for label in said.hits("label"):
            if not first <= label.start < last or label.meaning in named or label.start < hit.end:
                continue
            if grammar.schema.slot(label.meaning) is not None and label.start - hit.end <= 2:
                words = said.span(hit.start, label.end)
                found.append(Mention(label.meaning, None, words, said.words[hit.start].start, "deny"))
    return found
