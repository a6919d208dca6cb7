"""Claims in, facts out: a pure fold, the same for the same set of claims in whatever order they came.

A claim is what was said once; a fact is what holds, since when, and on whose words. Nothing is
decided by how alike two texts are: only by subject, key, value and time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from ..notes.name_slots import holds
from ..records.fact import Claim, Fact, Status
from ..records.schema import FactRule
from ..tasks import breathing
from .canon import canonical
from .cues import corrects, not_me
from .keys import misheard, opposite, rule_for, several
from .standing import Standing, moment, name_of


def reconcile(claims: Iterable[Claim], *, rules: Sequence[FactRule] = (), now: datetime) -> tuple[Fact, ...]:
    """What holds, held and waits, from all claims of one person.

    Args:
        claims: in any order; doubles are one.
        rules: the app's rules; where there are any, other keys are left out.
        now: aware; what ended before it is `expired`, what begins after it is `pending`.

    Returns:
        Facts by the time they began, then by where they were said. A rival that could not replace what
        stands is `pending` and names it in `disputes`.
    """

    def order(entry: Standing) -> tuple[datetime, str, int, int, str]:
        return entry.begins, entry.first.call, entry.first.turn, entry.first.seq, entry.id

    known = tuple(claims)
    now = _no_earlier(now, known)
    return tuple(entry.fact(now) for entry in sorted(_fold(known, rules), key=order))


def admits(claim: Claim, rules: Sequence[FactRule]) -> bool:
    """Whether the app's rules have a place for a claim; without rules every key has one."""
    if not rules:
        return True
    rule = rule_for(claim.key, rules)
    if rule is None:
        return False
    allowed = {canonical(value) for value in rule.values}
    return not allowed or claim.op == "retract" or canonical(claim.value) in allowed


def _no_earlier(now: datetime, claims: Sequence[Claim]) -> datetime:
    """Now, or the last claim's moment where another machine's clock is ahead of ours."""
    return max([now, *(moment(claim.at) for claim in claims)])


def _order(claim: Claim) -> tuple[datetime, str, int, bool, int, str]:
    # Inside a turn what is said to hold comes before what is taken back: "not Rome, Oslo".
    identity = repr((claim.key, claim.value, claim.quote, claim.text, claim.op, claim.subject))
    return moment(claim.at), claim.call, claim.turn, claim.op == "retract", claim.seq, identity


def _fold(claims: Iterable[Claim], rules: Sequence[FactRule]) -> list[Standing]:
    book = _Book(rules)
    for claim in breathing(sorted({claim for claim in claims if admits(claim, rules)}, key=_order)):
        if claim.op == "retract":
            book.retract(claim)
        else:
            book.state(claim)
    return book.entries


class _Book:
    """The facts so far, of one person."""

    def __init__(self, rules: Sequence[FactRule]) -> None:
        self._rules = rules
        self.entries: list[Standing] = []
        self._of: dict[tuple[str, str | None], list[tuple[int, Standing]]] = {}
        """Entries by subject and key, with their places."""

    def state(self, claim: Claim) -> None:
        same = self._same(claim)
        if claim.pending:
            waiting = next((e for e in same if e.status in ("pending", "current")), None)
            if waiting is None:
                self._open(claim, "pending")
            elif waiting.status == "pending":
                waiting.mention(claim)
            return
        if claim.subject != "caller" and not_me(claim.quote):
            self._close_callers(claim)
            if canonical(claim.value) not in canonical(claim.quote) and not self._callers(claim):
                return  # it names nobody's value but one that was never noted
        if _over(claim):
            if not any(e.ends is not None and e.begins == _begin(claim) for e in same):
                self._open(claim, "current")
            return
        standing = next((e for e in same if e.status == "current" and not _ended(e, claim)), None)
        standing = standing or self._whole_name(claim)
        if standing is not None:
            standing.mention(claim)
            if claim.explicit:
                self._drop_rivals(standing, claim)
            return
        rivals = self._rivals(claim)
        surer = next((e for e in rivals if self._holds_against(e, claim, same)), None)
        if surer is not None:
            self._dispute(claim, surer, same)
            return
        entry = self._take_up(claim, same) or self._open(claim, "current")
        for rival in rivals:
            rival.status, rival.ends = "superseded", max(rival.begins, entry.begins)
            if corrects(claim.quote) or rival.first.call == claim.call:
                entry.replaces = rival
        self._drop_rivals(entry, claim)

    def retract(self, claim: Claim) -> None:
        at = moment(claim.at)
        subject, key, value = name_of(claim)
        for entry in self._about(subject, key):
            if entry.status not in ("current", "pending"):
                continue
            if claim.value is None:
                # "Not any more" in a turn that also says what holds now is about the old value.
                hit = (entry.first.call, entry.first.turn) != (claim.call, claim.turn)
            else:
                hit = entry.name[2] == value
            unsure = not claim.explicit or claim.pending or claim.strength < entry.strength
            if hit and not unsure:
                entry.status, entry.ends = "retracted", max(entry.begins, at)

    def _same(self, claim: Claim) -> list[Standing]:
        """Entries of this very fact, newest first."""
        name = name_of(claim)
        return [entry for entry in reversed(self._about(*name[:2])) if entry.name == name]

    def _whole_name(self, claim: Claim) -> Standing | None:
        """The name that stands, where the claim says a part of it again."""
        subject, key, value = name_of(claim)
        if key != "name":
            return None
        return next(
            (e for e in self.entries if e.status == "current" and e.name[:2] == (subject, key)
             and not _ended(e, claim) and holds(e.name[2], value)),
            None,
        )  # fmt: skip

    def _rivals(self, claim: Claim) -> list[Standing]:
        """Current facts that can't hold beside this claim."""
        subject, key, value = name_of(claim)
        held = several(claim.key, self._rules)
        found: list[Standing] = []
        for entry in self._about(subject, key, opposite(key)):
            _, other, there = entry.name
            if entry.status != "current" or _ended(entry, claim):
                continue
            if other != key and there == value:
                found.append(entry)
            elif other == key and there != value and held is not True:
                one_turn = (entry.first.call, entry.first.turn) == (claim.call, claim.turn)
                if held is False or (claim.op == "set" and not one_turn):
                    found.append(entry)
        return found

    def _holds_against(self, entry: Standing, claim: Claim, same: list[Standing]) -> bool:
        if claim.strength < entry.strength:
            return True
        if entry.explicit and not claim.explicit:
            return True
        return entry.explicit and self._asks(entry, claim, same) and not corrects(claim.quote)

    def _asks(self, entry: Standing, claim: Claim, same: list[Standing]) -> bool:
        """Whether another value of this key is asked about before it replaces what stands."""
        if (rule := rule_for(claim.key, self._rules)) is not None:
            return rule.on_conflict == "ask"
        elsewhere = any(call != claim.call for call, _ in entry.mentions)
        if not misheard(claim.key) or not elsewhere or claim.strength > entry.strength:
            return False
        if name_of(claim)[1] == "name" and holds(name_of(claim)[2], entry.name[2]):
            return False  # the same name, told in full
        # What a second call tells like that was heard, not misheard.
        return not any(e.status == "pending" and any(c != claim.call for c, _ in e.mentions) for e in same)

    def _dispute(self, claim: Claim, stands: Standing, same: list[Standing]) -> None:
        waiting = next((e for e in same if e.status == "pending"), None)
        if waiting is None:
            self._open(claim, "pending").disputes = stands
        else:
            waiting.mention(claim)
            waiting.disputes = stands

    def _take_up(self, claim: Claim, same: list[Standing]) -> Standing | None:
        """What waited for a sure word has it now, and from now on stands on that word."""
        waiting = next((e for e in same if e.status == "pending"), None)
        if waiting is not None:
            waiting.first, waiting.begins = claim, _begin(claim)
            waiting.status, waiting.disputes = "current", None
            waiting.mention(claim)
        return waiting

    def _drop_rivals(self, standing: Standing, claim: Claim) -> None:
        """An explicit word settles what was asked about the same key."""
        subject, key, _ = name_of(claim)
        for entry in self._about(subject, key, opposite(key)):
            if entry.status != "pending" or entry.disputes is None or entry is standing:
                continue
            if entry.disputes.name[:2] == (subject, key):
                entry.status, entry.ends = "retracted", max(entry.begins, moment(claim.at))

    def _close_callers(self, claim: Claim) -> None:
        """On "that was my brother": what was filed under the caller was never the caller's."""
        for entry in self._callers(claim):
            if entry.status in ("current", "pending") and claim.strength >= entry.strength:
                entry.status, entry.ends = "retracted", max(entry.begins, moment(claim.at))

    def _callers(self, claim: Claim) -> list[Standing]:
        """What was filed under the caller by this key and value."""
        name = ("caller", *name_of(claim)[1:])
        return [entry for entry in self._about(*name[:2]) if entry.name == name]

    def _about(self, subject: str, *keys: str | None) -> list[Standing]:
        """Entries of these keys of one subject, in the order they were opened."""
        found = [placed for key in dict.fromkeys(keys) for placed in self._of.get((subject, key), ())]
        return [entry for _, entry in sorted(found, key=lambda placed: placed[0])]

    def _open(self, claim: Claim, status: Status) -> Standing:
        entry = Standing(
            name_of(claim), claim, status, _begin(claim), moment(claim.valid_to) if claim.valid_to else None
        )
        entry.explicit = claim.explicit
        entry.mention(claim)
        self._of.setdefault(entry.name[:2], []).append((len(self.entries), entry))
        self.entries.append(entry)
        return entry


def _begin(claim: Claim) -> datetime:
    return moment(claim.valid_from or claim.at)


def _over(claim: Claim) -> bool:
    """Said about the past: it ended before it was said, so it disturbs nothing that holds."""
    return claim.valid_to is not None and moment(claim.valid_to) <= moment(claim.at)


def _ended(entry: Standing, claim: Claim) -> bool:
    """Whether the fact was over by the time the claim begins."""
    return entry.ends is not None and entry.ends <= _begin(claim)
