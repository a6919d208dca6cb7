"""What a call was about, in versions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class OpenItem:
    """Something left to do.

    Args:
        title: what and when; where a model took part, in its words.
        plain: what and when in names and values of slots alone: all that a weak identity reads. "" where
            the notes hold none.
        slot, value: the slot whose value waits for an answer, where that is what is left.
        slots: what was noted of the matter, in the written form of each slot's type, so that a later
            call goes on with values and not with words.
        due: day or moment it is about, ISO.
        call, turn: where it comes from; line: of which line of business.
    """

    title: str
    plain: str = ""
    slot: str | None = None
    value: Any = None
    slots: Mapping[str, Any] = field(default_factory=dict[str, Any])
    due: str | None = None
    call: str = ""
    turn: int = 0
    line: str = ""

    def __repr__(self) -> str:
        return f"<OpenItem call={self.call}>"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Summary:
    """The end-of-call summary. `version` counts rewrites; `by` is `rules` or a model's name."""

    call: str
    text: str
    outcome: str
    resolved: bool
    at: str = ""
    key_facts: tuple[str, ...] = ()
    open_items: tuple[OpenItem, ...] = ()
    version: int = 1
    by: str = "rules"
    line: str = ""

    def __repr__(self) -> str:
        return f"<Summary call={self.call} v{self.version}>"

    def report(self) -> dict[str, Any]:
        return {
            "text": self.text,
            "outcome": self.outcome,
            "resolved": self.resolved,
            "key_facts": list(self.key_facts),
            "open_items": [item.title for item in self.open_items],
            "version": self.version,
        }


def another_line(one: str, other: str) -> bool:
    """Whether two lines of business are told apart; what names none belongs to all of them."""
    return bool(one and other and one != other)
