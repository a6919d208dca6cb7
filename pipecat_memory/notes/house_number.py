"""The number of a house said right by itself: "no, fourteen" after "12 Baker Street?"."""

from __future__ import annotations

from pipecat_memory.notes.counted import is_number
from pipecat_memory.notes.tokens import tokens
from pipecat_memory.notes.utterance import Utterance


def renumbered(said: Utterance, run: tuple[int, int], address: str) -> str | None:
    """The address with the number that is all of an answer; None where it has not one number to change.

    Args:
        said: the answer.
        run: the words of it that may be the number.
        address: as it stands.
    """
    start, end = run
    if not start < end or not all(is_number(said, i) for i in range(start, end)):
        return None
    standing = Utterance(address, said.language, tokens(address), {}, [0], [0])
    numbers = [i for i in range(len(standing.words)) if is_number(standing, i)]
    if not numbers or numbers != list(range(numbers[0], numbers[-1] + 1)):
        return None
    low, high = standing.words[numbers[0]].start, standing.words[numbers[-1]].end
    return address[:low] + said.span(start, end) + address[high:]
