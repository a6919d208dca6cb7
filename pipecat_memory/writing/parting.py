"""What a person leaves who is no longer on a line that goes on: their part of the call, in their own file."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..records.caller import Caller, Scope
from ..stores.caller_file import CallerFile
from ..stores.contents import CallMeta
from .archive import Archive
from .runs import run_of

if TYPE_CHECKING:
    from ..calls.stay import Stay


@dataclass(slots=True, repr=False)
class Parting:
    """Of one person.

    Args:
        caller: who it was.
        meta: the head of the call as it was with them.
        stay: what was said and done until then, and what is told of it later.
        file: where it is kept, once it was written; None where they have none.
        settling: finishes it, once it was written.
        late: something was told since then.
        moving: the file of somebody else that still holds what was written before this one was named.
    """

    caller: Caller
    meta: CallMeta
    stay: Stay
    file: CallerFile | None = None
    settling: asyncio.Task[None] | None = None
    late: bool = False
    moving: CallerFile | None = None

    async def write(self, archive: Archive, tenant: str) -> None:
        """Write their part of the call into their file, where they have or may have one.

        Where nothing was said or done with them nothing is left: not even that they called.

        Raises:
            StoreError: the store is away; what was not durable yet waits in the journal.
        """
        journal = self.stay.journal
        if journal.erased:
            return
        file = journal.file
        if file is None and self.caller.known:
            scope = Scope(tenant, self.caller.id or "", self.caller.person or "")
            file = await archive.file(scope, create=not self.is_blank)
        if file is None:
            return
        if self.is_blank and all(run_of(one) == journal.run for one in await file.journal(self.meta.call)):
            journal.attach(None)
            await journal.flushed()
            await file.drop(self.meta.call)
            return
        if self.moving is not None and self.moving.owner != file.owner:
            await self.moving.hand_over(self.meta.call, file)
        await file.open_call(self.meta)
        journal.attach(file)
        await journal.flushed()
        self.file = file

    @property
    def is_blank(self) -> bool:
        """Whether nothing is told of them but that they left."""
        return len(self.stay.journal.records) < 2
