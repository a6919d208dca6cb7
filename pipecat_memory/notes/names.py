"""Names of people, as the caller gives them. A name is kept as it was said, never corrected."""

from __future__ import annotations

from pipecat_memory.notes.grammar import Grammar, single_words_of, words_of
from pipecat_memory.notes.mention import Mention
from pipecat_memory.notes.utterance import Utterance, stance
from pipecat_memory.records.schema import Slot

LONGEST = 4
"""Words of a name at most."""

LONGEST_ZH = 4
"""Characters of a Chinese name at most, without titles."""

ROLES = {
    "name": "full",
    "weak_name": "full",
    "family_name": "family",
    "given_name": "given",
    "preferred_name": "preferred",
}
"""Cues that come before a name, and the part it then is."""

AFTER = {"name_after": "full", "family_name_after": "family", "given_name_after": "given"}


def find_names(said: Utterance, grammar: Grammar, asked: tuple[str, ...]) -> list[Mention]:
    """The caller's names, each for the slots that hold that part of it."""
    roles = {slot.name: grammar.naming(slot) for slot in grammar.schema.slots}
    if not any(roles.values()):
        return []
    found: list[tuple[int, int, str, bool]] = []
    for role, start, end, sure in _introduced(said):
        if not any(start < b and a < end for a, b, _, _ in found):
            found.append((start, end, role, sure))
    mentions = [m for a, b, role, sure in found for m in _for_slots(said, a, b, role, sure, grammar, roles)]
    if not mentions and asked and roles.get(asked[0]):
        slot = grammar.schema.slot(asked[0])
        answer = _answer(said)
        if slot is not None and answer is not None:
            part = roles[slot.name] or "other"
            mentions = _for_slots(said, *answer, part, True, grammar, roles, only=slot)
    return mentions


def _introduced(said: Utterance) -> list[tuple[str, int, int, bool]]:
    weak = {(hit.start, hit.end) for hit in said.hits("weak_name")}
    found: list[tuple[str, int, int, bool]] = []
    for group in ("preferred_name", "family_name", "given_name", "name", "weak_name"):
        for hit in said.hits(group):
            unsure = (hit.start, hit.end) in weak
            start = _untitled(said, hit.end)
            end = _extent(said, start, capital=unsure)
            two = tuple(w.key for w in said.words[hit.start : hit.end]) in words_of(
                said.language, "two_word_names"
            )
            if end > start + (1 if two else 0) and not (two and not _cased(said)):
                found.append((ROLES[group], start, end, not unsure))
    for group, role in AFTER.items():
        for hit in said.hits(group):
            start = _backward(said, hit.start)
            if start < hit.start:
                found.append((role, start, hit.start, True))
    order = {"preferred": 0, "family": 1, "given": 2, "full": 3}
    return sorted(found, key=lambda f: (order[f[0]], f[1]))


def _plain(said: Utterance, i: int, capital: bool) -> bool:
    """Whether word `i` can be part of a name."""
    word = said.words[i]
    if not word.key.isalpha() or word.key in single_words_of(said.language, "not_a_name"):
        return False
    written = said.text[word.start : word.end]
    return not (_cased(said) and word.key.isascii()) or written[:1].isupper() or not capital


def _cased(said: Utterance) -> bool:
    """Whether the transcript writes names with capitals."""
    return any(c.isupper() for c in said.text) and not said.text.isupper()


def _untitled(said: Utterance, start: int) -> int:
    """The word after a title such as "doctor"."""
    titles = single_words_of(said.language, "titles")
    return start + 1 if start < len(said.words) - 1 and said.words[start].key in titles else start


def _extent(said: Utterance, start: int, *, capital: bool) -> int:
    """One past the last word of a name that starts at `start`."""
    longest = LONGEST_ZH if said.language == "zh" else LONGEST
    end = start
    while end < len(said.words) and end - start < longest and _plain(said, end, capital):
        written = said.text[said.words[end].start]
        if end > start and written.islower() and said.text[said.words[start].start].isupper():
            break
        end += 1
        if said.words[end - 1].stop:
            break
    return end


def _backward(said: Utterance, end: int) -> int:
    start = end
    while start > 0 and end - start < LONGEST and not (start < end and said.words[start - 1].stop):
        if said.words[start - 1].stop or not _plain(said, start - 1, True):
            break
        start -= 1
    return start


def _answer(said: Utterance) -> tuple[int, int] | None:
    """The name in a bare answer, with what leads in to it left out."""
    start, fillers = 0, single_words_of(said.language, "lead_in")
    while start < len(said.words) and said.words[start].key in fillers:
        start += 1
    end = _extent(said, start, capital=False)
    rest = end < len(said.words) and not said.words[end - 1].stop
    unknown = any(hit.start <= start < hit.end for hit in said.hits("dont_know"))
    return None if end == start or rest or unknown else (start, end)


def _for_slots(
    said: Utterance,
    start: int,
    end: int,
    role: str,
    sure: bool,
    grammar: Grammar,
    roles: dict[str, str | None],
    only: Slot | None = None,
) -> list[Mention]:
    meant = stance(said, start, end, [(start, end)])
    if not sure and meant in ("assert", "suggest"):
        meant = (
            "unsure" if not said.text[said.words[start].start].isupper() and said.language != "zh" else meant
        )
    by_role: dict[str, Slot] = {}
    for slot in grammar.schema.slots:
        part = roles[slot.name]
        if part and part not in by_role:
            by_role[part] = slot
    parts = _parts(role, start, end, by_role, only)
    return [
        Mention(s.name, said.span(a, b), said.span(a, b), said.words[a].start, meant) for s, a, b in parts
    ]


def _parts(
    role: str, start: int, end: int, slots: dict[str, Slot], only: Slot | None
) -> list[tuple[Slot, int, int]]:
    """Which slot takes which words of a name."""
    if only is not None and role in ("other", "preferred"):
        return [(only, start, end)]
    if role in ("family", "given") and end - start > 1 and {"family", "given"} <= slots.keys():
        role = "full"
    if role in slots and role != "full":
        return [(slots[role], start, end)]
    if role == "preferred" and "full" in slots:
        return [(slots["full"], start, end)]
    found: list[tuple[Slot, int, int]] = []
    if "full" in slots and role in ("full", "preferred"):
        found.append((slots["full"], start, end))
    if role in ("full", "preferred"):
        if "given" in slots and (end - start > 1 or "family" not in slots or role == "preferred"):
            found.append((slots["given"], start, start + 1 if "family" in slots else end))
        if "family" in slots and end - start > 1:
            found.append((slots["family"], start + 1, end))
        if "given" in slots and not found:
            found.append((slots["given"], start, end))
    return found
