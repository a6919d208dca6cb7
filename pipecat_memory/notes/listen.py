"""From a turn to mentions: everything the caller named in it, and the yes or no it gave."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pipecat_memory.notes.choices import find_choices, settle, vote
from pipecat_memory.notes.grammar import Grammar, single_words_of
from pipecat_memory.notes.heard import Heard
from pipecat_memory.notes.lists import find_answers, find_booleans, find_lists
from pipecat_memory.notes.mention import Mention, Moment
from pipecat_memory.notes.names import find_names
from pipecat_memory.notes.question import Question
from pipecat_memory.notes.utterance import Utterance, read
from pipecat_memory.notes.values import find_values

ANSWER_WORDS = 2
"""Words of lead-in that may come before a yes or no."""


@dataclass(frozen=True, slots=True, repr=False)
class Listening:
    """What was found in a turn. `answer` is the yes or no at its head; `restart`: begin anew."""

    said: Utterance
    mentions: list[Mention]
    answer: bool | None
    restart: bool = False

    def __repr__(self) -> str:
        return f"<Listening mentions={len(self.mentions)}>"


def listen(
    heard: Heard,
    grammar: Grammar,
    question: Question,
    moment: Moment,
    language: str,
    filled: Callable[[str], bool],
) -> Listening:
    """Everything the caller named in a turn, one meaning a slot."""
    said = read(heard.text, language, grammar)
    asked = question.slots
    answers = [_answer(said)]
    texts = heard.hypotheses()
    if len(texts) == 1:
        choices = settle(find_choices(said, grammar, asked, question.named), said, grammar)
    else:
        each = [said if text == heard.text else read(text, language, grammar) for text in texts]
        choices = vote(
            [settle(find_choices(h, grammar, asked, question.named), h, grammar) for h in each],
            {*asked[:1], *question.named},
        )
        answers = [_answer(h) for h in each[:3]]
    others = find_values(said, grammar, moment, asked, filled)
    taken = [(value.start, value.start + len(value.spoken)) for value in others]
    others += [
        name for name in find_names(said, grammar, asked) if not any(a <= name.start < b for a, b in taken)
    ]
    others += find_lists(said, grammar, asked)
    others += find_answers(said, grammar, asked)
    answer = max(answers, key=answers.count)
    others += find_booleans(said, grammar, asked, answer)
    withdrawn = _withdrawn(said, grammar, choices + others)
    return Listening(
        said, choices + settle(others, said, grammar) + withdrawn, answer, bool(said.hits("restart"))
    )


def _answer(said: Utterance) -> bool | None:
    """Yes or no at the head of the utterance."""
    fillers = single_words_of(said.language, "lead_in")
    heads = [(hit, group == "yes") for group in ("yes", "no") for hit in said.hits(group)]
    heads = [
        (hit, yes)
        for hit, yes in heads
        if hit.start <= ANSWER_WORDS and all(w.key in fillers for w in said.words[: hit.start])
    ]
    if not heads:
        return None
    # "no that's right": the longest and earliest phrase speaks.
    hit, yes = min(heads, key=lambda head: (head[0].start, -head[0].end))
    return yes if hit.start < len(said.words) else None


def _withdrawn(said: Utterance, grammar: Grammar, mentions: list[Mention]) -> list[Mention]:
    """Slots that the caller takes back by name ("forget the time")."""
    found: list[Mention] = []
    named = {mention.slot for mention in mentions}
    for hit in said.hits("withdrawal"):
        first, last = said.part(hit.start)
        for label in said.hits("label"):
            if not first <= label.start < last or label.meaning in named or label.start < hit.end:
                continue
            if grammar.schema.slot(label.meaning) is not None and label.start - hit.end <= 2:
                words = said.span(hit.start, label.end)
                found.append(Mention(label.meaning, None, words, said.words[hit.start].start, "deny"))
    return found
