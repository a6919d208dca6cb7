"""A fact in the making: what the fold of claims holds of it before it is written down."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from datetime import UTC, datetime

from ..records.fact import Claim, Fact, Status
from .canon import canonical
from .keys import canonical_key


def moment(text: str) -> datetime:
    """An ISO time as an aware moment in UTC; one without a zone is read as UTC."""
    read = datetime.fromisoformat(text)
    return (read if read.tzinfo else read.replace(tzinfo=UTC)).astimezone(UTC)


Name = tuple[str, str, str]
"""Subject, key and value in canonical form: what makes two claims the same fact."""


def name_of(claim: Claim) -> Name:
    """What a claim is about and what it says of it, in canonical form."""
    return claim.subject, canonical_key(claim.key), canonical(claim.value)


@dataclass(slots=True, eq=False, repr=False)
class Standing:
    """A fact in the making."""

    name: Name
    first: Claim
    status: Status
    begins: datetime
    ends: datetime | None = None
    mentions: set[tuple[str, int]] = field(default_factory=set[tuple[str, int]])
    importance: float = 0.0
    strength: int = 1
    explicit: bool = True
    sensitive: bool = False
    relations: tuple[tuple[str, str], ...] = ()
    replaces: Standing | None = None
    disputes: Standing | None = None

    def mention(self, claim: Claim) -> None:
        self.mentions.add((claim.call, claim.turn))
        self.importance = max(self.importance, claim.importance)
        self.strength = max(self.strength, claim.strength)
        self.explicit = self.explicit or claim.explicit
        self.sensitive = self.sensitive or claim.sensitive
        self.relations = tuple(dict.fromkeys((*self.relations, *claim.relations)))

    @property
    def id(self) -> str:
        source = (self.first.call, self.first.turn)
        return hashlib.sha256(repr((self.name, source)).encode()).hexdigest()[:12]

    def fact(self, now: datetime) -> Fact:
        status = self.status
        if status == "current" and self.begins > now:
            status = "pending"
        elif status == "superseded" and self.ends is not None and self.ends > now:
            status = "current"  # what follows has not begun yet
        elif status == "current" and self.ends is not None and self.ends <= now:
            status = "expired"
        claim = self.first
        return Fact(
            id=self.id,
            kind=claim.kind,
            key=claim.key,
            value=claim.value,
            text=claim.text,
            status=status,
            speaker=claim.speaker,
            language=claim.language,
            valid_from=self.begins.isoformat(),
            valid_to=self.ends.isoformat() if self.ends else None,
            call=claim.call,
            turn=claim.turn,
            quote=claim.quote,
            seen=len(self.mentions),
            importance=self.importance,
            subject=claim.subject,
            sensitive=self.sensitive,
            line=claim.line,
            strength=self.strength,
            corrects=self.replaces.id if self.replaces else None,
            disputes=self._disputed(status),
            relations=self.relations,
        )

    def _disputed(self, status: Status) -> str | None:
        stands = self.disputes
        return (
            stands.id if stands is not None and status == "pending" and stands.status == "current" else None
        )
