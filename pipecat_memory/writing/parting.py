"""What a person leaves who is no longer on a line that goes on: their part of the call, in their own file."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..records.caller import Caller, Scope
from ..stores.caller_file import CallerFile
from ..stores.contents import CallMeta
from .archive import Archive

if TYPE_CHECKING:
    from ..stay import Stay


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
    """

    caller: Caller
    meta: CallMeta
    stay: Stay
    file: CallerFile | None = None
    settling: asyncio.Task[None] | None = None
    late: bool = False

    async def write(self, archive: Archive, tenant: str) -> None:
        """Write their part of the call into their file, where they have or may have one.

        Raises:
            StoreError: the store is away; what was not durable yet waits in the journal.
        """
        journal = self.stay.journal
        file = journal.file
        if file is None:
            file = await archive.file(Scope(tenant, self.caller.id or "", self.caller.person or ""))
        if file is None:
            return
        await file.open_call(self.meta)
        journal.attach(file)
        await journal.flushed()
        self.file = file
