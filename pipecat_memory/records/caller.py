"""Who is on the line, and how surely we know."""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass, replace
from typing import Literal, get_args

import phonenumbers

from pipecat_memory import arguments
from pipecat_memory.records.hidden import is_hidden

How = Literal["number", "claimed", "verified"]

_WRITTEN = re.compile(r"\s*\+?[\d\s()./-]{3,40}")
"""What a phone number may be written with; the parser itself would skip anything else."""


class Strength(enum.IntEnum):
    """How surely we know the caller (design rule 10)."""

    NONE = 0
    WEAK = 1
    VERIFIED = 2


@dataclass(frozen=True, slots=True, repr=False)
class Caller:
    """A person on the line: an E.164 number or an opaque id, and how we know.

    Args:
        id: E.164 number, opaque id compared byte for byte, or None for nobody.
        how: `number` (caller id), `claimed` (said so), `verified` (proved it to the app).
        person: which of several people at this id, where known.
    """

    id: str | None
    how: How = "number"
    person: str | None = None

    def __post_init__(self) -> None:
        """Refuse what is no caller.

        Raises:
            UsedWrongly: names the argument and what would be right.
        """
        _check_id("Caller(id=)", self.id)
        arguments.one_of("Caller(how=)", self.how, get_args(How))
        if self.person is not None:
            arguments.text("Caller(person=)", self.person, example="bob", empty=True)

    @classmethod
    def phone(
        cls,
        number: str | None,
        *,
        how: How = "number",
        person: str | None = None,
        region: str | None = None,
    ) -> Caller:
        """The caller of a phone number, normalised to E.164.

        Args:
            number: as the carrier gives it. Hidden numbers become nobody; what is not a
                possible number stays an opaque id.
            how: the strength the app gives to caller id.
            person: which of several people at this number.
            region: ISO country for numbers without a plus sign, such as `"GB"`.

        Raises:
            UsedWrongly: an argument is of another type, or `how` is no strength.
        """
        _check_id("Caller.phone(number=)", number)
        arguments.one_of("Caller.phone(how=)", how, get_args(How))
        if region is not None:
            arguments.text("Caller.phone(region=)", region, example="GB")
        if number is None or is_hidden(number):
            return cls(None)
        return cls(normalise(number, region), how, person)

    @classmethod
    def account(cls, id: str, *, how: How = "verified", person: str | None = None) -> Caller:
        """The caller of an id of the app's own (a customer number, a sign-in), kept as it is."""
        _check_id("Caller.account(id=)", id)
        return cls(None) if is_hidden(id) else cls(id, how, person)

    @classmethod
    def nobody(cls) -> Caller:
        """A caller of whom nothing is known and nothing is kept."""
        return cls(None)

    @property
    def known(self) -> bool:
        return self.id is not None

    @property
    def strength(self) -> Strength:
        if self.id is None:
            return Strength.NONE
        return Strength.VERIFIED if self.how == "verified" else Strength.WEAK

    @property
    def label(self) -> str:
        """`caller` or `caller#person`: the key of a profile in a report."""
        return f"{self.id}#{self.person}" if self.person else (self.id or "")

    def proven(self, how: How) -> Caller:
        """The same caller, known another way."""
        return replace(self, how=how)

    def answering(self) -> Caller:
        """Whoever picks up the phone that we called: they only claim to be whose number it is."""
        return self.proven("claimed") if self.known else self

    def __repr__(self) -> str:
        return f"<Caller {self.strength.name.lower()}>"


def _check_id(place: str, id: object) -> None:
    if id is not None:
        arguments.text(place, id, example="+15551230001", empty=True)


def normalise(number: str, region: str | None = None) -> str:
    """E.164 where `number` is a possible phone number, else `number` unchanged."""
    if not _WRITTEN.fullmatch(number):
        return number
    try:
        parsed = phonenumbers.parse(number, region)
    except phonenumbers.NumberParseException:
        return number
    if not phonenumbers.is_possible_number(parsed):
        return number
    return phonenumbers.format_number(parsed, phonenumbers.PhoneNumberFormat.E164)


@dataclass(frozen=True, slots=True, repr=False)
class Scope:
    """Whose records these are: one tenant's one caller (and one person at that number).

    Every store command names a scope; nothing is ever read across scopes.
    """

    tenant: str
    caller: str
    person: str = ""

    def __repr__(self) -> str:
        return "<Scope>"
