"""The yes or no at the head of a turn."""

from __future__ import annotations

from pipecat_memory.notes.grammar import single_words_of
from pipecat_memory.notes.question import Question
from pipecat_memory.notes.utterance import Utterance, unbroken

LEAD_IN = 2
"""Words of lead-in that may come before a yes or no."""


def yes_or_no(said: Utterance, question: Question) -> bool | None:
    """The answer at the head of the utterance: of several the first, but "no no, yes" comes to a yes.

    "Yeah, no" is neither. "No, that's fine" agrees where the agent asked whether it is right, and declines
    an offer.

    Args:
        said: the utterance.
        question: what the agent asked.
    """
    fillers = single_words_of(said.language, "lead_in")
    checked = question.closed and question.said is not None and bool(question.said.hits("right_after_all"))
    agrees = [unbroken(hit, said.words) for hit in said.hits("fine_after_all")]
    every = [
        (unbroken(hit, said.words), group == "yes") for group in ("yes", "no") for hit in said.hits(group)
    ]
    every += [(hit, True) for hit in agrees if checked]
    # The "no" of "no idea" and of "no worries" is none.
    longer = [hit for hit, _ in every] + agrees + said.hits("dont_know")
    heads = sorted(
        {(hit.start, hit.end, yes) for hit, yes in every if not any(hit.within(other) for other in longer)},
        key=lambda head: (head[0], -head[1]),
    )
    back = {hit.start for hit in said.hits("right_after_all")}
    back |= {hit.start for hit in agrees} if checked else set[int]()
    end, answers = 0, list[bool]()
    for start, stop, yes in heads:
        gap = said.words[end:start]
        if start < end or len(gap) > LEAD_IN or any(word.key not in fillers for word in gap):
            continue
        end = stop
        # "No, exactly four" is a no: the yes that takes it back stands by itself.
        alone = end == len(said.words) or said.words[end - 1].stop != ""
        if not answers or (yes and alone and start in back):
            answers.append(yes)
        elif not yes and alone and answers[-1]:
            return None
    return answers[-1] if answers else None
