"""Memory: opens the store, the model and the embedder once, and hands out calls."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

from .call import CallMemory
from .clients.base import Embedder, LanguageModel, Usage
from .clients.counted import CountedEmbedder
from .clients.embedders import resolve_embedder
from .clients.function import ModelFunction, language_model
from .clients.openai import OpenAIModel
from .clients.prices import bill
from .clock import Clock, SystemClock
from .config import Settings
from .errors import UsedWrongly
from .events import CallStarted, is_zone
from .fitting import fitted
from .notes import fusion
from .notes.evidence import Candidates
from .reading.look_up import Resolve
from .reading.preload import Known
from .reading.tokens import default_counter
from .records.caller import Caller, Scope
from .records.schema import MemorySchema
from .stores.caller_file import CallerFile
from .stores.keys import Encryption
from .stores.masking import Masker
from .stores.url import open_store
from .stores.vault import Vault
from .tasks import Tasks
from .writing.archive import Archive
from .writing.keeper import Keeper
from .writing.speakers import SpeakerLabels

logger = logging.getLogger(__name__)

Extraction = Literal["per_turn", "window", "per_call", "off"]
DEFAULT_MODEL = "gpt-4.1-mini"
"""Asked for extraction where a key is there and no model was named: small and cheap (OpenAI's price list)."""
_RETRY = (0.2, 0.5, 1.0, 2.0, 5.0)

_open: dict[tuple[Any, ...], Memory] = {}


class Memory:
    """The memory of one tenant in one store. Use `Memory.open`.

    Example::

        memory = await Memory.open("sqlite:///calls.db")
        call = memory.call(Caller.phone("+15551230001"), call_id="CA1")
    """

    def __init__(
        self,
        vault: Vault,
        *,
        tenant: str,
        model: LanguageModel | None,
        embedder: Embedder | None,
        extraction: Extraction,
        resolve: Resolve | None,
        candidates: Candidates | None,
        speaker_labels: SpeakerLabels | None,
        settings: Settings,
        clock: Clock,
    ) -> None:
        self.tenant = tenant
        self.model = None if extraction == "off" else model
        self.extraction: Extraction = extraction
        self.candidates = candidates
        self.speaker_labels = speaker_labels
        self.settings = settings
        self.clock = clock
        self.tasks = Tasks()
        self.masker = Masker(cards=settings.mask_cards, patterns=settings.redact)
        self.archive = Archive(self, vault)
        self.embedder = CountedEmbedder(embedder, self.archive.gauge) if embedder else None
        self.counters: dict[str, int] = dict.fromkeys(
            ("preload_failed", "preload_empty", "resolve_failed", "store_retries"), 0
        )
        self.resolve = resolve
        self.keeper = Keeper(self)
        self._spent: dict[str, Usage] = {}
        self._own: OpenAIModel | None = None
        self._users = 1
        self._key: tuple[Any, ...] = ()

    @classmethod
    async def open(
        cls,
        url: str = "sqlite:///calls.db",
        *,
        tenant: str = "default",
        model: str | LanguageModel | ModelFunction | None = None,
        base_url: str | None = None,
        api_key: str | None = None,
        embedder: Any = "auto",
        extraction: Extraction = "per_turn",
        resolve: Resolve | None = None,
        encryption: Encryption = None,
        settings: Settings = Settings(),  # noqa: B008 - frozen
        candidates: Candidates | None = None,
        speaker_labels: SpeakerLabels | None = None,
        clock: Clock | None = None,
    ) -> Memory:
        """Open a memory; the same arguments on the same loop give the same one, counted.

        Args:
            url: `sqlite:///file` (four slashes for an absolute path), `redis://...`, `memory://`.
            tenant: whose callers these are; tenants never see each other.
            model: name at an OpenAI-compatible endpoint, a `LanguageModel`, or a callable. None:
                `OPENAI_MODEL` where set, else a small default where a key or endpoint is there,
                else no model, and only the fast path runs.
            base_url: endpoint; None reads `OPENAI_BASE_URL`.
            api_key: key; None reads `OPENAI_API_KEY`.
            embedder: `"auto"`, None, or a callable `list[str] -> list[list[float]]`.
            extraction: `per_turn`, `window`, `per_call` or `off`.
            resolve: the app's look-up, number to `Caller` or None; bounded.
            encryption: 32-byte key, or a callable giving it, that wraps the callers' data keys.
            settings: see `Settings`.
            candidates: the app's table: slot name to possible values.
            speaker_labels: corrects the recogniser's labels after a call; facts move with them.
            clock: for tests and replay.

        Raises:
            UsedWrongly: an argument does not fit.
            StoreUnavailable: the store can't be opened.
        """
        key = (id(asyncio.get_running_loop()), url, tenant, settings, model, base_url, extraction, id(clock))
        held = _open.get(key)
        if held is not None:
            held._users += 1
            return held
        if extraction not in ("per_turn", "window", "per_call", "off"):
            raise UsedWrongly("extraction: one of per_turn, window, per_call, off")
        store, keys = await open_store(url, command_timeout=settings.store_timeout)
        vault = Vault(store, keys, encryption)
        try:
            await vault.open()
        except BaseException:
            await vault.aclose()
            raise
        if settings.count_tokens is None:
            await asyncio.to_thread(default_counter)
        await asyncio.to_thread(fusion.prewarm)
        asked = _model(model, base_url, api_key, settings)
        memory = cls(
            vault,
            tenant=tenant,
            model=asked,
            embedder=resolve_embedder(embedder),
            extraction=extraction,
            resolve=resolve,
            candidates=candidates,
            speaker_labels=speaker_labels,
            settings=settings,
            clock=clock or SystemClock(),
        )
        memory._key = key
        memory._own = asked if isinstance(asked, OpenAIModel) and asked is not model else None
        _open[key] = memory
        return memory

    def call(
        self,
        caller: Caller | str | None,
        *,
        call_id: str,
        direction: Literal["inbound", "outbound"] = "inbound",
        schema: MemorySchema | dict[str, Any] | None = None,
        timezone: str = "UTC",
        tenant: str | None = None,
        remember: bool = True,
    ) -> CallMemory:
        """Begin a call. Needs the running loop; does no I/O itself.

        Args:
            caller: who calls; a number or id, or None for nobody.
            call_id: the carrier's or the app's id, unique in the tenant.
            direction: on outbound calls whoever answers is `claimed` only.
            schema: what to note; None takes the default schema.
            timezone: IANA zone in which the caller's "tomorrow" is meant.
            tenant: another tenant of the same store.
            remember: False: nothing of this call is kept.

        Raises:
            UsedWrongly: the zone is not in the zone database.
            SchemaError: the schema is wrong; the message says where.
        """
        if not is_zone(timezone):
            raise UsedWrongly("timezone must be an IANA name such as Europe/Lisbon")
        who = caller if isinstance(caller, Caller) else Caller.phone(caller)
        if direction == "outbound" and who.known and who.how == "number":
            who = who.proven("claimed")
        started = CallStarted(
            call=call_id,
            at=self.clock.now(),
            caller=who.id,
            how=who.how,
            person=who.person,
            timezone=timezone,
            direction=direction,
            tenant=tenant,
            remember=remember,
        )
        made = MemorySchema.from_dict(schema) if isinstance(schema, dict) else schema
        return CallMemory(self, fitted(started), who, schema=made)

    async def profile(self, caller: Caller, *, tenant: str | None = None) -> list[dict[str, Any]]:
        """All facts of a caller, current and past, in the report's form."""
        file = await self._file(caller, tenant)
        return [fact.report() for fact in (await file.load()).profile.facts] if file else []

    async def export(self, caller: Caller) -> dict[str, Any]:
        """Everything kept of a caller, in one documented JSON: `{"calls":[...],"profiles":{...}}`."""
        calls: list[dict[str, Any]] = []
        profiles: dict[str, Any] = {}
        for one in await self._persons(caller):
            if (file := await self._file(one)) is not None:
                await self.keeper.finish_moves(file)
                calls += await self.archive.report_calls(file, one)
                profiles[one.label] = await self.profile(one)
        return {"calls": calls, "profiles": profiles}

    async def forget(self, caller: Caller) -> dict[str, Any]:
        """Erase a caller (and, for a bare number, every person at it) for good.

        Returns:
            A receipt: what was removed, in counts, and when. It holds nothing of the caller.
        """
        receipt = {"erased": False, "people": 0, "entries": 0, "docs": 0, "jobs": 0}
        for one in await self._persons(caller):
            for call in [c for c in self.keeper.live.values() if self._is_of(c, one)]:
                if call.opening is not None:
                    call.opening.cancel()
                call.journal.attach(None)
                call.arrive(Known())
            if (file := await self._file(one)) is not None:
                await self.keeper.finish_moves(file)
                gone = await file.erase()
                receipt["erased"] = True
                receipt["people"] += 1
                receipt["entries"] += gone.entries
                receipt["docs"] += gone.docs
                receipt["jobs"] += gone.jobs
        return receipt | {"at": self.clock.now().isoformat()}

    async def reprocess(self, caller: Caller | None = None) -> dict[str, int]:
        """Finish calls that were left unfinished: of one caller, or whatever a worker may take.

        Returns:
            Counts: `settled`, `held` (another worker has them), `parked` turns.
        """
        if caller is None:
            return await self.keeper.settle_all()
        files = [await self._file(one) for one in await self._persons(caller)]
        return await self.keeper.settle_these([file for file in files if file is not None])

    def usage(self, tenant: str | None = None) -> dict[str, Any]:
        """Model requests and tokens since this process opened the memory, and their cost.

        Args:
            tenant: whose calls; None takes this memory's own.

        Returns:
            `{"by_purpose", "tokens", "cost"}`; the cost is None where `Settings.prices` has no row for
            the model.
        """
        return bill(self.usage_of(tenant or self.tenant), self.model_name, self.settings.prices)

    def usage_of(self, tenant: str) -> Usage:
        """Where a tenant's calls are counted."""
        return self._spent.setdefault(tenant, Usage())

    @property
    def model_name(self) -> str | None:
        """Of the model that extracts and summarises."""
        return None if self.model is None else self.model.name

    @property
    def busy(self) -> bool:
        """Whether background work is under way."""
        return self.tasks.busy > 0 or any(call.writer.busy for call in self.keeper.live.values())

    async def close(self, deadline: float = 3.0) -> int:
        """Give it back. The last user's close drains and closes the store.

        Returns:
            Background tasks that were left undone; their work is in the journal.
        """
        self._users -= 1
        if self._users > 0:
            return 0
        _open.pop(self._key, None)
        left = await self.tasks.drain(self.clock, deadline)
        for call in self.keeper.live.values():
            await call.writer.drain(0.0)
        await self.keeper.stop()
        await self.archive.vault.aclose()
        if self._own is not None:
            await self._own.aclose()
        return left

    async def _file(self, caller: Caller, tenant: str | None = None) -> CallerFile | None:
        if caller.id is None:
            return None
        scope = Scope(tenant or self.tenant, caller.id, caller.person or "")
        return await self.archive.file(scope, create=False)

    def _is_of(self, call: CallMemory, caller: Caller) -> bool:
        """Whether this tenant's caller is on that line."""
        there = call.caller
        return (call.tenant, there.id, there.person or "") == (self.tenant, caller.id, caller.person or "")

    async def _persons(self, caller: Caller) -> Sequence[Caller]:
        """The caller, and for a bare number everybody known at it."""
        if caller.person is not None or caller.id is None:
            return [caller]
        file = await self._file(caller)
        people = (await file.load()).people if file else ()
        return [caller, *(replace(caller, person=person) for person in people)]

    def __repr__(self) -> str:
        return f"<Memory calls={len(self.keeper.live)}>"


def _model(
    model: str | LanguageModel | ModelFunction | None,
    base_url: str | None,
    api_key: str | None,
    settings: Settings,
) -> LanguageModel | None:
    """The model that was asked for, or the one the environment offers."""
    url = base_url or os.environ.get("OPENAI_BASE_URL")
    key = api_key or os.environ.get("OPENAI_API_KEY")
    if model is None:
        if not (url or key):
            return None
        model = os.environ.get("OPENAI_MODEL", DEFAULT_MODEL)
    return language_model(
        model, base_url=url, api_key=key, timeout=settings.model_timeout, max_requests=settings.max_requests
    )
