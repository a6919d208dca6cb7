"""Two verified persons on one line, one after the other: each keeps what they said themselves."""

from __future__ import annotations

from dataclasses import dataclass

from ..events import CallEnded
from ..records.caller import Caller, Scope
from ..stores.caller_file import CallerFile
from ..stores.contents import CallMeta
from .archive import Archive
from .journal import Journal


@dataclass(frozen=True, slots=True, repr=False)
class Parting:
    """What the person who was on the line leaves when somebody else is.

    Args:
        caller: who it was.
        meta: the head of the call so far.
        journal: what was said and done until then.
        t: when, in seconds of the call.
    """

    caller: Caller
    meta: CallMeta
    journal: Journal
    t: float

    async def written(self, archive: Archive, tenant: str) -> CallerFile | None:
        """Write their part of the call into their file, where it ends; None where they have none any more.

        Raises:
            StoreError: the store is away; what was not durable yet waits in the journal.
        """
        file = self.journal.file
        if file is None:
            file = await archive.file(Scope(tenant, self.caller.id or "", self.caller.person or ""))
        if file is None:
            return None
        await file.open_call(self.meta)
        self.journal.event(CallEnded(t=self.t, reason="transferred"))
        self.journal.attach(file)
        await self.journal.flushed()
        return file
