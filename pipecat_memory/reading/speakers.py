"""The people who speak in what the index holds, and the names they go by."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

from .vocabulary import STOP
from .words import fold

_GREETED = re.compile(
    r"^\W*(?:hi|hiya|hello|hey|dear|good (?:morning|afternoon|evening|night)|thanks|thank you|bye|goodbye"
    r"|hola|buenos d[ií]as|gracias|bonjour|salut|merci|hallo|guten (?:morgen|tag|abend)|danke|ciao|grazie"
    r"|ol[aá]|bom dia|obrigad[oa]|dag|bedankt),? (\w{2,})",
    re.IGNORECASE,
)
"""A turn that opens with somebody's name after a greeting or thanks."""
SURE = 2
"""Times that somebody must have been greeted so: once may be a third person in the room."""
MOSTLY = 2 / 3
"""Share of a name's greetings that must have gone to one person."""
_FUNCTION_WORDS = frozenset[str]().union(*STOP.values())


class Speakers:
    """Numbers for the speakers, from 1, and whom a text names.

    People go by each of their names ("Ada", "Lovelace"), and by what they are called when greeted
    ("hi Addie"), where just two speak and it can only be the other one.
    """

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._company: dict[str, set[int]] = {}
        self._greetings: Counter[tuple[str, int, str]] = Counter()
        self._names: dict[str, int] | None = None

    def heard(self, name: str, call: str, text: str) -> int:
        """The number of who said `text` in that call; 0 for nobody known."""
        if not name:
            return 0
        number = self._numbers.setdefault(name, len(self._numbers) + 1)
        self._company.setdefault(call, set()).add(number)
        greeted = _GREETED.match(text)
        if greeted and greeted[1][0].isupper():
            self._greetings[call, number, fold(greeted[1])] += 1
        self._names = None
        return number

    @property
    def names(self) -> tuple[str, ...]:
        """Every name that a speaker goes by, folded."""
        return tuple(self._known())

    def named(self, text: str) -> int:
        """The number of the one speaker whom the text names; 0 for nobody and for several."""
        known = self._known()
        if not known:
            return 0
        found = {known[name] for name in _pattern(tuple(known)).findall(fold(text))}
        return found.pop() if len(found) == 1 else 0

    def _known(self) -> dict[str, int]:
        if self._names is None:
            self._names = self._called() | self._own()
        return self._names

    def _own(self) -> dict[str, int]:
        """Whole names, and parts of them that only one speaker bears."""
        whole = {fold(name): number for name, number in self._numbers.items()}
        bearers: dict[str, set[int]] = {}
        for name, number in whole.items():
            for part in name.split():
                if len(part) > 1 and part not in _FUNCTION_WORDS:
                    bearers.setdefault(part, set()).add(number)
        parts = {part: next(iter(numbers)) for part, numbers in bearers.items() if len(numbers) == 1}
        return parts | whole

    def _called(self) -> dict[str, int]:
        """Names by which one speaker is greeted by the only other one of the call."""
        greeted: dict[str, Counter[int]] = {}
        for (call, by, name), times in self._greetings.items():
            others = self._company[call] - {by}
            if len(others) == 1 and name not in _FUNCTION_WORDS:
                greeted.setdefault(name, Counter())[next(iter(others))] += times
        called: dict[str, int] = {}
        for name, counts in greeted.items():
            number, times = counts.most_common(1)[0]
            if times >= SURE and times >= MOSTLY * counts.total():
                called[name] = number
        return called


@lru_cache(maxsize=256)
def _pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    alternatives = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    return re.compile(rf"(?<!\w)(?:{alternatives})(?!\w)")
