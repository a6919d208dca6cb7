"""Retention by age: calls that are too old go, with all that came from them."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from ..records.profile import Profile
from ..records.schema import FactRule, MemorySchema
from ..stores.base import Job
from ..stores.box import EXPIRE
from ..stores.caller_file import CallerFile
from ..stores.contents import CallMeta
from ..stores.vault import Vault
from .reconcile import reconcile

KEEPER = "retention"
"""Holds that job until then: a lease is a date on the store's own clock, which every worker respects."""


def expiry(file: CallerFile) -> Job:
    """The one such job of a caller."""
    return file.box.job(EXPIRE, EXPIRE, id=EXPIRE)


async def watch(vault: Vault, file: CallerFile, days: int, now: datetime, worker: str = KEEPER) -> None:
    """See to it that a worker looks at this file when its oldest call is `days` old.

    `worker` is who holds the job now, where somebody does.
    """
    calls = (await file.load()).calls.values()
    if calls:
        due = min(map(_ended, calls)) + timedelta(days=days) - now
        await file.box.put([], [expiry(file)])
        await vault.claim(worker, max(1.0, due.total_seconds()), job=expiry(file))


async def expire(file: CallerFile, days: int, now: datetime) -> int:
    """Remove the finished calls that ended more than `days` ago; a file without calls goes altogether.

    Returns:
        How many calls went. Killed half way, doing it again removes the rest.
    """
    loaded = await file.load()
    oldest = now - timedelta(days=days)
    gone = {call for call, meta in loaded.calls.items() if meta.done and _ended(meta) <= oldest}
    if not gone:
        return 0
    if len(gone) == len(loaded.calls) and not loaded.people:
        await file.erase()
        return len(gone)
    newest = max((m for m in loaded.calls.values()), key=_ended)
    rules = MemorySchema.from_dict(newest.schema).facts if newest.schema else ()
    await file.settle(None, lambda profile: without(profile, gone, rules, now))
    for call in sorted(gone):
        await file.drop(call)
    return len(gone)


def without(profile: Profile, gone: set[str], rules: tuple[FactRule, ...], now: datetime) -> Profile:
    """The profile as it would be had these calls never been."""
    claims = tuple(claim for claim in profile.claims if claim.call not in gone)
    return replace(
        profile,
        claims=claims,
        facts=reconcile(claims, rules=rules, now=now),
        summaries=tuple(s for s in profile.summaries if s.call not in gone),
        open_items=tuple(item for item in profile.open_items if item.call not in gone),
        calls=tuple(call for call in profile.calls if call not in gone),
    )


def _ended(meta: CallMeta) -> datetime:
    return datetime.fromisoformat(meta.ended or meta.at)
