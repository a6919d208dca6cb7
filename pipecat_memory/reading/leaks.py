"""The lines of our own briefings as a model may repeat them, told from what people say to each other."""

from __future__ import annotations

import re
from collections.abc import Iterable

_ID = (
    r"\[(?:(?:note|recall|fact|ask|summary|raw|dropped|tool|cut|document)\.[^\]\n]{1,120}"
    r"|(?:open|question|turn)\d{1,4})\]"
)
"""The id before a line; see `reading.lines`. `[name]` and `[next]` are ids only before their line's text."""
_HEADS = (
    r"(?:working notes of this call|(?:what )?this phone line remembers of the caller"
    r"|(?:the )?caller did not say this now|(?:\[next\]\s*)?suggested next step:|(?:\[name\]\s*)?goes by:"
    r"|noted (?:before the line dropped|in that call):|ask which holds; until then"
    r"|not told yet; do not repeat it)"
)
"""How our lines begin that have no field's name in them."""
_STEPS = r"(?<!\w)(?:call_tool|ask_slot)(?!\w)"
"""Next steps that are no words of a language; `confirm` and `answer` are."""
_STANDING = (
    r"\((?:confirmed|inferred|pending)(?:, said [\"“][^\"”\n]{0,200}[\"”])?(?:; unsure: or [^)\n]{0,200})?\)"
)
"""How sure a noted value is, as the notes put it."""
END = r"[.!?…]+[\"'”’)\]]*(?=\s|$)|[。！？]"
"""Where a sentence ends."""

BEGUN = (
    "call_tool", "ask_slot", "working notes of this call", "suggested next step:",
    "[next] suggested next step:", "goes by:", "[name] goes by:",
    "noted before the line dropped:", "noted in that call:",
    "this phone line remembers of the caller", "caller did not say this now", "ask which holds; until then",
)  # fmt: skip
"""Beginnings that are held back, as far as they have come, until it is sure what they are."""


class Leaks:
    """Finds lines of ours in a text.

    Args:
        names: of the schema's slots; "date = ..." is a note, "the date is ..." is speech.
    """

    def __init__(self, names: Iterable[str]) -> None:
        names = [name.casefold() for name in names]
        fields = "|".join(sorted(map(re.escape, names), key=len, reverse=True)) or "(?!)"
        assigned = rf"(?<![\w.])(?:{fields})\s?=(?!=)"
        flags = re.IGNORECASE
        self._starts = re.compile(rf"{_ID}|{_HEADS}|{_STEPS}|{assigned}", flags)
        self._whole = re.compile(
            rf"(?:{_ID}|{assigned})(?:(?!{END})[^\n])*?{_STANDING}"
            rf"|{assigned}(?:(?!{END})[^\n;,])*(?:[;,]|{END})?"
            rf"|(?:{_ID}|{_HEADS}|{_STEPS})[^\n]*?(?:{END}|(?=\n)|$)"
            rf"|{_STANDING}",
            flags,
        )
        self._begun = (*BEGUN, *(f"{name} =" for name in names))
        self._longest = max(map(len, self._begun))
        self._closed = re.compile(rf"{_STANDING}|{END}(?!$)|[。！？]|\n", flags)

    def without(self, text: str) -> tuple[str, int]:
        """The text without them, and how many there were."""
        return self._whole.subn("", text)

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Where they stand."""
        return [match.span() for match in self._whole.finditer(text)]

    def begun(self, text: str) -> int | None:
        """Where one has begun whose end has not come yet; None where there is none."""
        for match in self._starts.finditer(text):
            if self._closed.search(text, match.end()) is None:
                return match.start()
        tail = text[-self._longest :].casefold()
        whole = len(tail) == len(text)
        for at in range(len(tail)):
            begins = not tail[at - 1].isalnum() if at else whole
            if (
                begins
                and not tail[at].isspace()
                and any(start.startswith(tail[at:]) for start in self._begun)
            ):
                return len(text) - len(tail) + at
        return None
