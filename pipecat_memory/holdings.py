"""What is held of callers: read, exported and erased for whoever may ask, and noted who did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from . import arguments
from .reading.preload import Known
from .records.caller import Caller, Scope
from .stores.caller_file import CallerFile
from .writing.audit import Audit, What

if TYPE_CHECKING:
    from .call import CallMemory
    from .memory import Memory

WHO = "a Caller such as Caller.phone(number)"


class Holdings:
    """The callers' files of one `Memory`, as seen from outside a call."""

    def __init__(self, memory: Memory, audit: Audit) -> None:
        self._memory = memory
        self._audit = audit

    async def profile(self, caller: Caller, by: str, tenant: str | None) -> list[dict[str, Any]]:
        """All facts of a caller, for whoever looks at them; see `Memory.profile`."""
        arguments.text("memory: by=", by, example="app")
        facts = await self.facts(caller, tenant)
        if facts:
            self.note("read", caller, by, tenant)
        return facts

    async def facts(self, caller: Caller, tenant: str | None = None) -> list[dict[str, Any]]:
        """All facts of a caller, current and past, in the report's form."""
        file = await self.file(caller, tenant)
        return [fact.report() for fact in (await file.load()).profile.facts] if file else []

    async def everything(self, caller: Caller, what: What, by: str) -> dict[str, Any]:
        """All that is kept of a caller; see `Memory.export`."""
        arguments.text("memory: by=", by, example="app")
        calls: list[dict[str, Any]] = []
        profiles: dict[str, Any] = {}
        for one in await self.persons(caller):
            if (file := await self.file(one)) is not None:
                await self._memory.keeper.left.finish_moves(file)
                calls += await self._memory.archive.report_calls(file, one)
                profiles[one.label] = await self.facts(one)
                self.note(what, one, by)
        return {"calls": calls, "profiles": profiles}

    async def forget(self, caller: Caller, by: str) -> dict[str, Any]:
        """Erase a caller for good; see `Memory.forget`."""
        arguments.text("memory: by=", by, example="app")
        keeper = self._memory.keeper
        receipt = {"erased": False, "people": 0, "entries": 0, "docs": 0, "jobs": 0}
        for one in await self.persons(caller):
            for call in keeper.live:
                for left in call.identity.left:
                    if self._is_of(call, left.caller, one):
                        left.stay.journal.erase()
            for call in [c for c in keeper.live if self._is_of(c, c.caller, one)]:
                if call.kept.opening is not None:
                    call.kept.opening.cancel()
                call.journal.erase()
                call.arrival.arrive(Known())
            if (file := await self.file(one)) is not None:
                await keeper.left.finish_moves(file)
                gone = await file.erase()
                self.note("erased", one, by)
                receipt["erased"] = True
                receipt["people"] += 1
                receipt["entries"] += gone.entries
                receipt["docs"] += gone.docs
                receipt["jobs"] += gone.jobs
        return receipt | {"at": self._memory.clock.now().isoformat()}

    def note(self, what: What, caller: Caller, by: str, tenant: str | None = None) -> None:
        """Put into the audit trail what was done with a caller's records, by whom."""
        scope = self._scope(caller, tenant)
        self._audit.note(what, scope.tenant, scope, by)

    async def audit(self, caller: Caller | None, tenant: str | None) -> list[dict[str, Any]]:
        """The audit trail; see `Memory.audit`."""
        arguments.tenant("memory: tenant=", tenant)
        scope = None if caller is None else self._scope(caller, tenant)
        return await self._audit.rows(tenant or self._memory.tenant, scope)

    async def file(self, caller: Caller, tenant: str | None = None) -> CallerFile | None:
        """The file of a caller, where there is one."""
        arguments.instance("memory: caller", caller, Caller, example=WHO)
        if not caller.known:
            return None
        return await self._memory.archive.file(self._scope(caller, tenant), create=False)

    async def files(self, caller: Caller) -> list[CallerFile]:
        """The files of a caller and, for a bare number, of everybody known at it."""
        found = [await self.file(one) for one in await self.persons(caller)]
        return [file for file in found if file is not None]

    async def persons(self, caller: Caller) -> Sequence[Caller]:
        """The caller, and for a bare number everybody known at it."""
        arguments.instance("memory: caller", caller, Caller, example=WHO)
        if caller.person is not None or caller.id is None:
            return [caller]
        file = await self.file(caller)
        people = (await file.load()).people if file else ()
        return [caller, *(replace(caller, person=person) for person in people)]

    def _is_of(self, call: CallMemory, there: Caller, caller: Caller) -> bool:
        """Whether who is or was on that line is this tenant's caller."""
        scope = Scope(call.tenant, there.id or "", there.person or "")
        return there.known and scope == self._scope(caller, None)

    def _scope(self, caller: Caller, tenant: str | None) -> Scope:
        arguments.tenant("memory: tenant=", tenant)
        return Scope(tenant or self._memory.tenant, caller.id or "", caller.person or "")
